/**
 * Which agent a conversation talks to, and what is missing on those that can't be chosen.
 * @import { AgentInfo, ConversationInfo } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { h, icon, setText } from "./dom.js";
import { Menu } from "./menu.js";

export class AgentMenu {
  /** @type {AgentInfo[]} */ #agents = [];
  /** @type {ConversationInfo | null} */ #info = null;

  /**
   * @param {HTMLElement} list
   * @param {object} actions
   * @param {(agent: string | null) => void} actions.choose
   * @param {() => void} actions.refresh
   */
  constructor(list, { choose, refresh }) {
    this.choose = choose;
    this.refresh = refresh;
    this.name = h("span", { class: "truncate" });
    this.button = h("button", { class: "agent-button", type: "button", "aria-haspopup": "menu", "aria-label": t("agent") }, this.name, icon("chevron-down"));
    this.list = list;
    this.menu = new Menu(this.button, list, () => this.#draw());
  }

  /** @param {AgentInfo[] | null} agents @param {ConversationInfo | null} info @param {string} instead  shown while there is no agent to show */
  update(agents, info, instead) {
    const changed = this.#agents !== agents || this.#info !== info;
    this.#agents = agents ?? [];
    this.#info = info;
    const chosen = this.#chosen;
    setText(this.name, chosen && !instead ? chosen.label.toLowerCase() : instead);
    this.button.hidden = this.name.textContent === "";
    this.button.disabled = !info || instead !== "" || this.#agents.length === 0;
    this.button.setAttribute("aria-label", `${t("agent")}: ${this.name.textContent}`);
    if (changed && this.menu.isOpen) this.#draw();
  }

  /** @returns {AgentInfo | undefined} */
  get #chosen() {
    return this.#agents.find(({ name }) => name === this.#info?.agent) ?? this.#agents.find((agent) => agent.default);
  }

  #draw() {
    const chosen = this.#chosen;
    const missing = this.#agents.filter(({ status }) => status === "missing");
    this.list.replaceChildren(
      h("div", { class: "menu__group" }, t("agents")),
      ...this.#agents.filter(({ status }) => status !== "missing").map((agent) => this.#item(agent, agent === chosen)),
      ...(missing.length > 0 ? [h("div", { class: "menu__divider" }), h("div", { class: "menu__group" }, t("notInstalled")), ...missing.map((agent) => this.#item(agent, false))] : []),
      h("div", { class: "menu__divider" }),
      h("button", { class: "menu__item", type: "button", role: "menuitem", onclick: () => this.refresh() }, icon("retry"), h("span", {}, t("lookAgain"))),
      ...(this.#info?.folder ? [h("div", { class: "menu__hint" }, h("span", { class: "truncate", title: this.#info.folder }, t("worksIn", this.#info.folder)))] : []));
  }

  /** @param {AgentInfo} agent @param {boolean} checked */
  #item({ name, label, status, version, fault, hasModel }, checked) {
    const about = version ?? (hasModel ? "" : t("noModel"));
    const ready = status === "ready";
    return h("button", {
      class: "menu__item", type: "button", role: "menuitemradio", "aria-checked": String(checked), disabled: !ready, title: fault ? [fault.message, fault.hint, fault.command].filter(Boolean).join("\n") : null,
      onclick: () => { this.menu.close(); this.choose(name); },
    }, checked ? icon("check") : h("span", { class: "menu__blank" }), h("span", {}, label), h("span", { class: "data dim grow truncate" }, about),
    !ready && h("span", { class: status === "missing" ? "data dim" : "data is-bad" }, t(`agent_${status.replaceAll("-", "_")}`)));
  }
}
