/**
 * The page that the conversation is about, and the other tabs that have one.
 * @import { TabWithConversation } from "../../protocol.js"
 * @import { TabView } from "../state/panel-state.js"
 */
import { t } from "../../shared/i18n.js";
import { hostOf } from "../format.js";
import { favicon, h, icon, setText } from "./dom.js";
import { Menu } from "./menu.js";

export class TabBar {
  /** @type {TabView | null} */ #tab = null;
  /** @type {TabWithConversation[]} */ #tabs = [];
  #iconOf = "";

  /** @param {HTMLElement} element */
  constructor(element) {
    this.icon = h("span", { class: "tabchip__icon" });
    this.title = h("span", { class: "tabchip__title truncate" });
    this.host = h("span", { class: "tabchip__host truncate" });
    this.others = h("span", { class: "tabchip__others" });
    this.chip = h("button", { class: "tabchip", type: "button", "aria-haspopup": "menu" }, this.icon, this.title, this.host, this.others);
    const list = h("div", { class: "menu menu--tabs", role: "menu", "aria-label": t("tabsMenu") });
    this.menu = new Menu(this.chip, list, () => this.#drawMenu(list));
    element.append(this.chip, list);
  }

  /** @param {TabView | null} tab @param {TabWithConversation[]} tabs */
  update(tab, tabs) {
    if (tab === this.#tab && tabs === this.#tabs) return;
    this.#tab = tab;
    this.#tabs = tabs;
    setText(this.title, tab?.title || t("noTab"));
    setText(this.host, tab ? hostOf(tab.url) : "");
    this.chip.title = tab?.url ?? "";
    if (tab && this.#iconOf !== tab.url) {
      this.#iconOf = tab.url;
      this.icon.replaceChildren(favicon(tab.url));
    }
    const others = this.#others;
    const running = others.filter((each) => each.running).length;
    this.others.replaceChildren(
      ...(running > 0 ? [h("i", { class: "live-dot", "aria-hidden": "true" }), h("span", { "aria-label": t("runningElsewhere", running) }, running)] : []),
      ...(others.length > 0 ? [icon("chevron-down")] : []));
    this.chip.disabled = others.length === 0;
    if (this.menu.isOpen && this.chip.disabled) this.menu.close();
  }

  get #others() {
    return this.#tabs.filter(({ chromeTabId }) => chromeTabId !== this.#tab?.chromeTabId);
  }

  /** @param {HTMLElement} list */
  #drawMenu(list) {
    const mine = this.#tab;
    list.replaceChildren(
      ...(mine ? [this.#item({ ...mine, current: true, end: t("thisTab") })] : []),
      ...this.#others.map((tab) => this.#item({ ...tab, current: false, end: tab.running ? t("running") : "", go: () => void this.#go(tab) })));
  }

  /** @param {{ title: string, url: string, current: boolean, end: string, running?: boolean, go?: () => void }} tab */
  #item({ title, url, current, end, running, go }) {
    return h("button", { class: "menu__item", type: "button", role: "menuitem", "aria-current": current ? "true" : null, onclick: () => { this.menu.close(); go?.(); } },
      favicon(url),
      h("span", { class: "menu__two" }, h("span", { class: "truncate" }, title || url), h("span", { class: "data dim truncate" }, hostOf(url))),
      h("span", { class: "data dim menu__end" }, running && h("i", { class: "live-dot", "aria-hidden": "true" }), end));
  }

  /** @param {TabWithConversation} tab */
  async #go({ chromeTabId, windowId }) {
    await chrome.tabs.update(chromeTabId, { active: true });
    await chrome.windows.update(windowId, { focused: true });
  }
}
