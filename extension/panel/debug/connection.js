/**
 * Each hop of the way with a live ping, or with what is wrong and what mends it.
 * @import { HopState } from "../../protocol.js"
 * @import { ConnectionState } from "../../shared/wire.js"
 */
import { t } from "../../shared/i18n.js";
import { latency } from "../format.js";
import { HOPS, troubleOf } from "../state/trouble.js";
import { commandLine, h, icon, svg } from "../view/dom.js";

/** How many pings a trace shows. */
const TRACE = 25;
/** Between two rounds while the drawer is open. */
const ROUND_MS = 2000;

/**
 * @typedef {object} ConnectionActions
 * @property {() => Promise<number>} pingBackground  milliseconds there and back
 * @property {() => Promise<HopState[]>} hops  from the host on, checked now
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
    this.when = h("span", {}, t("pinging"));
    element.append(
      h("div", { class: "drawer__body" }, h("div", { class: "section-head" }, this.when, h("span", {}, t("lastPings", TRACE))), this.list),
      h("div", { class: "drawer__foot" },
        h("button", { class: "button", type: "button", onclick: () => void this.ping() }, icon("retry"), t("pingAgain")),
        h("button", { class: "button", type: "button", onclick: () => actions.reconnect() }, icon("plug"), t("reconnect")),
        h("span", { class: "grow" }),
        h("button", { class: "button button--quiet", type: "button", onclick: () => void actions.copy(this.report) }, icon("copy"), t("report"))));
  }

  show() {
    this.#open = true;
    void this.ping();
  }

  hide() {
    this.#open = false;
    clearTimeout(this.#timer);
  }

  /** One round: every hop checked now. */
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
    this.when.textContent = t("pingedAt", new Intl.DateTimeFormat(undefined, { timeStyle: "medium" }).format(new Date()));
    this.list.replaceChildren(...this.#known.map((state) => this.#hop(state)));
  }

  /** @param {HopState} state */
  #hop({ hop, ok, detail, millis, fault }) {
    const trace = this.#traces.get(hop) ?? [];
    return h("li", { class: ok ? "hop" : "hop hop--down" },
      h("span", { class: "hop__glyph" }, ok ? h("i", { class: "dot" }) : icon("cross")),
      h("span", { class: "hop__name" }, t(`hopName_${hop}`), h("span", { class: "visually-hidden" }, ok ? t("up") : t("down"))),
      trace.length > 1 && ok ? sparkline(trace) : h("span", {}),
      h("span", { class: "hop__took" }, ok ? (millis == null ? "" : latency(millis)) : t("down")),
      h("span", { class: "hop__about" }, fault && fault.message === detail ? "" : detail),
      fault && h("div", { class: "hop__trouble" }, h("p", {}, fault.message), fault.hint && h("p", {}, fault.hint), fault.command && commandLine(fault.command)));
  }

  /** What a person can paste where help is given: no page text, no messages. */
  get report() {
    return JSON.stringify({ extension: chrome.runtime.getManifest().version, browser: navigator.userAgent, connection: this.actions.state(), hops: this.#known }, null, 2);
  }
}

/** The last pings of one hop. Each has its own scale: one for all would flatten them. @param {number[]} values */
function sparkline(values) {
  const highest = Math.max(...values, 0.1);
  const points = values.map((value, index) => `${(72 - ((values.length - 1 - index) / (TRACE - 1)) * 72).toFixed(1)},${(17 - (value / highest) * 14).toFixed(1)}`);
  return svg("svg", { class: "hop__trace", viewBox: "0 0 72 20", preserveAspectRatio: "none", "aria-hidden": "true" }, svg("polyline", { points: points.join(" ") }));
}
