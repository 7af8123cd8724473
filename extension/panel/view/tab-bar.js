/**
 * The page that the conversation is about, and a menu with the other tabs that have a conversation and the tabs that
 * the agent may use, and the clients to which the person can give the page's tab.
 * @import { AllowedTab, TabWithConversation } from "../../protocol.js"
 * @import { DriversHeld } from "../state/drivers.js"
 * @import { TabView } from "../state/panel-state.js"
 */
import { quoted, t } from "../../shared/i18n.js";
import { addressOf, hostOf, siteOf } from "../format.js";
import { favicon, h, icon, iconButton, setText } from "./dom.js";
import { Menu } from "./menu.js";
import { NO_DRIVERS } from "../state/drivers.js";
import { wholeText } from "./whole-text.js";

/**
 * @typedef {object} TabActions
 * @property {(chromeTabId: number, allowed: boolean) => Promise<void>} allow  lets the agent use a tab, or revokes it
 * @property {(driverId: string) => void} give  gives the page's tab to a client
 * @property {() => void} stopAll
 * @property {() => Promise<Map<string, string>>} titles  returns the titles of conversations by their ids
 */

/** @type {AllowedTab[]} */
const NONE = [];

export class TabBar {
  /** @type {TabView | null} */ #tab = null;
  /** @type {TabWithConversation[]} */ #tabs = [];
  /** @type {AllowedTab[]} */ #allowed = NONE;
  /** @type {DriversHeld} */ #drivers = NO_DRIVERS;
  /** @type {chrome.tabs.Tab[] | null} this browser's, while one is being chosen for the agent */ #offered = null;
  /** The titles of the tabs' conversations. @type {Map<string, string>} */ #titles = new Map();
  #iconOf = "";

  /** @param {HTMLElement} element @param {TabActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.icon = h("span", { class: "tabchip__icon" });
    this.title = h("span", { class: "tabchip__title truncate" });
    this.host = h("span", { class: "tabchip__host truncate" });
    this.others = h("span", { class: "tabchip__others" });
    this.chip = h("button", { class: "tabchip", type: "button", "aria-haspopup": "dialog" }, this.icon, this.title, this.host, this.others);
    this.list = h("div", { class: "menu menu--tabs", role: "dialog", "aria-label": t("tabsMenu") });
    this.menu = new Menu(this.chip, this.list, () => {
      this.#offered = null;
      this.#drawMenu();
      void this.#name();
    });
    element.append(this.chip, this.list);
    // A tab that is being opened has no URL yet.
    for (const event of [chrome.tabs.onUpdated, chrome.tabs.onRemoved])
      event.addListener(() => {
        if (this.#offered) void this.#offer();
      });
  }

  /**
   * @param {TabView | null} tab
   * @param {TabWithConversation[]} tabs
   * @param {AllowedTab[] | undefined} allowed  the tabs that the agent may use, its own first
   * @param {DriversHeld} drivers
   */
  update(tab, tabs, allowed = NONE, drivers = NO_DRIVERS) {
    if (tab === this.#tab && tabs === this.#tabs && allowed === this.#allowed && drivers === this.#drivers) return;
    this.#drivers = drivers;
    this.#tab = tab;
    this.#tabs = tabs;
    this.#allowed = allowed;
    setText(this.title, tab?.title || t("noTab"));
    setText(this.host, tab ? siteOf(tab.url) : "");
    this.chip.title = tab?.url ?? "";
    if (tab && this.#iconOf !== tab.url) {
      this.#iconOf = tab.url;
      this.icon.replaceChildren(favicon(tab.url));
    }
    const running = this.#others.filter((each) => each.running).length;
    this.others.replaceChildren(
      ...(running > 0
        ? [h("i", { class: "live-dot", "aria-hidden": "true" }), h("span", { "aria-label": t("runningElsewhere", running) }, running)]
        : []),
      ...(allowed.length > 1 ? [icon("tab"), h("span", { title: t("agentTabs") }, allowed.length)] : []),
      ...(tab ? [icon("chevron-down")] : []),
    );
    this.chip.disabled = tab === null;
    if (this.menu.isOpen) this.#redraw();
  }

  /** Reads what the tabs' conversations are called. */
  async #name() {
    try {
      this.#titles = await this.actions.titles();
    } catch {
      return; // the tabs are listed without them
    }
    if (this.menu.isOpen) this.#redraw();
  }

