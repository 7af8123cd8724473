/**
 * Screen reader announcements: that a turn ended, and that the agent waits for a person. Never the stream itself.
 * @import { Conversation } from "./state/conversation.js"
 */
import { t } from "../shared/i18n.js";
import { askWords } from "../shared/said.js";
import { openAsk, runningTurn } from "./state/entries.js";

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
    const ended =
      this.#running !== null &&
      this.#running !== turn?.turnId &&
      conversation?.view.entries.findLast((entry) => entry.kind === "turn" && entry.turnId === this.#running);
    if (ended && ended.kind === "turn" && ended.done) this.element.textContent = t(`ended_${ended.done.outcome}`, ended.agentLabel);
    this.#running = turn?.turnId ?? null;
    const asks = openAsk(turn);
    const id = asks ? (asks.kind === "approval" ? asks.ask.approvalId : asks.ask.questionId) : "";
    if (turn && asks && id !== this.#asked) {
      this.#asked = id;
      this.element.textContent =
        asks.kind === "approval"
          ? `${t("asksTo", turn.agentLabel)} ${askWords(asks.ask)}`
          : `${t("asksYouAbout", turn.agentLabel)} ${asks.ask.parts.map(({ text }) => text).join(" ")}`;
    }
  }
}
