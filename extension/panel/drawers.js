/**
 * History, Settings and Debug: one at a time, in place of the conversation.
 *
 * Owns the open drawer. `drawer-actions.js` owns their requests.
 * @import { ActivityEntry } from "../protocol.js"
 * @import { DebugTab } from "./debug/debug-drawer.js"
 * @import { Compose, Panel } from "./drawer-actions.js"
 */
import { t } from "../shared/i18n.js";
import { debugActions } from "./debug/debug-actions.js";
import { DebugDrawer } from "./debug/debug-drawer.js";
import { historyActions, settingsActions } from "./drawer-actions.js";
import { byId } from "./page.js";
import { HistoryDrawer } from "./view/history-drawer.js";
import { SettingsDrawer } from "./view/settings-drawer.js";

/** @typedef {"history" | "settings" | "debug"} Drawer */

export class Drawers {
  /** @type {Drawer | null} */ open = null;

  /**
   * @param {Panel & { compose: Compose, onChange: () => void, onClosed: () => void }} parts  `onClosed`: the focus
   * needs a new place
   */
  constructor({ onChange, onClosed, compose, ...panel }) {
    this.onChange = onChange;
    this.onClosed = onClosed;
    this.elements = { history: byId("history"), settings: byId("settings"), debug: byId("debug") };
    for (const [name, element] of Object.entries(this.elements)) element.setAttribute("aria-label", t(name));
    const close = () => this.close();
    this.views = {
      history: new HistoryDrawer(this.elements.history, { ...historyActions(panel, close), close }),
      settings: new SettingsDrawer(this.elements.settings, { ...settingsActions(panel), close }),
      debug: new DebugDrawer(this.elements.debug, { ...debugActions(panel, compose), close, onTab: () => onChange() }),
    };
    const { store, connection } = panel;
    connection.on("activity.entry", (entry) => this.views.debug.entry(/** @type {ActivityEntry} */ (entry)));
    let { tab, connection: link } = store.state;
    store.subscribe((state) => {
      const isNew = link.status !== "connected" && state.connection.status === "connected";
      const page = tab;
      ({ tab, connection: link } = state);
      if (isNew) void this.views.debug.follow();
      if (tab?.chromeTabId !== page?.chromeTabId || tab?.url !== page?.url)
        this.views.debug.pageChanged(tab?.chromeTabId !== page?.chromeTabId);
    });
  }

  /** Whether the open drawer hides the composer. */
  get hidesComposer() {
    return this.open !== null && !(this.open === "debug" && this.views.debug.keepsComposer);
  }

  /** @param {Drawer} drawer */
  toggle(drawer) {
    if (this.open === drawer) return this.close();
    this.#show(drawer);
    this.views[drawer].show();
  }

  /** Opens a tab of Debug, or closes the drawer if that tab is in view. @param {DebugTab} tab */
  toggleDebug(tab) {
    if (this.open === "debug" && this.views.debug.tab === tab) return this.close();
    this.#show("debug");
    this.views.debug.show(tab);
  }

  close() {
    if (this.open === null) return;
    this.#show(null);
    // The focus does not return to the button that opened the drawer: the next key is meant for the composer, and a
    // space would press the button.
    this.onClosed();
  }

  /** @param {Drawer | null} drawer */
  #show(drawer) {
    if (this.open === "debug" && drawer !== "debug") this.views.debug.hide();
    this.open = drawer;
    for (const [name, element] of Object.entries(this.elements)) element.hidden = name !== drawer;
    byId("conversation").hidden = drawer !== null;
    this.onChange();
  }
}