  get #others() {
    return this.#tabs.filter(({ chromeTabId }) => chromeTabId !== this.#tab?.chromeTabId);
  }

  /**
   * Returns the second line of a tab: its host, its whole address if another tab looks the same, and its conversation.
   * @param {{ title: string, url: string }} tab
   * @param {readonly { title?: string, url?: string }[]} among
   * @param {string} [conversationId]
   */
  #about({ title, url }, among, conversationId = "") {
    const twins = among.filter((one) => one.title === title && hostOf(one.url ?? "") === hostOf(url));
    const address = twins.length > 1 ? addressOf(url) : hostOf(url);
    const called = this.#titles.get(conversationId);
    return called ? `${address} · ${quoted(called)}` : address;
  }

  /** Redraws the open menu and keeps the focus on the same line, or in the menu. */
  #redraw() {
    const held = this.list.contains(document.activeElement) ? (document.activeElement?.getAttribute("data-line") ?? "") : null;
    this.#drawMenu();
    if (held === null) return;
    // The focused line was removed: the first of the new lines replaces "Add a tab".
    const again =
      this.list.querySelector(`[data-line="${CSS.escape(held)}"]`) ??
      this.list.querySelector(held === "add" ? '[data-line^="add "]' : "button") ??
      this.list.querySelector("button");
    if (again instanceof HTMLElement) again.focus();
  }

  #drawMenu() {
    const mine = this.#tab;
    const all = [...(mine ? [mine] : []), ...this.#others];
    const ownId = this.#tabs.find(({ chromeTabId }) => chromeTabId === mine?.chromeTabId)?.conversationId;
    const running = this.#tabs.some((tab) => tab.running);
    this.list.replaceChildren(
      ...(mine ? [this.#item({ ...mine, about: this.#about(mine, all, ownId), current: true, end: t("thisTab") })] : []),
      ...(this.#others.length > 0 ? [group(t("conversations"))] : []),
      ...this.#others.map((tab) =>
        this.#item({
          ...tab,
          about: this.#about(tab, all, tab.conversationId),
          current: false,
          end: tab.running ? t("running") : "",
          go: () => void this.#go(tab),
        }),
      ),
      ...this.#agentTabs(),
      ...this.#clients(),
      ...(running
        ? [
            h("div", { class: "menu__divider" }),
            h(
              "button",
              {
                class: "menu__item",
                type: "button",
                "data-line": "stop-all",
                onclick: () => {
                  this.menu.close();
                  this.actions.stopAll();
                },
              },
              icon("stop", "icon icon--fill"),
              t("stopAll"),
            ),
          ]
        : []),
    );
  }

  #agentTabs() {
    if (this.#allowed.length === 0) return [];
    return [
      h("div", { class: "menu__divider" }),
      group(t("agentTabs")),
      ...this.#allowed.map(({ chromeTabId, title, url }, index) =>
        h(
          "div",
          { class: "menu__line" },
          favicon(url),
          two(title, url, this.#about({ title, url }, this.#allowed)),
          index === 0
            ? h("span", { class: "data dim menu__end" }, t("itsOwn"))
            : chromeTabId != null &&
                iconButton(
                  "cross",
                  t("takeTabAway", title || url),
                  () => void this.#allow(chromeTabId, false),
                  "icon-button icon-button--small",
                ),
        ),
      ),
      ...(this.#offered
        ? this.#addable(this.#offered)
        : [
            h(
              "button",
              { class: "menu__item", type: "button", "data-line": "add", onclick: () => void this.#offer() },
              icon("plus"),
              t("addTab"),
            ),
          ]),
    ];
  }

  /** Draws the connected clients, to which the person can give the page's tab. */
  #clients() {
    const { connected, leases } = this.#drivers;
    if (!this.#tab || connected.length === 0) return [];
    const holder = leases.find(({ chromeTabId }) => chromeTabId === this.#tab?.chromeTabId)?.driver.name;
    return [
      h("div", { class: "menu__divider" }),
      group(t("giveTab")),
      ...connected.map(({ driverId, driver: { name } }) => {
        const holds = name === holder;
        return h(
          "button",
          {
            class: "menu__item",
            type: "button",
            "data-line": `client ${driverId}`,
            "aria-current": holds ? "true" : null,
            onclick: () => {
              this.menu.close();
              if (!holds) this.actions.give(driverId);
            },
          },
          icon("plug"),
          h("span", { class: "menu__client grow" }, ...wholeText(name)),
          holds && h("span", { class: "data dim menu__end" }, t("hasTab")),
        );
      }),
    ];
  }

  /** Draws the tabs that the agent may not use yet, in place of "Add a tab". @param {chrome.tabs.Tab[]} offered */
  #addable(offered) {
    const held = new Set([this.#tab?.chromeTabId, ...this.#allowed.map(({ chromeTabId }) => chromeTabId)]);
    const tabs = offered.filter(({ id, url }) => id !== undefined && !held.has(id) && /^https?:/.test(url ?? ""));
    const lines = tabs.map(({ id, title = "", url = "" }) =>
      h(
        "button",
        {
          class: "menu__item",
          type: "button",
          "data-line": `add ${id}`,
          onclick: () => void this.#allow(/** @type {number} */ (id), true),
        },
        favicon(url),
        two(title, url, this.#about({ title, url }, tabs)),
        icon("plus"),
      ),
    );
    return [group(t("addTab")), ...(lines.length > 0 ? lines : [h("p", { class: "menu__note" }, t("noMoreTabs"))])];
  }

  async #offer() {
    this.#offered ??= [];
    const tabs = await chrome.tabs.query({ windowType: "normal" });
    // The person chose a tab or closed the menu.
    if (!this.#offered || !this.menu.isOpen) return;
    this.#offered = tabs;
    this.#redraw();
  }

  /** @param {number} chromeTabId @param {boolean} allowed */
  async #allow(chromeTabId, allowed) {
    this.#offered = null;
    await this.actions.allow(chromeTabId, allowed).catch(() => {
      /* the toast shows it */
    });
  }

  /**
   * @param {{ title: string, url: string, about: string, current: boolean, end: string, chromeTabId: number, running?: boolean,
   *   go?: () => void }} tab
   */
  #item({ title, url, about, current, end, chromeTabId, running, go }) {
    return h(
      "button",
      {
        class: "menu__item",
        type: "button",
        "aria-current": current ? "true" : null,
        "data-line": `tab ${chromeTabId}`,
        onclick: () => {
          this.menu.close();
          go?.();
        },
      },
      favicon(url),
      two(title, url, about),
      h("span", { class: "data dim menu__end" }, running && h("i", { class: "live-dot", "aria-hidden": "true" }), end),
    );
  }

  /** @param {TabWithConversation} tab */
  async #go({ chromeTabId, windowId }) {
    await chrome.tabs.update(chromeTabId, { active: true });
    await chrome.windows.update(windowId, { focused: true });
  }
}

/** @param {string} words */
function group(words) {
  return h("div", { class: "menu__group" }, words);
}

/** @param {string} title @param {string} url @param {string} about */
function two(title, url, about) {
  return h(
    "span",
    { class: "menu__two" },
    h("span", { class: "truncate" }, title || url),
    h("span", { class: "data dim truncate", title: about }, about),
  );
}
