/**
 * Screen reader announcements: that a turn ended, and that an agent or an MCP client waits for a person. Never the stream itself.
 * @import { Conversation } from "./state/conversation.js"
 * @import { DriverAsk } from "./state/drivers.js"
 */
import { t } from "../shared/i18n.js";
import { askWords } from "../shared/said.js";
import { openAsk, runningTurn } from "./state/entries.js";

export class Announcer {
  /** @type {string | null} */ #running = null;
  #asked = "";
  #driverAsked = "";

  /** @param {HTMLElement} element  a polite live region */
  constructor(element) {
    this.element = element;
  }

  /** Announces the approval of an MCP client that the panel shows. @param {DriverAsk | null} ask */
  watchDrivers(ask) {
    const id = ask?.open ? ask.asked.approval.approvalId : "";
    if (id === this.#driverAsked) return;
    this.#driverAsked = id;
    if (ask && id) this.element.textContent = `${t("driverAsksTo", ask.asked.from.name)} ${askWords(ask.asked.approval)}`;
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
