/**
 * All past conversations: search, read again, rename, export, delete with undo.
 * @import { ConversationInfo, Conversations } from "../../protocol.js"
 * @import { RowActions } from "./history-row.js"
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { date } from "../format.js";
import { byDay, dayOf } from "../state/past.js";
import { h, icon, iconButton } from "./dom.js";
import { HistoryRow } from "./history-row.js";

/** A search starts when typing pauses for this long. */
const PAUSE_MS = 150;

/**
 * @typedef {object} HistoryActions
 * @property {(search: string | null) => Promise<Conversations>} list
 * @property {(info: ConversationInfo) => void} open
 * @property {RowActions["save"]} save
 * @property {(info: ConversationInfo, title: string) => Promise<ConversationInfo>} rename
 * @property {(info: ConversationInfo, restored: () => void) => Promise<void>} remove  offers to undo it
 * @property {() => void} close
 */

export class HistoryDrawer {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #asked = 0;
  /** @type {HistoryRow[]} */ #rows = [];

  /** @param {HTMLElement} element @param {HistoryActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.search = h("input", {
      type: "text",
      placeholder: t("searchHistory"),
      "aria-label": t("searchHistory"),
      oninput: () => this.#typed(),
      onkeydown: (event) => this.#down(event),
    });
    this.body = h("div", { class: "drawer__body", "aria-live": "polite" });
    this.body.addEventListener("keydown", (event) => this.#move(event));
    element.append(
      h(
        "div",
        { class: "drawer__head" },
        h("h2", { class: "drawer__title" }, t("history")),
        iconButton("cross", t("close"), actions.close),
      ),
      h("div", { class: "drawer__tools" }, h("label", { class: "search" }, icon("search"), this.search)),
      this.body,
    );
  }

  show() {
    void this.load();
    this.search.focus();
  }

  #typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.load(), PAUSE_MS);
  }

  async load() {
    const asked = ++this.#asked;
    const search = this.search.value.trim();
    try {
      const answer = await this.actions.list(search || null);
      if (asked === this.#asked) this.#draw(answer, search);
    } catch (error) {
      if (asked !== this.#asked) return;
      const { message, hint } = faultOf(error);
      this.#rows = [];
      this.body.replaceChildren(
        h(
          "div",
          { class: "drawer__nothing" },
          h("p", {}, [message, hint].filter(Boolean).join(" ")),
          h("button", { class: "button", type: "button", onclick: () => void this.load() }, icon("retry"), t("retry")),
        ),
      );
    }
  }

  /** @param {Conversations} answer @param {string} search */
  #draw({ conversations, excerpts }, search) {
    const days = byDay(conversations);
    this.#rows = [];
    if (days.length === 0)
      return this.body.replaceChildren(h("p", { class: "drawer__nothing" }, search ? t("nothingFound") : t("noHistory")));
    this.body.replaceChildren(
      ...days.flatMap(([day, infos]) => {
        const rows = infos.map(
          (info) =>
            new HistoryRow(
              info,
              { excerpt: excerpts?.[info.conversationId] ?? "", search },
              {
                open: this.actions.open,
                save: this.actions.save,
                rename: (held, title) => this.#rename(held, title),
                remove: (held) => this.#remove(held),
              },
            ),
        );
        this.#rows.push(...rows);
        return [
          h("h3", { class: "section-head" }, h("span", {}, dayName(day)), h("span", {}, infos.length)),
          h("div", { role: "list" }, ...rows.map(({ element }) => element)),
        ];
      }),
    );
  }

  /** @param {ConversationInfo} info @param {string} title */
  async #rename(info, title) {
    const renamed = await this.actions.rename(info, title).catch(() => info);
    this.#rows.find((row) => row.info.conversationId === info.conversationId)?.update(renamed);
  }

  /** @param {ConversationInfo} info */
  async #remove(info) {
    const at = this.#rows.findIndex((row) => row.info.conversationId === info.conversationId);
    try {
      await this.actions.remove(info, () => void this.load());
    } catch {
      return; // the toast shows it; the row stays
    }
    // The list may have been reloaded, so the remaining rows and the counts per day are read again, not guessed.
    await this.load();
    (this.#rows[at] ?? this.#rows.at(-1) ?? this.search).focus();
  }

  /** @param {KeyboardEvent} event */
  #down(event) {
    if (event.key !== "ArrowDown" || event.isComposing) return;
    event.preventDefault();
    this.#rows[0]?.focus();
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const at = this.#rows.findIndex((row) => row.element.contains(/** @type {Node} */ (event.target)));
    if (at === -1 || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    const to = at + (event.key === "ArrowDown" ? 1 : -1);
    (to < 0 ? this.search : this.#rows[to])?.focus();
  }
}

/** @param {number} day */
function dayName(day) {
  const now = Date.now();
  const near = dayOf(day, now);
  if (near === "today") return t("today");
  if (near === "yesterday") return t("yesterday");
  const year = new Date(day).getFullYear() === new Date(now).getFullYear() ? undefined : "numeric";
  return date(day, { weekday: "long", day: "numeric", month: "long", year });
}
