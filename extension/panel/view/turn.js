/**
 * One turn of an agent: text, steps, approvals, what went wrong, and the footer that is there from the first frame.
 * @import { Attachment, Decision } from "../../protocol.js"
 * @import { Renderer } from "../markdown/renderer.js"
 * @import { ApprovalItem, Item, NoticeItem, StepItem, TextItem, TurnEntry } from "../state/entries.js"
 * @import { PendingTurn } from "../state/display.js"
 */
import { t } from "../../shared/i18n.js";
import { cost, duration, elapsed } from "../format.js";
import { openApproval } from "../state/entries.js";
import { Approval } from "./approval.js";
import { copyButton, h, icon, iconButton, KeyedList } from "./dom.js";
import { faultCard } from "./fault-card.js";
import { Prose } from "./prose.js";
import { shot } from "./shot.js";
import { Steps } from "./steps.js";

/**
 * @typedef {object} TurnTools  what a turn needs of the panel
 * @property {Renderer} renderer
 * @property {(file: Attachment) => Promise<string>} load
 * @property {(approvalId: string, decision: Decision) => Promise<void>} answer
 * @property {(clientId: string) => void} retry  says the turn's message again
 * @property {(clientId: string) => { label: string, main?: boolean, onclick: () => void }[]} signInRemedies
 * @property {boolean} readOnly
 */

/**
 * @typedef {{ key: string, kind: "steps", items: StepItem[], live: boolean }
 *   | { key: string, kind: "shots", files: Attachment[] }
 *   | { key: string, kind: "text" | "thinking", item: TextItem, ended: boolean }
 *   | { key: string, kind: "approval", item: ApprovalItem, live: boolean }
 *   | { key: string, kind: "notice", item: NoticeItem }
 * } Part
 */

/** The parts of a turn: steps in a row are one, their pictures follow them. @param {TurnEntry} turn @returns {Part[]} */
export function partsOf({ items, done }) {
  /** @type {Part[]} */
  const parts = [];
  const live = !done;
  const lastText = items.findLastIndex(({ kind }) => kind === "text" || kind === "thinking");
  for (let index = 0; index < items.length;) {
    const item = /** @type {Item} */ (items[index]);
    if (item.kind === "step") {
      const end = items.findIndex((each, at) => at > index && each.kind !== "step");
      const run = /** @type {StepItem[]} */ (items.slice(index, end === -1 ? undefined : end));
      parts.push({ key: `steps:${item.seq}`, kind: "steps", items: run, live });
      const files = run.flatMap(({ done: ended }) => ended?.images ?? []);
      if (files.length > 0) parts.push({ key: `shots:${item.seq}:${files.length}`, kind: "shots", files });
      index += run.length;
      continue;
    }
    const key = `${item.kind}:${item.seq}`;
    if (item.kind === "approval") parts.push({ key, kind: "approval", item, live });
    else if (item.kind === "notice") parts.push({ key, kind: "notice", item });
    // Text can only grow while it is the newest one of a running turn.
    else parts.push({ key, kind: item.kind, item, ended: !live || index !== lastText || items.at(-1)?.kind === "approval" });
    index += 1;
  }
  return parts;
}

export class Turn {
  /** @type {TurnEntry | null} */ #turn = null;
  #began = Date.now();
  #footerOf = "";

