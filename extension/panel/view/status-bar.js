/**
 * The status bar: the connection's state, the conversation's cost, and buttons for new chat, history, settings and
 * debug.
 * @import { ConnectionState } from "../../shared/wire.js"
 * @import { Drawer } from "../drawers.js"
 * @import { Trouble } from "../state/trouble.js"
 */
import { worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { cost } from "../format.js";
import { isUnconfirmed, partOf } from "../state/trouble.js";
import { h, iconButton, setAttribute, setText } from "./dom.js";
import { partName } from "./trouble.js";

export class StatusBar {
  /**
   * @param {HTMLElement} element
   * @param {{ clear: () => void, toggle: (drawer: Drawer) => void, showConnection: () => void }} actions
   */
  constructor(element, { clear, toggle, showConnection }) {
    this.dot = h("i", { class: "dot" });
    this.words = h("span", { class: "connection__text" });
    this.tooltip = h("span", { class: "tooltip" });
    this.button = h("button", { class: "connection", type: "button", onclick: showConnection }, this.dot, this.words, this.tooltip);
    this.newChat = iconButton("new", t("newChat"), clear);
    this.history = iconButton("history", t("history"), () => toggle("history"));
    this.settings = iconButton("settings", t("settings"), () => toggle("settings"));
    this.debug = iconButton("debug", t("debug"), () => toggle("debug"));
    this.cost = h("span", { class: "statusbar__cost data", title: t("conversationCost") });
    element.append(this.button, h("span", { class: "grow" }), this.cost, this.newChat, this.history, this.settings, this.debug);
  }

  /**
   * @param {object} state
   * @param {ConnectionState} state.connection
   * @param {Trouble | null} state.trouble
   * @param {string} state.agentTrouble  why the chosen agent cannot work; empty if it can
   * @param {Drawer | null} state.drawer
   * @param {number} state.costUsd  of the whole conversation; 0 if no agent reports it
   * @param {boolean} state.canClear
   */
  update({ connection, trouble, agentTrouble, drawer, costUsd, canClear }) {
    const connected = connection.status === "connected";
    const { version } = chrome.runtime.getManifest();
    this.dot.className = connected && !agentTrouble ? "dot" : trouble && !trouble.trying ? "dot dot--off" : "dot dot--wait";
    setText(this.words, trouble ? troubleWords(trouble) : connected ? agentTrouble || t("connected") : t("connecting"));
    setText(
      this.tooltip,
      connection.welcome
        ? t("versions", version, connection.welcome.version, connection.welcome.pid)
        : connection.fault
          ? worded(connection.fault).message
          : t("connecting"),
    );
    this.button.setAttribute("aria-label", `${t("connection")}: ${this.words.textContent}`);
    this.newChat.disabled = !connected || !canClear;
    this.history.disabled = !connected;
    setText(this.cost, costUsd > 0 ? cost(costUsd) : "");
    setAttribute(this.settings, "aria-pressed", String(drawer === "settings"));
    setAttribute(this.history, "aria-pressed", String(drawer === "history"));
    setAttribute(this.debug, "aria-pressed", String(drawer === "debug"));
  }
}

/** @param {Trouble} trouble */
function troubleWords(trouble) {
  if (isUnconfirmed(trouble)) return t("panelUnconfirmed");
  return t("partState", partName(partOf(trouble.hop)), trouble.trying ? t("reconnectingShort") : t("down"));
}
