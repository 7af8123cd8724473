/**
 * One card for several approvals of a turn that wait at the same time: each has its line, its own text and its own
 * choice.
 *
 * Owns the lines. An approval that submits a form starts unselected and stays open as a card of its own.
 * @import { ApprovalItem } from "../state/entries.js"
 * @import { ApprovalTools } from "./approval.js"
 */
import { t } from "../../shared/i18n.js";
import { headlineOf, isSubmit } from "../state/approvals.js";
import { askParts } from "../../shared/said.js";
import { commandFold, factsOf, whyWords } from "./approval.js";
import { Ask } from "./ask.js";
import { AskedText } from "./asked-text.js";
import { card } from "./card.js";
import { favicon, h } from "./dom.js";
import { wholeSentence, wholeText } from "./whole-text.js";

/** @typedef {{ approvalId: string, element: HTMLElement, box: HTMLInputElement, text: AskedText | null }} Line */
/** @typedef {{ asks: ApprovalItem[], done: null }} Group */

/** @extends {Ask<Group>} */
export class ApprovalGroup extends Ask {
  /** @type {Line[]} */ #lines = [];
  #list = h("ul", { class: "asked" });
  #headline = h("h2", { class: "approval__ask" });
  #allowWords = h("span", { class: "choice__words" });
  #denyWords = h("span", { class: "choice__words" });
  /** @type {HTMLButtonElement} */ #allow;
  /** @type {HTMLButtonElement} */ #deny;

  /** @param {string} agentLabel @param {ApprovalTools} tools */
  constructor(agentLabel, tools) {
    super();
    this.agentLabel = agentLabel;
    this.tools = tools;
    this.#allow = h(
      "button",
      { class: "choice", type: "button", "data-choice": "allow", onclick: () => void this.#send(this.#chosen, "allow-once") },
      h("kbd", { class: "key", "aria-hidden": "true" }, 1),
      this.#allowWords,
    );
    this.#deny = h(
      "button",
      { class: "choice choice--deny", type: "button", "data-choice": "deny", onclick: () => void this.#send(this.#lines, "deny") },
      h("kbd", { class: "key", "aria-hidden": "true" }, 2),
      this.#denyWords,
    );
  }

  /** @override */
  get title() {
    return [...this.#headline.cloneNode(true).childNodes];
  }

  /** @override */
  get insteadWords() {
    return t("denyAndTell", this.agentLabel);
  }

  /** @override */
  refuse() {
    return this.#send(this.#lines, "deny");
  }

  /** @override */
  get deciding() {
    return [this.#allow, this.#deny];
  }

  /** @param {number} number */
  choose(number) {
    this.deciding[number - 1]?.click();
  }

  /** @override @param {Group} group @param {boolean} live */
  update(group, live) {
    super.update(group, live);
    if (!live) return;
    // Keeps the person's text and choices when another approval is added.
    const held = new Map(this.#lines.map((line) => [line.approvalId, line]));
    this.#lines = group.asks.map(({ ask }) => held.get(ask.approvalId) ?? this.#line(ask));
    this.#list.replaceChildren(...this.#lines.map(({ element }) => element));
    this.#headline.replaceChildren(...wholeSentence(headlineOf(group.asks)));
    this.#count();
  }

  /** @override @param {Group} group */
  card({ asks }) {
    const site = asks[0]?.ask.site;
    const id = `approval-${asks[0]?.ask.approvalId}`;
    this.#headline.id = id;
    return card(
      "div",
      { class: "approval approval--group", role: "alertdialog", "aria-labelledby": id },
      { picture: "shield", words: t("asksTo", this.agentLabel), note: t("kind_act") },
      [
        this.#headline,
        site
          ? h(
              "dl",
              { class: "approval__facts" },
              h("dt", {}, t("approvalOn")),
              h("dd", {}, favicon(`https://${site}/`), h("span", {}, site)),
            )
          : null,
        this.#list,
      ],
      [this.#allow, this.#deny],
    );
  }

  /** @override */
  line() {
    return h("span", { hidden: true });
  }

  /** @param {ApprovalItem["ask"]} ask @returns {Line} */
  #line(ask) {
    const { approvalId, action } = ask;
    const box = h("input", { type: "checkbox", checked: !isSubmit(ask), onchange: () => this.#count() });
    const text =
      action?.text == null
        ? null
        : new AskedText(action.text, action.element?.name || action.element?.role || "", () => {
            box.checked = true;
            this.#count();
          });
    const facts = factsOf(ask);
    const does = text ? `${action?.element?.role ?? ""} · ${action?.element?.target ?? ""}` : facts.text;
    const element = h(
      "li",
      { class: "asked__line" },
      h("label", { class: "asked__head" }, box, h("b", {}, ...wholeSentence(askParts(ask)))),
      text?.element,
      does && h("code", { class: "asked__does" }, ...wholeText(does)),
      !text && facts.command && commandFold(facts.command),
      ask.why && h("p", { class: "approval__why" }, ...whyWords(ask)),
    );
    return { approvalId, element, box, text };
  }

  get #chosen() {
    return this.#lines.filter(({ box }) => box.checked);
  }

  #count() {
    const { length } = this.#chosen;
    this.#allowWords.textContent = t("allowCount", length);
    this.#denyWords.textContent = t("denyAll");
    this.#allow.disabled = length === 0;
  }

  /**
   * Sends the answers in order: the first allowed action runs first.
   * @param {Line[]} lines
   * @param {"allow-once" | "deny"} decision
   */
  #send(lines, decision) {
    const answers = lines.map(({ approvalId, text }) => ({ approvalId, text: decision === "deny" ? null : (text?.changed ?? null) }));
    return this.send(async () => {
      for (const { approvalId, text } of answers) await this.tools.answer(approvalId, decision, text);
    }, true);
  }
}
