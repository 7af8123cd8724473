/**
 * Activity, refs, inspector and connection as tabs of one drawer.
 *
 * Owns the tab in view, and the activity stream while the drawer is open. Each tab owns its own behaviour.
 * @import { ActivityEntry, Picked } from "../../protocol.js"
 * @import { ActivityLog } from "./activity-log.js"
 * @import { ConnectionActions } from "./connection.js"
 * @import { InspectorActions } from "./inspector.js"
 * @import { RefsActions } from "./refs.js"
 */
import { t } from "../../shared/i18n.js";
import { oncePerFrame } from "../frame.js";
import { h, iconButton, setAttribute, setText } from "../view/dom.js";
import { ActivityTab } from "./activity.js";
import { EMPTY_LOG, withEntry } from "./activity-log.js";
import { ConnectionTab } from "./connection.js";
import { InspectorTab } from "./inspector.js";
import { RefsTab } from "./refs.js";

/** @typedef {"activity" | "refs" | "inspector" | "connection"} DebugTab */
/** @type {DebugTab[]} */
const TABS = ["activity", "refs", "inspector", "connection"];

/**
 * @typedef {object} DebugActions
 * @property {() => void} close
 * @property {() => void} onTab  called when another tab is in view
 * @property {() => Promise<ActivityLog>} follow  returns the entries so far; each new one arrives through `entry`
 * @property {() => void} unfollow
 * @property {(text: string) => void} saveActivity
 * @property {Omit<RefsActions, "counted">} refs
 * @property {InspectorActions} inspector
 * @property {ConnectionActions} connection
 */

export class DebugDrawer {
  /** @type {DebugTab} */ tab = "activity";
  #open = false;
  /** @type {ActivityLog} */ #log = EMPTY_LOG;

  /** @param {HTMLElement} element @param {DebugActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    const panes = TABS.map((name) =>
      h("div", { class: "debug-pane", id: `debug-${name}`, role: "tabpanel", "aria-labelledby": `debug-tab-${name}`, hidden: true }),
    );
    /** @type {Record<string, HTMLElement>} */
    this.panes = Object.fromEntries(TABS.map((name, index) => [name, /** @type {HTMLElement} */ (panes[index])]));
    this.counts = { activity: h("span", { class: "data" }), refs: h("span", { class: "data" }) };
    this.buttons = TABS.map((name) =>
      h(
        "button",
        {
          class: "debug-tab",
          type: "button",
          role: "tab",
          id: `debug-tab-${name}`,
          "aria-controls": `debug-${name}`,
          onclick: () => this.choose(name),
        },
        t(`debug_${name}`),
        name === "activity" ? " " : name === "refs" ? " " : "",
        name === "activity" || name === "refs" ? this.counts[name] : null,
      ),
    );
    const bar = h(
      "div",
      {
        class: "debug-tabs",
        role: "tablist",
        "aria-label": t("debug"),
        onkeydown: (/** @type {KeyboardEvent} */ event) => this.#key(event),
      },
      ...this.buttons,
    );
    element.append(h("div", { class: "debug-head" }, bar, iconButton("cross", t("close"), actions.close)), ...panes);
    this.activity = new ActivityTab(this.#pane("activity"), { save: actions.saveActivity });
    this.refs = new RefsTab(this.#pane("refs"), {
      ...actions.refs,
      counted: (count) => setText(this.counts.refs, count > 0 ? String(count) : ""),
    });
    this.inspector = new InspectorTab(this.#pane("inspector"), actions.inspector);
    this.connection = new ConnectionTab(this.#pane("connection"), actions.connection);
    this.drawLog = oncePerFrame(() => this.#drawLog());
  }

  /** @param {DebugTab} name */
  #pane(name) {
    return /** @type {HTMLElement} */ (this.panes[name]);
  }

  /** Whether the composer stays below this tab. The other tabs need its height. */
  get keepsComposer() {
    return this.tab === "activity" || this.tab === "refs";
  }

  /** @param {DebugTab} [tab] */
  show(tab = this.tab) {
    this.#open = true;
    void this.follow();
    this.choose(tab);
    this.buttons[TABS.indexOf(tab)]?.focus();
  }

  hide() {
    if (!this.#open) return;
    this.#open = false;
    this.#leave();
    this.actions.unfollow();
  }

  /** Restarts the stream on a new connection. */
  async follow() {
    if (!this.#open) return;
    try {
      this.#log = await this.actions.follow();
      this.drawLog();
    } catch {
      // Not connected: the Connection tab says why, and a new connection restarts the stream.
    }
  }

  /** @param {ActivityEntry} entry */
  entry(entry) {
    if (!this.#open) return;
    this.#log = withEntry(this.#log, entry);
    this.drawLog();
    if (entry.command === "snapshot" && entry.outcome === "ok" && this.tab === "refs") void this.refs.refresh();
  }

  /** Handles that another browser tab is in view, or that the tab shows another page. @param {boolean} isOther */
  pageChanged(isOther) {
    this.inspector.forget();
    if (!this.#open) return;
    if (isOther && this.tab === "refs") this.refs.show();
    else if (this.tab === "refs") void this.refs.refresh();
  }

  /** @param {Picked} picked */
  inspect(picked) {
    this.choose("inspector");
    return this.inspector.inspect(picked);
  }

  /** @param {DebugTab} tab */
  choose(tab) {
    if (tab !== this.tab) this.#leave();
    this.tab = tab;
    for (const [index, name] of TABS.entries()) {
      const isChosen = name === tab;
      this.#pane(name).hidden = !isChosen;
      setAttribute(/** @type {HTMLElement} */ (this.buttons[index]), "aria-selected", String(isChosen));
      setAttribute(/** @type {HTMLElement} */ (this.buttons[index]), "tabindex", isChosen ? 0 : -1);
    }
    if (tab === "activity") this.activity.show();
    if (tab === "refs") this.refs.show();
    if (tab === "inspector") this.inspector.show();
    if (tab === "connection") this.connection.show();
    this.actions.onTab();
  }

  #leave() {
    if (this.tab === "refs") this.refs.hide();
    if (this.tab === "connection") this.connection.hide();
  }

  #drawLog() {
    setText(this.counts.activity, this.#log.entries.length > 0 ? String(this.#log.entries.length) : "");
    this.activity.update(this.#log);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = (TABS.indexOf(this.tab) + step + TABS.length) % TABS.length;
    this.choose(/** @type {DebugTab} */ (TABS[at]));
    this.buttons[at]?.focus();
  }
}
