/**
 * Consecutive steps of a turn: one line each, finished ones folded, the running one visible.
 * @import { StepItem } from "../state/entries.js"
 */
import { isolated, t } from "../../shared/i18n.js";
import { duration, elapsed } from "../format.js";
import { joined, said, value } from "../../shared/said.js";
import { stepMs, workedMs } from "../state/times.js";
import { copyButton, h, icon, KeyedList, setText, spinner } from "./dom.js";

/** The number of finished steps from which they fold: fewer take no more space than the fold itself. */
const FOLD_FROM = 3;

/**
 * `asks`: a person has to answer, so nothing runs.
 * @typedef {{ key: string, item: StepItem, live: boolean, asks: boolean, waits: number[] }} Row
 */

/** One step. */
class StepRow {
  #glyphOf = "";
  #hasDetail = false;
  /** @type {Row | null} */ #row = null;

  constructor() {
    this.glyph = h("span", { class: "step__glyph" });
    this.label = h("span", { class: "step__label" });
    this.time = h("span", { class: "step__time" });
    this.summary = h("summary", { class: "step" }, this.glyph, this.label, this.time);
    this.details = h("details", { class: "step-item" }, this.summary);
    this.details.addEventListener("toggle", () => this.#detail());
    this.note = h("div", { class: "step-note", hidden: true });
    this.element = h("div", { class: "step-row" }, this.details, this.note);
  }

  /** @param {Row} row */
  update(row) {
    const before = this.#row;
    this.#row = row;
    if (before?.item === row.item && before.live === row.live && before.asks === row.asks) return;
    const { step, done } = row.item;
    const state = done ? done.outcome : !row.live ? "unknown" : row.asks ? "waiting" : "running";
    this.summary.className = `step step--${state}`;
    const words = said(step.phrase) ?? [{ text: `${step.verb} `, isValue: false }, value(step.object ?? "")];
    this.label.replaceChildren(...words.map(({ text, isValue }) => (isValue && text ? h("b", { dir: "auto" }, text) : text)));
    this.label.title = joined(words).trim();
    if (this.#glyphOf !== state) {
      this.#glyphOf = state;
      this.glyph.replaceChildren(glyph(state), h("span", { class: "visually-hidden" }, t(`step_${state.replace("-", "_")}`)));
    }
    if (done) setText(this.time, duration(stepMs(row.item)));
    else if (row.asks) setText(this.time, "");
    this.#reason(state);
    if (this.details.open) this.#detail();
  }

  /** Updates the running time. @param {number} now */
  tick(now) {
    if (this.#row?.live && !this.#row.asks && !this.#row.item.done) setText(this.time, elapsed(now - this.#row.item.at));
  }

  /** @param {string} state */
  #reason(state) {
    const result = this.#row?.item.done?.result?.trim() ?? "";
    const words = reasonOf(state, result);
    this.note.hidden = words === "";
    this.note.replaceChildren(...(words ? [h("p", { class: "step__reason" }, words)] : []));
  }

  /** Draws arguments and result only when the person opens them. */
  #detail() {
    if (!this.#row || !this.details.open) return;
    const { step, done } = this.#row.item;
    if (this.#hasDetail) this.details.lastElementChild?.remove();
    this.#hasDetail = true;
    const args = prettyJson(step.arguments ?? "");
    const result = done?.result ?? "";
    this.details.append(
      h(
        "dl",
        { class: "step__detail" },
        ...part(`${t("arguments")} · ${step.tool}`, args || t("none"), t("copyArguments")),
        ...(result ? part(t("result"), result, t("copyResult")) : []),
      ),
    );
  }
}

/** @param {string} name @param {string} text @param {string} copyLabel */
function part(name, text, copyLabel) {
  return [
    h(
      "dt",
      {},
      name,
      copyButton(copyLabel, () => text),
    ),
    h("dd", { tabindex: "0" }, text),
  ];
}

/** Returns why a step did not succeed; empty if it did. @param {string} state @param {string} result */
function reasonOf(state, result) {
  switch (state) {
    case "denied":
      return t("stepDenied");
    case "not-sent":
      return t("stepNotSent");
    case "unknown":
      return t("stepUnknown");
    case "failed":
      return failure(result);
    default:
      return "";
  }
}

/** @param {string} state */
function glyph(state) {
  if (state === "running") return spinner();
  if (state === "waiting") return h("i", { class: "step__waits" });
  if (state === "not-sent") return icon("stop");
  return icon(state === "ok" ? "check" : state === "unknown" ? "alert" : "cross");
}

/**
 * Returns why a step failed. A tool reports it in English; in other languages, a translated "failed" comes first.
 * @param {string} result
 */
function failure(result) {
  const told = result.split("\n", 1)[0] ?? "";
  if (told === "") return t("stepFailed");
  return t("language") === "en" ? told : `${t("stepFailed")} (${isolated(told)})`;
}

/** @param {string} text */
function prettyJson(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && Object.keys(value).length === 0 ? "" : JSON.stringify(value, null, 2);
  } catch {
    // Truncated at the wire's limit, so it is shown as received.
    return text;
  }
}

/** A run of steps. */
export class Steps {
  constructor() {
    this.count = h("span", { class: "step__label" });
    this.total = h("span", { class: "step__time" });
    this.foldedList = h("div", { class: "steps__list" });
    this.fold = h("details", { class: "steps" }, h("summary", {}, icon("chevron-right"), this.count, this.total), this.foldedList);
    this.openList = h("div", { class: "steps__list" });
    this.open = h("div", { class: "steps" }, this.openList);
    this.element = h("div", { class: "steps-run" }, this.fold, this.open);
    this.folded = new KeyedList(this.foldedList, () => new StepRow());
    this.flat = new KeyedList(this.openList, () => new StepRow());
  }

  /**
   * @param {{ items: StepItem[], live: boolean, asks: boolean, waits: number[], folds: boolean }} part  `live`: the turn is
   * running, so a step without an end is in progress; `folds`: finished steps fold
   */
  update({ items, live, asks, waits, folds: mayFold }) {
    const rows = items.map((item) => ({ key: item.step.stepId, item, live, asks, waits }));
    const ended = rows.filter(({ item }) => item.done || !live);
    const folds = mayFold && ended.length >= FOLD_FROM;
    const running = rows.filter((row) => !ended.includes(row));
    this.folded.update(folds ? ended : []);
    this.flat.update(folds ? running : rows);
    this.fold.hidden = !folds;
    this.open.hidden = folds && running.length === 0;
    if (!folds) return;
    const failed = ended.filter(({ item }) => item.done?.outcome === "failed").length;
    const words = t("stepCount", ended.length);
    setText(this.count, failed > 0 ? `${words} · ${t("stepsFailed", failed)}` : words);
    setText(
      this.total,
      duration(
        workedMs(
          ended.map(({ item }) => item),
          waits,
        ),
      ),
    );
  }

  /** @param {number} now */
  tick(now) {
    for (const row of this.flat.views) if (row instanceof StepRow) row.tick(now);
  }
}
