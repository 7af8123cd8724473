/**
 * A question of the agent: its options, single or multiple choice, and a field for the person's own text; and the line
 * that remains once it is answered.
 * @import { QuestionPart } from "../../protocol.js"
 * @import { QuestionItem } from "../state/entries.js"
 * @import { Given } from "../state/question.js"
 */
import { phrased } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { keepAnswer, restoreAnswer } from "../storage.js";
import { answersOf } from "../state/question.js";
import { Ask } from "./ask.js";
import { card } from "./card.js";
import { h, icon } from "./dom.js";
import { wholeText } from "./whole-text.js";

/** @typedef {(questionId: string, answers: string[][]) => Promise<void>} AnswerQuestion */

/** @extends {Ask<QuestionItem>} */
export class Question extends Ask {
  /**
   * `own`: absent if only the options are answers.
   * @type {{ part: QuestionPart, boxes: HTMLInputElement[], own: HTMLInputElement | null }[]}
   */
  #parts = [];
  /** @type {HTMLButtonElement[]} */ #deciding = [];
  #text = "";
  #id = "";

  /** @param {string} agentLabel @param {AnswerQuestion} answer */
  constructor(agentLabel, answer) {
    super();
    this.agentLabel = agentLabel;
    this.answer = answer;
  }

  /** @override */
  get title() {
    return wholeText(this.#text);
  }

  /** @override */
  get insteadWords() {
    return t("leaveAndTell", this.agentLabel);
  }

  /** @override */
  refuse() {
    return this.#send(this.#id, []);
  }

  /** @override */
  get deciding() {
    return this.#deciding;
  }

  /** Chooses an option of the first part by its number, counted from 1. Sends nothing. @param {number} number */
  choose(number) {
    const box = this.#parts[0]?.boxes[number - 1];
    box?.focus();
    box?.click();
  }

  /** @override @param {QuestionItem} item */
  card({ ask: { questionId, parts } }) {
    const headline = `question-${questionId}`;
    this.#text = phrased(parts[0]?.words) ?? parts[0]?.text ?? "";
    this.#id = questionId;
    const main = h("button", { class: "button button--solid", type: "submit", disabled: true }, t("answer"));
    const leave = h(
      "button",
      { class: "button button--quiet", type: "button", onclick: () => void this.#send(questionId, []) },
      t("answerNot"),
    );
    this.#deciding = [main, leave];
    const changed = () => {
      main.disabled = answersOf(this.#given) === null;
    };
    const form = card(
      "form",
      {
        class: "question",
        "aria-labelledby": headline,
        oninput: () => {
          changed();
          keepAnswer(questionId, this.#given);
        },
      },
      { picture: "question", words: t("asksYouAbout", this.agentLabel), id: headline },
      [
        ...parts.map((part, index) => this.#part(part, `${headline}-${index}`, parts.length === 1)),
        h("div", { class: "card__actions" }, main, leave),
      ],
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const answers = answersOf(this.#given);
      if (answers) void this.#send(questionId, answers);
    });
    void restoreAnswer(questionId).then((given) => {
      this.#bring(given);
      changed();
    });
    return form;
  }

  /** @param {QuestionPart} part @param {string} name @param {boolean} alone */
  #part(part, name, alone) {
    const boxes = part.options.map(() => h("input", { type: part.multiple ? "checkbox" : "radio", name }));
    const own = part.closed
      ? null
      : h("input", {
          class: "field",
          type: "text",
          "aria-label": `${t("ownWords")}: ${phrased(part.words) ?? part.text}`,
          placeholder: part.options.length > 0 ? t("ownWords") : t("yourAnswer"),
        });
    // In a single choice, the person's own text is an answer of its own.
    if (own && !part.multiple) {
      own.addEventListener("input", () => {
        if (own.value) for (const box of boxes) box.checked = false;
      });
      for (const box of boxes)
        box.addEventListener("change", () => {
          own.value = "";
        });
    }
    this.#parts.push({ part, boxes, own });
    return h(
      "fieldset",
      { class: "question__part" },
      h(
        "legend",
        {},
        part.header && h("span", { class: "tag" }, ...wholeText(part.header)),
        h("span", { class: "question__text" }, ...wholeText(phrased(part.words) ?? part.text)),
      ),
      ...part.options.map(({ label, description, words, descriptionWords }, index) =>
        h(
          "label",
          { class: "option" },
          boxes[index],
          h(
            "span",
            { class: "option__text" },
            h("span", {}, ...wholeText(phrased(words) ?? label)),
            description && h("small", {}, ...wholeText(phrased(descriptionWords) ?? description)),
          ),
          alone && index < 9 && h("kbd", { class: "key", "aria-hidden": "true" }, index + 1),
        ),
      ),
      own,
    );
  }

  get #given() {
    return this.#parts.map(({ part, boxes, own }) => ({
      chosen: part.options.filter((_option, index) => boxes[index]?.checked).map(({ label }) => label),
      own: own?.value ?? "",
      multiple: part.multiple ?? false,
    }));
  }

  /** Restores the choices and text from before the panel was closed. @param {Given[]} given */
  #bring(given) {
    this.#parts.forEach(({ part, boxes, own }, index) => {
      const { chosen = [], own: words = "" } = given[index] ?? {};
      boxes.forEach((box, at) => {
        box.checked ||= chosen.includes(part.options[at]?.label ?? "");
      });
      if (own) own.value ||= words;
    });
  }

  /** @param {string} questionId @param {string[][]} answers */
  #send(questionId, answers) {
    return this.send(async () => {
      await this.answer(questionId, answers);
      keepAnswer(questionId, null);
    });
  }

  /** @override @param {QuestionItem} item */
  line({ ask: { parts }, done }) {
    this.#parts = [];
    const answers = done?.answers ?? [];
    const given = answers.some((each) => each.length > 0);
    const by = done && !given ? t(`by_${done.by}`) : "";
    return h(
      "div",
      { class: given ? "decided decided--question" : "decided decided--question decided--no" },
      icon("question"),
      h(
        "dl",
        { class: "grow" },
        ...parts.flatMap(({ text, words }, index) => [
          h("dt", {}, ...wholeText(phrased(words) ?? text)),
          h("dd", {}, ...wholeText(answers[index]?.join(", ") || [t("approvalLeft"), by].filter(Boolean).join(" "))),
        ]),
      ),
    );
  }
}
