/**
 * The approval of an MCP client that waits in this panel, above the conversation and every drawer.
 *
 * Owns its place and what a client's card has beside an agent's: who asks, the tab, and how many more wait. The card
 * itself, its guard and its answers are those of an agent's approval.
 * @import { DriverApproval, DriverTab } from "../../protocol.js"
 * @import { DriverAsk } from "../state/drivers.js"
 * @import { ApprovalTools } from "./approval.js"
 */
import { t } from "../../shared/i18n.js";
import { sentence, value } from "../../shared/said.js";
import { Approval } from "./approval.js";
import { h, iconButton } from "./dom.js";
import { wholeSentence, wholeText } from "./whole-text.js";

export class DriverAsks {
  #id = "";
  /** @type {Approval | null} */ #card = null;
  #more = h("p", { class: "clients__more", hidden: true });

  /**
   * @param {HTMLElement} element
   * @param {Omit<ApprovalTools, "unattended"> & { seen: (approvalId: string) => void }} tools
   */
  constructor(element, tools) {
    this.element = element;
    this.tools = tools;
  }

  /** The card that waits for a person, if any. */
  get asking() {
    return this.#card?.asks ? this.#card : null;
  }

  /** @param {{ ask: DriverAsk | null, more: number }} shown */
  update({ ask, more }) {
    this.element.hidden = ask === null;
    if (!ask) {
      this.#id = "";
      this.#card = null;
      return this.element.replaceChildren();
    }
    const { approval } = ask.asked;
    if (this.#id !== approval.approvalId) {
      this.#id = approval.approvalId;
      this.#card = new Approval(ask.asked.from.name, { ...this.tools, unattended: null }, () => factsOf(ask.asked));
      const close = iconButton("cross", t("close"), () => this.tools.seen(approval.approvalId), "icon-button icon-button--small");
      this.element.replaceChildren(h("div", { class: "clients__one" }, this.#card.element, close), this.#more);
    }
    this.#card?.update({ ask: approval, done: ask.done }, ask.open);
    this.element.classList.toggle("clients--closed", !ask.open);
    this.#more.hidden = more === 0;
    this.#more.textContent = t("driverMore", more);
  }
}

/** Returns who asks and in which tab, as rows of the card. @param {DriverApproval} asked */
function factsOf({ from, tab }) {
  const client = [value(from.client)];
  const who = from.label ? sentence("driverNamed", [value(from.label)], client) : sentence("driverClaims", client);
  return [
    h("dt", {}, t("driverFrom")),
    h("dd", {}, h("span", {}, ...wholeSentence(who))),
    h("dt", {}, t("driverTab")),
    h("dd", {}, tab ? linkTo(tab) : t("driverTabElsewhere")),
  ];
}

/** @param {DriverTab} tab */
function linkTo({ chromeTabId, windowId, title }) {
  const show = async () => {
    await chrome.tabs.update(chromeTabId, { active: true });
    await chrome.windows.update(windowId, { focused: true });
  };
  return h(
    "button",
    { class: "link", type: "button", title: t("driverShowTab"), onclick: () => void show() },
    ...wholeText(title || t("noTab")),
  );
}
