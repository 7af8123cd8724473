/**
 * Every command that was run in the browser, by whoever, as it happens.
 *
 * Owns what is drawn of the log. Arguments come redacted; results are the daemon's line about them.
 * @import { ActivityEntry } from "../../protocol.js"
 * @import { ActivityLog } from "./activity-log.js"
 */
import { t } from "../../shared/i18n.js";
import { duration } from "../format.js";
import { h, icon, iconButton, setAttribute, setText } from "../view/dom.js";
import { bySource, EMPTY_LOG, failures, matching } from "./activity-log.js";

/** From the end on; older ones are drawn when they are asked for. */
const DRAWN = 200;
/** So close to the end a new line scrolls into view. */
const NEAR_END = 40;

export class ActivityTab {
  /** @type {ActivityLog} */ #log = EMPTY_LOG;
  #drawn = DRAWN;
  #onlyFailed = false;

  /** @param {HTMLElement} element @param {{ save: (text: string) => void }} actions */
  constructor(element, { save }) {
    this.search = h("input", { type: "text", placeholder: t("filterActivity"), "aria-label": t("filterActivity"), oninput: () => this.#draw() });
    this.failed = h("button", { class: "button", type: "button", "aria-pressed": "false", onclick: () => this.#toggleFailed() });
    this.list = h("div", { class: "log", role: "log", "aria-live": "off" });
    this.body = h("div", { class: "drawer__body", tabindex: "0" }, this.list);
    element.append(h("div", { class: "drawer__tools" }, h("label", { class: "search" }, icon("search"), this.search), this.failed,
      iconButton("download", t("exportActivity"), () => save(this.#log.entries.map((entry) => JSON.stringify(entry)).join("\n")))), this.body);
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
    this.failed.disabled = count === 0 && !this.#onlyFailed;
    const found = matching(this.#log, this.search.value, this.#onlyFailed);
    const shown = found.slice(-this.#drawn);
    const more = found.length - shown.length;
    this.list.replaceChildren(
      ...(more > 0 ? [h("button", { class: "button button--quiet log-more", type: "button", onclick: () => this.#more() }, t("olderEntries", more))] : []),
      ...(more === 0 && this.#log.gap ? [h("p", { class: "log-turn" }, t("olderGone"))] : []),
      ...(shown.length === 0 ? [h("p", { class: "drawer__nothing" }, this.#log.entries.length === 0 ? t("noActivity") : t("nothingFound"))] : []),
      ...bySource(shown).flatMap(({ source, entries }) => [h("div", { class: "log-turn" }, t(`source_${source}`)), ...entries.map(row)]));
    if (wasAtEnd) this.#toEnd();
  }

  #more() {
    this.#drawn += DRAWN;
    this.#draw();
  }
}

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** @param {ActivityEntry} entry */
function row({ at, command, args, outcome, durationMs, result }) {
  const failed = outcome === "failed" || outcome === "unknown";
  const glyph = outcome === "running" ? h("span", { class: "log-row__live" }, h("i", { class: "live-dot" })) : icon(failed ? (outcome === "unknown" ? "alert" : "cross") : "check");
  const words = args.join(" ");
  return h("div", { class: failed ? "log-row log-row--failed" : "log-row" },
    h("span", { class: "log-row__time" }, CLOCK.format(at)), glyph,
    h("span", { class: "log-row__call", title: `${command} ${words}` }, h("b", {}, command), " ", words, h("span", { class: "visually-hidden" }, t(`step_${outcome}`))),
    h("span", { class: "log-row__took" }, durationMs == null ? "" : duration(durationMs)),
    result && h("span", { class: "log-row__result", title: result }, result));
}
