/**
 * The kinds of parts of a turn, each with the view that draws it.
 * @import { Attachment } from "../../protocol.js"
 * @import { ApprovalTools } from "./approval.js"
 * @import { View } from "./dom.js"
 * @import { ProseTools } from "./prose.js"
 * @import { AnswerQuestion } from "./question.js"
 * @import { Part } from "../state/turn-parts.js"
 */
import { inWords } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { Approval } from "./approval.js";
import { ApprovalGroup } from "./approval-group.js";
import { h, icon } from "./dom.js";
import { Plan } from "./plan.js";
import { Prose } from "./prose.js";
import { Question } from "./question.js";
import { shot } from "./shot.js";
import { Steps } from "./steps.js";

/**
 * @typedef {object} PartTools
 * @property {ProseTools} prose
 * @property {(file: Attachment) => Promise<string>} load
 * @property {AnswerQuestion} answerQuestion
 */

/** @param {Part} part @param {string} agentLabel @param {PartTools & ApprovalTools} tools @returns {View<Part>} */
export function viewOf(part, agentLabel, tools) {
  switch (part.kind) {
    case "steps":
      return new StepsPart();
    case "shots":
      return new ShotsPart(tools.load);
    case "approval":
      return new ApprovalPart(new Approval(agentLabel, tools));
    case "approvals":
      return new ApprovalsPart(new ApprovalGroup(agentLabel, tools));
    case "question":
      return new QuestionPart(new Question(agentLabel, tools.answerQuestion));
    case "plan":
      return new PlanPart();
    case "thinking":
      return new ThinkingPart(tools.prose);
    case "text":
      return new TextPart(tools.prose);
    case "notice":
      return new NoticePart();
  }
}

export class StepsPart {
  steps = new Steps();
  element = this.steps.element;
  /** @param {Part} part */
  update(part) {
    if (part.kind === "steps") this.steps.update(part);
  }
}

class ShotsPart {
  element = h("div", { class: "stack" });
  /** @param {(file: Attachment) => Promise<string>} load */
  constructor(load) {
    this.load = load;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "shots" && this.element.childElementCount === 0)
      this.element.append(...part.files.map((file) => shot(file, this.load)));
  }
}

class TextPart {
  /** @param {ProseTools} tools */
  constructor(tools) {
    this.prose = new Prose(tools);
    this.element = this.prose.element;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "text") this.prose.update(part.item.text, part.ended);
  }
}

class ThinkingPart {
  /** @param {ProseTools} tools */
  constructor(tools) {
    this.prose = new Prose(tools);
    this.prose.element.classList.add("prose--thinking");
    this.label = h("span", { class: "step__label" });
    this.element = h("details", { class: "steps" }, h("summary", {}, icon("chevron-right"), this.label), this.prose.element);
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind !== "thinking") return;
    this.prose.update(part.item.text, part.ended);
    this.label.textContent = part.ended ? t("thought") : t("thinking");
  }
}

class ApprovalPart {
  /** @param {Approval} ask */
  constructor(ask) {
    this.ask = ask;
    this.element = ask.element;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "approval") this.ask.update(part.item, part.live);
  }
}

class ApprovalsPart {
  /** @param {ApprovalGroup} ask */
  constructor(ask) {
    this.ask = ask;
    this.element = ask.element;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "approvals") this.ask.update({ asks: part.items, done: null }, true);
  }
}

class QuestionPart {
  /** @param {Question} ask */
  constructor(ask) {
    this.ask = ask;
    this.element = ask.element;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "question") this.ask.update(part.item, part.live);
  }
}

/** Returns the card of a part that waits for a person. @param {View<Part> | undefined} view */
export function askOf(view) {
  return view instanceof ApprovalPart || view instanceof ApprovalsPart || view instanceof QuestionPart ? view.ask : null;
}

class PlanPart {
  plan = new Plan();
  element = this.plan.element;
  /** @param {Part} part */
  update(part) {
    if (part.kind === "plan") this.plan.update(part.item.entries, part.live);
  }
}

class NoticePart {
  element = h("p", { class: "notice" });
  /** @param {Part} part */
  update(part) {
    if (part.kind === "notice") this.element.textContent = inWords(part.item.text, part.item.words);
  }
}
