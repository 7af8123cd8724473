/**
 * Conversations of all time: search and reading again.
 * @import { ConversationInfo } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { faultOf } from "../../shared/fault.js";
import { hostOf } from "../format.js";
import { favicon, h, icon, iconButton } from "./dom.js";

/** A search is asked when the typing pauses. */
const PAUSE_MS = 150;

/**
 * @typedef {object} HistoryActions
 * @property {(search: string | null) => Promise<ConversationInfo[]>} list
 * @property {(info: ConversationInfo) => void} open
 * @property {() => void} close
 */

export class HistoryDrawer {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #asked = 0;

  /** @param {HTMLElement} element @param {HistoryActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.search = h("input", { type: "text", placeholder: t("searchHistory"), "aria-label": t("searchHistory"), oninput: () => this.#typed() });
    this.body = h("div", { class: "drawer__body" });
    element.append(
      h("div", { class: "drawer__head" }, h("h2", { class: "drawer__title" }, t("history")), iconButton("cross", t("close"), actions.close)),
      h("div", { class: "drawer__tools" }, h("label", { class: "search" }, icon("search"), this.search)),
      this.body);
  }

  show() {
    void this.#load();
    this.search.focus();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), PAUSE_MS);
  }

  async #load() {
    const asked = ++this.#asked;
    try {
      const found = await this.actions.list(this.search.value.trim() || null);
      if (asked === this.#asked) this.#draw(found.filter(({ head }) => head > 0));
    } catch (error) {
      if (asked === this.#asked) this.body.replaceChildren(h("p", { class: "drawer__nothing" }, faultOf(error).message));
    }
  }

  /** @param {ConversationInfo[]} found  newest first */
  #draw(found) {
    if (found.length === 0) return this.body.replaceChildren(h("p", { class: "drawer__nothing" }, this.search.value ? t("nothingFound") : t("noHistory")));
    /** @type {Map<string, ConversationInfo[]>} */
    const days = Map.groupBy(found, ({ updatedAt }) => dayOf(updatedAt));
    this.body.replaceChildren(...[...days].flatMap(([day, infos]) => [
      h("h3", { class: "section-head" }, h("span", {}, day), h("span", {}, infos.length)),
      ...infos.map((info) => this.#row(info)),
    ]));
  }

  /** @param {ConversationInfo} info */
  #row(info) {
    const { title, page, agent, updatedAt, state } = info;
    const time = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }).format(updatedAt);
    const facts = [page && hostOf(page.url), agent, time].filter(Boolean).join(" · ");
    const live = state === "idle" ? "" : state === "waiting-for-approval" ? t("asksYou") : t("running");
    return h("button", { class: "history-row", type: "button", onclick: () => this.actions.open(info) },
      favicon(page?.url ?? ""), h("span", { class: "history-row__title truncate" }, title || t("untitled")),
      h("span", { class: "history-row__state" }, live && h("i", { class: "live-dot", "aria-hidden": "true" }), live),
      h("span", { class: "history-row__facts truncate" }, facts));
  }
}

/** @param {number} at */
function dayOf(at) {
  const day = new Date(at).setHours(0, 0, 0, 0);
  const today = new Date().setHours(0, 0, 0, 0);
  if (day === today) return t("today");
  // Noon of the day before: the clock's change moves midnight, never noon's date.
  if (new Date(today - 12 * 3_600_000).setHours(0, 0, 0, 0) === day) return t("yesterday");
  return new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: new Date(at).getFullYear() === new Date().getFullYear() ? undefined : "numeric" }).format(at);
}
