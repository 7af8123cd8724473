/**
 * A question of the agent: its options, one or several, and a place for the person's own words; and what is left
 * of it when it was answered.
 * @import { QuestionPart } from "../../protocol.js"
 * @import { QuestionItem } from "../state/entries.js"
 */
import { t } from "../../shared/i18n.js";
import { answersOf } from "../state/question.js";
import { h, icon } from "./dom.js";

/** @typedef {(questionId: string, answers: string[][]) => Promise<void>} AnswerQuestion */

export class Question {
  #drawn = "";
  #sent = false;
  /** @type {{ part: QuestionPart, boxes: HTMLInputElement[], own: HTMLInputElement }[]} */ #parts = [];
  /** @type {HTMLButtonElement[]} */ #buttons = [];

  /** @param {string} agentLabel @param {AnswerQuestion} answer */
  constructor(agentLabel, answer) {
    this.agentLabel = agentLabel;
    this.answer = answer;
    this.element = h("div", {});
  }

  /** @param {QuestionItem} item @param {boolean} live  the turn still runs */
  update(item, live) {
    const open = live && !item.done;
    const drawn = open ? "open" : "answered";
    if (this.#drawn === drawn) return;
    this.#drawn = drawn;
    if (open) this.#drawCard(item);
    else this.#drawLine(item);
  }

  get asks() {
    return this.#drawn === "open" && !this.#sent;
  }

  focus() {
    const [first] = this.#parts;
    (first?.boxes[0] ?? first?.own)?.focus({ preventScroll: true });
  }

  /** Chooses an option of the first part by its number, from 1. Nothing is sent by it. @param {number} number */
  choose(number) {
    const box = this.#parts[0]?.boxes[number - 1];
    box?.focus();
    box?.click();
  }

  /** @param {QuestionItem} item */
  #drawCard({ ask: { questionId, parts } }) {
    const headline = `question-${questionId}`;
    const main = h("button", { class: "button button--solid", type: "submit", disabled: true }, t("answer"));
    const none = h("button", { class: "button button--quiet", type: "button", onclick: () => void this.#send(questionId, []) }, t("answerNot"));
    this.#buttons = [main, none];
    const form = h("form", { class: "card question", "aria-labelledby": headline, oninput: () => { main.disabled = answersOf(this.#given) === null; } },
      h("div", { class: "card__body" },
        h("div", { class: "card__head", id: headline }, icon("question"), h("span", { class: "approval__who" }, t("asksYouAbout", this.agentLabel))),
        ...parts.map((part, index) => this.#part(part, `${headline}-${index}`, parts.length === 1)),
        h("div", { class: "card__actions" }, main, none)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const answers = answersOf(this.#given);
      if (answers) void this.#send(questionId, answers);
    });
    this.element.replaceChildren(form);
  }

  /** @param {QuestionPart} part @param {string} name @param {boolean} alone */
  #part(part, name, alone) {
    const boxes = part.options.map(() => h("input", { type: part.multiple ? "checkbox" : "radio", name }));
    const own = h("input", { class: "field", type: "text", "aria-label": `${t("ownWords")}: ${part.text}`, placeholder: part.options.length > 0 ? t("ownWords") : t("yourAnswer") });
    // One's own words are an answer of their own where only one may be given.
    if (!part.multiple) own.addEventListener("input", () => { if (own.value) for (const box of boxes) box.checked = false; });
    for (const box of boxes) if (!part.multiple) box.addEventListener("change", () => { own.value = ""; });
    this.#parts.push({ part, boxes, own });
    return h("fieldset", { class: "question__part" },
      h("legend", {}, part.header && h("span", { class: "tag" }, part.header), h("span", { class: "question__text" }, part.text)),
      ...part.options.map(({ label, description }, index) => h("label", { class: "option" }, boxes[index],
        h("span", { class: "option__text" }, label, description && h("small", {}, description)),
        alone && index < 9 && h("kbd", { class: "key", "aria-hidden": "true" }, index + 1))),
      own);
  }

  get #given() {
    return this.#parts.map(({ part, boxes, own }) => ({ chosen: part.options.filter((_option, index) => boxes[index]?.checked).map(({ label }) => label), own: own.value, multiple: part.multiple ?? false }));
  }

  /** @param {string} questionId @param {string[][]} answers */
  async #send(questionId, answers) {
    if (this.#sent) return;
    this.#sent = true;
    for (const button of this.#buttons) button.disabled = true;
    try {
      await this.answer(questionId, answers);
    } catch {
      // The way broke; the card stays and can be answered again.
      this.#sent = false;
      for (const button of this.#buttons) button.disabled = false;
    }
  }

  /** @param {QuestionItem} item */
  #drawLine({ ask: { parts }, done }) {
    this.#parts = [];
    const answers = done?.answers ?? [];
    const given = answers.some((each) => each.length > 0);
    const by = done && !given ? t(`by_${done.by}`) : "";
    this.element.replaceChildren(h("div", { class: given ? "decided decided--question" : "decided decided--question decided--no" }, icon("question"),
      h("dl", { class: "grow" }, ...parts.flatMap(({ text }, index) => [h("dt", {}, text), h("dd", {}, answers[index]?.join(", ") || [t("approvalLeft"), by].filter(Boolean).join(" "))]))));
  }
}
