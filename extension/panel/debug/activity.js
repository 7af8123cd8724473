/**
 * Every command that runs in the browser, from any client, as it happens.
 *
 * Draws the log. Arguments arrive redacted; results are the daemon's one-line summaries.
 * @import { ActivityEntry } from "../../protocol.js"
 * @import { ActivityLog } from "./activity-log.js"
 */
import { t } from "../../shared/i18n.js";
import { date, duration } from "../format.js";
import { h, icon, iconButton, isResting, KeyedList, setAttribute, setResting, setText } from "../view/dom.js";
import { bySource, EMPTY_LOG, failures, matching } from "./activity-log.js";

/** Counted from the end; older entries are drawn on request. */
const DRAWN = 200;
/** Within this distance of the end, a new line scrolls into view. */
const NEAR_END = 40;

export class ActivityTab {
  /** @type {ActivityLog} */ #log = EMPTY_LOG;
  #drawn = DRAWN;
  #onlyFailed = false;

  /** @param {HTMLElement} element @param {{ save: (text: string) => void }} actions */
  constructor(element, { save }) {
    this.search = h("input", {
      type: "text",
      placeholder: t("filterActivity"),
      "aria-label": t("filterActivity"),
      oninput: () => this.#draw(),
    });
    this.failed = h("button", { class: "button", type: "button", "aria-pressed": "false", onclick: () => this.#toggleFailed() });
    this.list = h("div", { class: "log", role: "log", "aria-live": "off" });
    /** @type {KeyedList<Line>} */
    this.lines = new KeyedList(this.list, (line) => this.#view(line));
    this.body = h("div", { class: "drawer__body", tabindex: "0" }, this.list);
    element.append(
      h(
        "div",
        { class: "drawer__tools" },
        h("label", { class: "search" }, icon("search"), this.search),
        this.failed,
        iconButton("download", t("exportActivity"), () => save(this.#log.entries.map((entry) => JSON.stringify(entry)).join("\n"))),
      ),
      this.body,
    );
    this.#draw();
  }

  /** @param {ActivityLog} log */
  update(log) {
    this.#log = log;
    this.#draw();
  }

  show() {
    this.#toEnd();
    this.search.focus();
  }

  #toggleFailed() {
    if (isResting(this.failed)) return;
    this.#onlyFailed = !this.#onlyFailed;
    setAttribute(this.failed, "aria-pressed", String(this.#onlyFailed));
    this.#draw();
  }

  #toEnd() {
    this.body.scrollTop = this.body.scrollHeight;
  }

  #draw() {
    const wasAtEnd = this.body.scrollHeight - this.body.scrollTop - this.body.clientHeight < NEAR_END;
    const count = failures(this.#log);
    setText(this.failed, t("failedCount", count));
    setResting(this.failed, count === 0 && !this.#onlyFailed);
    const found = matching(this.#log, this.search.value, this.#onlyFailed);
    const shown = found.slice(-this.#drawn);
    const more = found.length - shown.length;
    /** @type {Line[]} */
    const about =
      more > 0 ? [{ key: "more", words: t("olderEntries", more) }] : this.#log.gap ? [{ key: "gap", words: t("olderGone") }] : [];
    if (shown.length === 0) about.push({ key: "nothing", words: this.#log.entries.length === 0 ? t("noActivity") : t("nothingFound") });
    this.lines.update([
      ...about,
      ...bySource(shown).flatMap(({ source, entries }) => [
        { key: `source ${entries[0]?.id}`, words: t(`source_${source}`) },
        ...entries.map((entry) => ({ key: String(entry.id), words: "", entry })),
      ]),
    ]);
    if (wasAtEnd) this.#toEnd();
  }

  /** @param {Line} line @returns {import("../view/dom.js").View<Line>} */
  #view({ key, entry }) {
    if (entry) return new Row();
    const element =
      key === "more"
        ? h("button", { class: "button button--quiet log-more", type: "button", onclick: () => this.#more() })
        : h(key === "gap" || key === "nothing" ? "p" : "div", { class: key === "nothing" ? "drawer__nothing" : "log-turn" });
    return { element, update: ({ words }) => setText(element, words) };
  }

  #more() {
    this.#drawn += DRAWN;
    this.#draw();
    // The button disappears with the last older entries.
    if (!this.lines.get("more")) this.body.focus();
  }
}

/** @type {Intl.DateTimeFormatOptions} */
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };

/** @typedef {{ key: string, words: string, entry?: ActivityEntry }} Line  an entry, or text between entries */

/** The row of a command. It is redrawn only when the command has ended. */
class Row {
  element = h("div", { class: "log-row" });
  /** @type {ActivityEntry | undefined} */ #entry;

  /** @param {Line} line */
  update({ entry }) {
    if (!entry || entry === this.#entry) return;
    this.#entry = entry;
    const { at, command, args, outcome, durationMs, result } = entry;
    const failed = outcome === "failed" || outcome === "unknown";
    const glyph =
      outcome === "running"
        ? h("span", { class: "log-row__live" }, h("i", { class: "live-dot" }))
        : icon(failed ? (outcome === "unknown" ? "alert" : "cross") : "check");
    const words = args.join(" ");
    setAttribute(this.element, "class", failed ? "log-row log-row--failed" : "log-row");
    this.element.replaceChildren(
      h("span", { class: "log-row__time" }, date(at, CLOCK)),
      glyph,
      h(
        "span",
        { class: "log-row__call", title: `${command} ${words}` },
        h("b", {}, command),
        " ",
        words,
        h("span", { class: "visually-hidden" }, t(`step_${outcome}`)),
      ),
      h("span", { class: "log-row__took" }, durationMs == null ? "" : duration(durationMs)),
      ...(result ? [h("span", { class: "log-row__result", title: result }, result)] : []),
    );
  }
}
