/**
 * The panel before the first message: what it can do, and suggestions for the page.
 * @import { AgentInfo, EarlierConversation } from "../../protocol.js"
 * @import { TabView } from "../state/panel-state.js"
 * @import { Suggestion } from "../suggestions.js"
 */
import { t } from "../../shared/i18n.js";
import { date, siteOf } from "../format.js";
import { pageFacts, suggest, suggestPlain } from "../suggestions.js";
import { commandLine, h, icon } from "./dom.js";

/**
 * @typedef {object} EmptyActions
 * @property {() => void} arrive  called when the pointer is over the suggestions
 * @property {(text: string) => void} say
 * @property {() => Promise<void>} lookAgain
 * @property {() => void} otherAgents  shows all agents and how to install them
 * @property {(earlier: EarlierConversation) => void} goOn  continues an earlier conversation about this page
 */

export class Empty {
  #drawn = "";
  #about = "";

  /** @param {HTMLElement} element @param {EmptyActions} actions */
  constructor(element, actions) {
    this.element = element;
    this.actions = actions;
    this.list = h("div", { class: "suggestions" });
    this.list.addEventListener("pointerenter", () => this.actions.arrive());
  }

  /**
   * @param {TabView | null} tab
   * @param {AgentInfo[] | null} agents
   * @param {boolean} plain  whether only the built-in commands are available
   * @param {EarlierConversation | null} earlier
   */
  update(tab, agents, plain, earlier) {
    const install = (plain && agents?.find(({ status, hasModel, fault }) => hasModel && status === "missing" && fault?.command)) || null;
    const drawn = JSON.stringify([plain, install?.name, earlier]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      this.element.replaceChildren(
        ...(plain ? this.#plain(install) : this.#usual()),
        ...(earlier ? [this.#earlier(earlier)] : []),
        this.list,
      );
    }
    const about = JSON.stringify([tab?.chromeTabId, tab?.url, plain]);
    if (about === this.#about) return;
    this.#about = about;
    if (tab) void this.#fromPage(tab, about, plain);
  }

  #usual() {
    return [
      h(
        "div",
        {},
        icon("mark", "empty__mark"),
        h("h2", { class: "empty__title" }, t("emptyTitle")),
        h("ul", { class: "empty__can" }, h("li", {}, t("canRead")), h("li", {}, t("canAct")), h("li", {}, t("canAsk"))),
      ),
    ];
  }

  /** @param {EarlierConversation} earlier */
  #earlier(earlier) {
    const day = date(earlier.updatedAt, { day: "numeric", month: "short" });
    return h(
      "button",
      { class: "earlier", type: "button", onclick: () => this.actions.goOn(earlier) },
      icon("history"),
      h(
        "span",
        { class: "menu__two" },
        h("span", { class: "truncate" }, t("goOnWith", earlier.title || t("untitled"))),
        h("span", { class: "data dim" }, day),
      ),
      icon("chevron-right"),
    );
  }

  /** @param {AgentInfo | null} install */
  #plain(install) {
    const command = install?.fault?.command;
    return [
      h(
        "div",
        {},
        icon("mark", "empty__mark"),
        h("h2", { class: "empty__title" }, t("noAgentTitle")),
        h("p", { class: "quiet" }, t("noAgentText")),
      ),
      h(
        "div",
        { class: "stack" },
        ...(install && command ? [h("span", { class: "label" }, t("installAgent", install.label)), commandLine(command)] : []),
        h(
          "div",
          { class: "row" },
          h("button", { class: "button", type: "button", onclick: () => this.actions.otherAgents() }, t("otherAgents")),
          this.#checkAgain(),
        ),
      ),
    ];
  }

  /** Looks for agents again; the button is disabled until that is done. */
  #checkAgain() {
    const button = /** @type {HTMLButtonElement} */ (
      h(
        "button",
        {
          class: "button button--quiet",
          type: "button",
          onclick: async () => {
            button.disabled = true;
            await this.actions.lookAgain().finally(() => {
              button.disabled = false;
            });
          },
        },
        icon("retry"),
        t("checkAgain"),
      )
    );
    return button;
  }

  /**
   * Draws the suggestions. The list reserves its space from the first frame, so that nothing moves when they arrive.
   * @param {TabView} tab
   * @param {string} about
   * @param {boolean} plain
   */
  async #fromPage(tab, about, plain) {
    this.list.replaceChildren();
    const facts = await pageFacts(tab.chromeTabId);
    if (about !== this.#about) return;
    const suggestions = plain ? suggestPlain(facts) : suggest(facts);
    if (suggestions.length > 0) this.#suggest(suggestions, plain ? t("worksNow") : t("fromThisPage"), siteOf(tab.url));
    else if (!facts) this.list.replaceChildren(h("p", { class: "suggestions__none" }, t("pageClosed")));
  }

  /** @param {Suggestion[]} suggestions @param {string} title @param {string} about */
  #suggest(suggestions, title, about) {
    this.list.replaceChildren(
      h("div", { class: "suggestions__head" }, h("span", {}, title), h("span", { class: "truncate" }, about)),
      ...suggestions.map(({ icon: name, say, sends, evidence: [evidence, value] }) =>
        h(
          "button",
          { class: "suggestion", type: "button", onclick: () => this.actions.say(sends ?? t(say)) },
          icon(name),
          h("span", { class: "truncate" }, t(say)),
          evidence && h("span", { class: "data" }, t(evidence, value ?? "")),
        ),
      ),
    );
  }
}
