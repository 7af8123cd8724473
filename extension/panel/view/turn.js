/**
 * One turn of an agent: its parts in order, its fault, and the footer, which is there from the first frame.
 * @import { Fault } from "../../protocol.js"
 * @import { TurnEntry } from "../state/entries.js"
 * @import { PendingTurn } from "../state/display.js"
 * @import { Part } from "../state/turn-parts.js"
 * @import { ApprovalTools } from "./approval.js"
 * @import { PartTools } from "./parts.js"
 */
import { t } from "../../shared/i18n.js";
import { elapsed } from "../format.js";
import { openAsk } from "../state/entries.js";
import { partsOf } from "../state/turn-parts.js";
import { factsOf, usageWords } from "./facts.js";
import { copyButton, h, iconButton, KeyedList, setText } from "./dom.js";
import { faultCard } from "./fault-card.js";
import { askOf, StepsPart, viewOf } from "./parts.js";
import { SAID } from "../../shared/fault-words.js";

/**
 * @typedef {object} OwnTools
 * @property {(clientId: string) => void} retry  sends the turn's message again
 * @property {(clientId: string, fault: Fault) => { label: string, main?: boolean, onclick: () => void }[]} remedies
 * returns the buttons for a fault of the agent's
 * @property {() => void} showSettings
 * @property {boolean} readOnly
 *
 * @typedef {PartTools & ApprovalTools & OwnTools} TurnTools  the panel's services for a turn
 */

export class Turn {
  /** @type {TurnEntry | null} */ #turn = null;
  #began = Date.now();
  #footerOf = "";
  /** @type {Part[]} */ #parts = [];

  /** @param {TurnTools} tools */
  constructor(tools) {
    this.tools = tools;
    this.dots = h("span", { class: "thinking", role: "img", "aria-label": t("thinking") }, h("i", {}), h("i", {}), h("i", {}));
    this.slot = h(
      "p",
      { class: "notice notice--slot", hidden: true },
      t("waitsForSlot"),
      " ",
      h("button", { class: "link", type: "button", onclick: () => this.tools.showSettings() }, t("changeLimit")),
    );
    this.trouble = h("div", { hidden: true });
    this.facts = h("span", { class: "turn-footer__facts" });
    this.footer = h("div", { class: "turn-footer" }, this.facts);
    this.speaker = h("h2", { class: "visually-hidden" });
    this.element = h("div", { class: "turn" }, this.speaker, this.dots, this.slot, this.trouble, this.footer);
    /** @type {KeyedList<Part>} */
    this.parts = new KeyedList(this.element, (part) => viewOf(part, this.#turn?.agentLabel ?? "", this.tools), this.dots);
  }

  /** @param {TurnEntry | PendingTurn} entry */
  update(entry) {
    if (entry.kind === "turn") {
      this.#turn = entry;
      setText(this.speaker, entry.agentLabel);
      this.#parts = partsOf(entry, this.#parts);
      this.parts.update(this.#parts);
      // The dots are visible whenever nothing else moves: before the first word, and between a step's end and the next
      // step.
      this.dots.hidden = entry.done !== null || moves(entry);
      this.#drawTrouble(entry);
    }
    this.tick(Date.now());
  }

  /** The newest card that waits for a person. */
  get asking() {
    const part = this.#parts.findLast(
      (each) => each.kind === "approvals" || ((each.kind === "approval" || each.kind === "question") && each.live && !each.item.done),
    );
    const ask = part ? askOf(this.parts.get(part.key)) : null;
    return ask?.asks ? ask : null;
  }

  /** Shows that all agents are busy and that this turn starts when one is free. @param {boolean} waits */
  waitForSlot(waits) {
    if (this.slot.hidden === !waits) return;
    this.slot.hidden = !waits;
    this.#drawFooter(Date.now());
  }

  /** Updates the running time. @param {number} now */
  tick(now) {
    this.#drawFooter(now);
    for (const view of this.parts.views) if (view instanceof StepsPart) view.steps.tick(now);
  }

  /** The agent's whole text, as Markdown. */
  get answer() {
    return (this.#turn?.items ?? []).flatMap((item) => (item.kind === "text" ? [item.text] : [])).join("\n\n");
  }

  /**
   * Whether one click may send its message again. Not if it ran commands of the person's and stopped halfway: the first of them
   * would be done twice.
   */
  get #mayRepeat() {
    const { direct = false, done = null, items = [] } = this.#turn ?? {};
    const isHalfDone = direct && done?.outcome !== "done" && items.filter(({ kind }) => kind === "step").length > 1;
    return !this.tools.readOnly && !isHalfDone;
  }

  /** Draws the buttons again, after `readOnly` has changed. */
  redraw() {
    this.#footerOf = "";
    if (!this.#turn) return;
    this.trouble.hidden = true;
    this.#drawTrouble(this.#turn);
    this.#drawFooter(Date.now());
  }

  /** @param {TurnEntry} turn */
  #drawTrouble({ done, clientId }) {
    const fault =
      done?.fault ??
      (done?.outcome === "interrupted"
        ? { code: /** @type {const} */ ("daemon-down"), message: t("interrupted"), words: SAID, hint: t("interruptedHint") }
        : null);
    const show = done !== null && fault !== null && (done.outcome === "failed" || done.outcome === "interrupted");
    if (this.trouble.hidden === !show) return;
    this.trouble.hidden = !show;
    if (!show || !fault) return this.trouble.replaceChildren();
    const remedies = this.#mayRepeat ? this.tools.remedies(clientId, fault) : [];
    this.trouble.replaceChildren(faultCard(fault, remedies));
  }

  /** @param {number} now */
  #drawFooter(now) {
    const turn = this.#turn;
    const waits = !this.slot.hidden;
    const facts = turn
      ? factsOf(turn, now, waits)
      : [waits ? t("waitingForSlot", elapsed(now - this.#began)) : t("working", elapsed(now - this.#began))];
    const state = turn?.done ? "done" : "live";
    const spelled = [state, ...facts].join("\n");
    if (this.#footerOf === spelled) return;
    const stateChanged = !this.#footerOf.startsWith(state);
    this.#footerOf = spelled;
    this.facts.replaceChildren(...facts.map((fact) => h("span", {}, h("bdi", {}, fact))));
    const usage = turn?.done?.usage;
    if (usage) this.facts.title = usageWords(usage);
    if (!stateChanged) return;
    const clientId = turn?.clientId ?? "";
    this.footer.replaceChildren(
      ...(state === "live"
        ? [h("i", { class: "live-dot", "aria-hidden": "true" }), this.facts]
        : [
            this.facts,
            ...(this.answer ? [copyButton(t("copyAnswer"), () => this.answer)] : []),
            // A fault's card has its own button.
            ...(!this.#mayRepeat || !this.trouble.hidden
              ? []
              : [iconButton("retry", t("retry"), () => this.tools.retry(clientId), "icon-button icon-button--small")]),
          ]),
    );
  }
}

/** Returns whether the newest part itself shows that the turn is in progress. @param {TurnEntry} turn */
function moves(turn) {
  const last = turn.items.at(-1);
  if (!last || openAsk(turn)) return last !== undefined;
  return last.kind === "text" || last.kind === "thinking" || (last.kind === "step" && !last.done);
}