  /** @param {TurnTools} tools */
  constructor(tools) {
    this.tools = tools;
    this.dots = h("span", { class: "thinking", role: "img", "aria-label": t("thinking") }, h("i", {}), h("i", {}), h("i", {}));
    this.trouble = h("div", { hidden: true });
    this.facts = h("span", { class: "turn-footer__facts" });
    this.footer = h("div", { class: "turn-footer" }, this.facts);
    this.element = h("div", { class: "turn" }, this.dots, this.trouble, this.footer);
    /** @type {KeyedList<Part>} */
    this.parts = new KeyedList(this.element, (part) => this.#part(part), this.dots);
  }

  /** @param {TurnEntry | PendingTurn} entry */
  update(entry) {
    if (entry.kind === "turn") {
      this.#turn = entry;
      this.parts.update(partsOf(entry));
      const last = entry.items.at(-1);
      // Dots whenever nothing else moves: before the first word and between a step's end and the next.
      this.dots.hidden = entry.done !== null || (last !== undefined && !(last.kind === "step" && last.done));
      this.#drawTrouble(entry);
    }
    this.tick(Date.now());
  }

  /** The newest card that waits for a person. @returns {Approval | null} */
  get asking() {
    const item = openApproval(this.#turn);
    const view = item && this.parts.get(`approval:${item.seq}`);
    return view instanceof ApprovalPart && view.approval.asks ? view.approval : null;
  }

  /** The clock moved. @param {number} now */
  tick(now) {
    this.#drawFooter(now);
    for (const view of this.parts.views) if (view instanceof StepsPart) view.steps.tick(now);
  }

  /** All that the agent said, as Markdown. */
  get answer() {
    return (this.#turn?.items ?? []).flatMap((item) => (item.kind === "text" ? [item.text] : [])).join("\n\n");
  }

  /** @param {Part} part */
  #part(part) {
    switch (part.kind) {
      case "steps":
        return new StepsPart();
      case "shots":
        return new ShotsPart(this.tools.load);
      case "approval":
        return new ApprovalPart(this.#turn?.agentLabel ?? "", this.tools.answer);
      case "thinking":
        return new ThinkingPart(this.tools.renderer);
      case "text":
        return new TextPart(this.tools.renderer);
      case "notice":
        return new NoticePart();
    }
  }

  /** @param {TurnEntry} turn */
  #drawTrouble({ done, clientId }) {
    const fault = done?.fault ?? (done?.outcome === "interrupted" ? { code: /** @type {const} */ ("daemon-down"), message: t("interrupted"), hint: t("interruptedHint") } : null);
    const show = done !== null && fault !== null && (done.outcome === "failed" || done.outcome === "interrupted");
    if (this.trouble.hidden === !show) return;
    this.trouble.hidden = !show;
    if (!show || !fault) return this.trouble.replaceChildren();
    const remedies = this.tools.readOnly ? [] : fault.code === "agent-signed-out"
      ? this.tools.signInRemedies(clientId)
      : [{ label: t("retry"), onclick: () => this.tools.retry(clientId) }];
    this.trouble.replaceChildren(faultCard(fault, remedies));
  }

  /** @param {number} now */
  #drawFooter(now) {
    const turn = this.#turn;
    const facts = turn ? factsOf(turn, now) : [t("working", elapsed(now - this.#began))];
    const state = turn?.done ? "done" : "live";
    const spelled = [state, ...facts].join("\n");
    if (this.#footerOf === spelled) return;
    const stateChanged = !this.#footerOf.startsWith(state);
    this.#footerOf = spelled;
    this.facts.replaceChildren(...facts.map((fact) => h("span", {}, fact)));
    if (!stateChanged) return;
    const clientId = turn?.clientId ?? "";
    this.footer.replaceChildren(...(state === "live" ? [h("i", { class: "live-dot", "aria-hidden": "true" }), this.facts] : [
      this.facts,
      ...(this.answer ? [copyButton(t("copyAnswer"), () => this.answer)] : []),
      // A fault's card has its own.
      ...(this.tools.readOnly || !this.trouble.hidden ? [] : [iconButton("retry", t("retry"), () => this.tools.retry(clientId), "icon-button icon-button--small")]),
    ]));
  }
}

/** @param {TurnEntry} turn @param {number} now */
function factsOf({ done, items, startedAt, agentLabel, model }, now) {
  const agent = agentLabel.toLowerCase();
  if (!done) {
    const asked = items.findLast((item) => item.kind === "approval");
    const waits = asked?.kind === "approval" && !asked.done;
    const first = waits ? t("waitingForYou", elapsed(now - asked.at)) : t("working", elapsed(now - startedAt));
    return [first, agent, ...(model ? [model] : [])];
  }
  const took = duration(done.durationMs);
  const outcome = done.outcome === "done" ? [] : [t(`outcome_${done.outcome}`)];
  return [...outcome, agent, ...(model ? [model] : []), took, ...(done.costUsd == null ? [] : [cost(done.costUsd)])];
}

class StepsPart {
  steps = new Steps();
  element = this.steps.element;
  /** @param {Part} part */
  update(part) {
    if (part.kind === "steps") this.steps.update(part.items, part.live);
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
    if (part.kind === "shots" && this.element.childElementCount === 0) this.element.append(...part.files.map((file) => shot(file, this.load)));
  }
}

class TextPart {
  /** @param {Renderer} renderer */
  constructor(renderer) {
    this.prose = new Prose(renderer);
    this.element = this.prose.element;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "text") this.prose.update(part.item.text, part.ended);
  }
}

class ThinkingPart {
  /** @param {Renderer} renderer */
  constructor(renderer) {
    this.prose = new Prose(renderer);
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
  /** @param {string} agentLabel @param {(approvalId: string, decision: Decision) => Promise<void>} answer */
  constructor(agentLabel, answer) {
    this.approval = new Approval(agentLabel, answer);
    this.element = this.approval.element;
  }
  /** @param {Part} part */
  update(part) {
    if (part.kind === "approval") this.approval.update(part.item, part.live);
  }
}

class NoticePart {
  element = h("p", { class: "notice" });
  /** @param {Part} part */
  update(part) {
    if (part.kind === "notice") this.element.textContent = part.item.text;
  }
}
