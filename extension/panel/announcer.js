/**
 * What a screen reader is told: that a turn ended, and that somebody is asked. Never the stream itself.
 * @import { Conversation } from "./state/conversation.js"
 */
import { t } from "../shared/i18n.js";
import { openApproval, runningTurn } from "./state/entries.js";

export class Announcer {
  /** @type {string | null} */ #running = null;
  #asked = "";

  /** @param {HTMLElement} element  a polite live region */
  constructor(element) {
    this.element = element;
  }

  /** @param {Conversation | null} conversation */
  watch(conversation) {
    const turn = conversation && runningTurn(conversation.view);
    const ended = this.#running !== null && this.#running !== turn?.turnId
      && conversation?.view.entries.findLast((entry) => entry.kind === "turn" && entry.turnId === this.#running);
    if (ended && ended.kind === "turn" && ended.done) this.element.textContent = t(`ended_${ended.done.outcome}`, ended.agentLabel);
    this.#running = turn?.turnId ?? null;
    const approval = openApproval(turn);
    if (turn && approval && approval.ask.approvalId !== this.#asked) {
      this.#asked = approval.ask.approvalId;
      this.element.textContent = `${t("asksTo", turn.agentLabel)} ${approval.ask.ask}`;
    }
  }
}
