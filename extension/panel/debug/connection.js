/**
 * Each hop of the connection with a live ping, or with its fault and the fix.
 * @import { Fault, HopState } from "../../protocol.js"
 * @import { ConnectionState } from "../../shared/wire.js"
 */
import { inWords, worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { date, latency } from "../format.js";
import { HOPS, troubleOf } from "../state/trouble.js";
import { commandLine, h, icon, KeyedList, setAttribute, setText, svg } from "../view/dom.js";

/** How many pings a sparkline shows. */
const TRACE = 25;
/** The pause between two rounds while the drawer is open. */
const ROUND_MS = 2000;

/**
 * @typedef {object} ConnectionActions
 * @property {() => Promise<number>} pingBackground  the round trip in milliseconds
 * @property {() => Promise<HopState[]>} hops  every hop from the host on, checked now
 * @property {() => ConnectionState} state
 * @property {() => void} reconnect
 * @property {(text: string) => Promise<void>} copy
 */

export class ConnectionTab {
  /** @type {Map<string, number[]>} */ #traces = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** @type {HopState[]} */ #known = [];
  #open = false;
  #round = 0;

  /** @param {HTMLElement} element @param {ConnectionActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.list = h("ol", { class: "hops" });
    /** @type {KeyedList<HopItem>} */
    this.hops = new KeyedList(this.list, () => new HopRow());
    this.when = h("span", {}, t("pinging"));
    element.append(
      h(
        "div",
        { class: "drawer__body", tabindex: "0" },
        h("div", { class: "section-head" }, this.when, h("span", {}, t("lastPings", TRACE))),
        this.list,
      ),
      h(
        "div",
        { class: "drawer__foot" },
        h("button", { class: "button", type: "button", onclick: () => void this.ping() }, icon("retry"), t("pingAgain")),
        h("button", { class: "button", type: "button", onclick: () => actions.reconnect() }, icon("plug"), t("reconnect")),
        h("span", { class: "grow" }),
        h(
          "button",
          { class: "button button--quiet", type: "button", onclick: () => void actions.copy(this.report) },
          icon("copy"),
          t("report"),
        ),
      ),
    );
  }

  show() {
    this.#open = true;
    void this.ping();
  }

  hide() {
    this.#open = false;
    clearTimeout(this.#timer);
  }

  /** Checks every hop now. */
  async ping() {
    clearTimeout(this.#timer);
    const round = ++this.#round;
    const [background, hops] = await Promise.allSettled([this.actions.pingBackground(), this.actions.hops()]);
    if (!this.#open || round !== this.#round) return;
    this.#known = this.#states(background.status === "fulfilled" ? background.value : null, hops.status === "fulfilled" ? hops.value : []);
    for (const { hop, millis } of this.#known) {
      if (millis == null) continue;
      this.#traces.set(hop, [...(this.#traces.get(hop) ?? []), millis].slice(-TRACE));
    }
    this.#draw();
    this.#timer = setTimeout(() => void this.ping(), ROUND_MS);
  }

  /** @param {number | null} background @param {HopState[]} beyond @returns {HopState[]} */
  #states(background, beyond) {
    const { version } = chrome.runtime.getManifest();
    const trouble = troubleOf(this.actions.state());
    /** @type {HopState[]} */
    const own = [
      { hop: "panel", ok: true, detail: t("thisPage", version) },
      { hop: "background", ok: background !== null, detail: t("serviceWorker"), millis: background },
    ];
    if (!trouble) return [...own, ...beyond];
    /** @type {HopState[]} */
    const rest = HOPS.slice(2, HOPS.indexOf(trouble.hop)).map((hop) => ({ hop, ok: true, detail: "" }));
    return [...own, ...rest, { hop: trouble.hop, ok: false, detail: trouble.fault.message, fault: trouble.fault }];
  }

  #draw() {
    setText(this.when, t("pingedAt", date(new Date(), { timeStyle: "medium" })));
    this.hops.update(this.#known.map((state) => ({ key: state.hop, state, trace: this.#traces.get(state.hop) ?? [] })));
  }

  /** The text that a person can paste when asking for help: no page text, no messages. */
  get report() {
    return JSON.stringify(
      {
        extension: chrome.runtime.getManifest().version,
        browser: navigator.userAgent,
        connection: this.actions.state(),
        hops: this.#known,
      },
      null,
      2,
    );
  }
}

/** @typedef {{ key: string, state: HopState, trace: number[] }} HopItem */

/**
 * One hop. Updates only what changed since the last round, because the person may be reading, selecting or copying it.
 */
class HopRow {
  #troubleOf = "";

  constructor() {
    this.glyph = h("span", { class: "hop__glyph" });
    this.name = h("span", {});
    this.said = h("span", { class: "visually-hidden" });
    this.line = svg("polyline", {});
    this.trace = h("span", {});
    this.took = h("span", { class: "hop__took" });
    this.about = h("span", { class: "hop__about" });
    this.trouble = h("div", { class: "hop__trouble", hidden: true });
    this.element = h(
      "li",
      {},
      this.glyph,
      h("span", { class: "hop__name" }, this.name, this.said),
      this.trace,
      this.took,
      this.about,
      this.trouble,
    );
  }

  /** @param {HopItem} item */
  update({ state: { hop, ok, detail, words: said, millis, fault }, trace }) {
    const words = ok ? t("up") : t("down");
    if (this.said.textContent !== words) this.glyph.replaceChildren(ok ? h("i", { class: "dot" }) : icon("cross"));
    setAttribute(this.element, "class", ok ? "hop" : "hop hop--down");
    setText(this.name, t(`hopName_${hop}`));
    setText(this.said, words);
    this.#drawTrace(ok && trace.length > 1 ? trace : []);
    setText(this.took, ok ? (millis == null ? "" : latency(millis)) : t("down"));
    setText(this.about, fault && fault.message === detail ? "" : inWords(detail, said));
    this.#drawTrouble(fault ?? null);
  }

  /** @param {number[]} trace */
  #drawTrace(trace) {
    setAttribute(this.line, "points", points(trace));
    if (trace.length === 0) this.trace.replaceChildren();
    else if (!this.line.isConnected)
      this.trace.replaceChildren(
        svg("svg", { class: "hop__trace", viewBox: "0 0 72 20", preserveAspectRatio: "none", "aria-hidden": "true" }, this.line),
      );
  }

  /** @param {Fault | null} told */
  #drawTrouble(told) {
    const fault = told && worded(told);
    const spelled = JSON.stringify(fault);
    if (spelled === this.#troubleOf) return;
    this.#troubleOf = spelled;
    this.trouble.hidden = fault === null;
    this.trouble.replaceChildren(
      ...(fault
        ? [
            h("p", {}, fault.message),
            ...(fault.hint ? [h("p", {}, fault.hint)] : []),
            ...(fault.command ? [commandLine(fault.command)] : []),
          ]
        : []),
    );
  }
}

/**
 * Returns the last pings of one hop as the points of a line. Each hop has its own scale: a shared scale would flatten
 * them.
 * @param {number[]} values
 */
function points(values) {
  const highest = Math.max(...values, 0.1);
  return values
    .map(
      (value, index) => `${(72 - ((values.length - 1 - index) / (TRACE - 1)) * 72).toFixed(1)},${(17 - (value / highest) * 14).toFixed(1)}`,
    )
    .join(" ");
}
