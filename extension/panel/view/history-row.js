/**
 * One conversation of the history: opened by a click, renamed in place, exported, deleted.
 * @import { ConversationInfo, ExportFormat } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { date, hostOf } from "../format.js";
import { marked } from "../state/past.js";
import { favicon, h, iconButton } from "./dom.js";

/**
 * @typedef {object} RowActions
 * @property {(info: ConversationInfo) => void} open
 * @property {(info: ConversationInfo, title: string) => Promise<void>} rename
 * @property {(info: ConversationInfo) => Promise<void>} remove
 * @property {(info: ConversationInfo, format: ExportFormat) => Promise<void>} save
 */

export class HistoryRow {
  /** @param {ConversationInfo} info @param {{ excerpt: string, search: string }} found @param {RowActions} actions */
  constructor(info, found, actions) {
    this.info = info;
    this.actions = actions;
    const { page, agent, updatedAt, state, branchOf } = info;
    const time = date(updatedAt, { hour: "2-digit", minute: "2-digit" });
    const facts = [branchOf && t("branchOf", branchOf.title || t("untitled")), page && hostOf(page.url), agent, time]
      .filter(Boolean)
      .join(" · ");
    const live = {
      idle: "",
      "waiting-for-approval": t("asksYou"),
      "waiting-for-slot": t("waiting"),
      running: t("running"),
      stopping: t("stopping"),
    }[state];
    this.title = h("button", { class: "history-row__title truncate", type: "button", onclick: () => actions.open(this.info) });
    this.place = h("span", { class: "history-row__place" }, this.title);
    this.buttons = h("span", { class: "history-row__actions" });
    this.element = h(
      "div",
      { class: "history-row", role: "listitem" },
      favicon(page?.url ?? ""),
      this.place,
      live && h("span", { class: "history-row__state" }, h("i", { class: "live-dot", "aria-hidden": "true" }), live),
      this.buttons,
      h("span", { class: "history-row__facts truncate" }, facts),
      found.excerpt &&
        h(
          "span",
          { class: "history-row__excerpt" },
          ...marked(found.excerpt, found.search).map(({ text, hit }) => (hit ? h("mark", {}, text) : text)),
        ),
    );
    this.element.addEventListener("keydown", (event) => this.#key(event));
    this.#named();
    this.#offer();
  }

  focus() {
    this.title.focus();
  }

  #named() {
    this.title.textContent = this.info.title || t("untitled");
    this.title.title = this.title.textContent;
  }

  #offer() {
    this.buttons.replaceChildren(
      iconButton("pencil", t("rename"), () => this.#rename(), "icon-button icon-button--small"),
      iconButton("download", t("exportAs"), () => this.#formats(), "icon-button icon-button--small"),
      iconButton("trash", t("delete"), () => void this.actions.remove(this.info), "icon-button icon-button--small"),
    );
  }

  #formats() {
    /** @param {ExportFormat} format @param {string} label */
    const choice = (format, label) =>
      h(
        "button",
        {
          class: "button button--quiet button--small",
          type: "button",
          onclick: () => {
            this.#offer();
            this.focus();
            void this.actions.save(this.info, format);
          },
        },
        label,
      );
    this.buttons.replaceChildren(choice("markdown", "Markdown"), choice("json", "JSON"));
    this.buttons.querySelector("button")?.focus();
  }

  #rename() {
    const field = h("input", {
      class: "history-row__field",
      type: "text",
      "aria-label": t("rename"),
      value: this.info.title,
      maxlength: 200,
    });
    let over = false;
    const end = (/** @type {boolean} */ keep) => {
      if (over) return;
      over = true;
      const focused = document.activeElement === field;
      this.place.replaceChildren(this.title);
      if (focused) this.focus();
      const title = field.value.trim();
      if (keep && title !== this.info.title) void this.actions.rename(this.info, title);
    };
    field.addEventListener("keydown", (event) => {
      if (event.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
      event.preventDefault();
      event.stopPropagation();
      end(event.key === "Enter");
    });
    field.addEventListener("blur", () => end(true));
    this.place.replaceChildren(field);
    field.focus();
    field.select();
  }

  /** @param {ConversationInfo} info  after a change */
  update(info) {
    this.info = info;
    this.#named();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.target !== this.title) return;
    if (event.key === "F2") this.#rename();
    else if (event.key === "Delete") void this.actions.remove(this.info);
    else return;
    event.preventDefault();
  }
}
