/**
 * Reports Chrome's tabs to the daemon: all of them on a new connection, then every change.
 *
 * Owns the order of the reports. Never decides what a tab is used for.
 * @import { ChromeTab } from "../protocol.js"
 */

/**
 * @param {chrome.tabs.Tab} tab
 * @param {Map<number, string>} targets  CDP target id by Chrome's tab id
 * @param {number} [opener]  the tab whose page opened it
 * @returns {ChromeTab}
 */
export function chromeTab(tab, targets, opener) {
  const id = tab.id ?? -1;
  return {
    chromeTabId: id,
    windowId: tab.windowId,
    url: tab.pendingUrl && !tab.url ? tab.pendingUrl : (tab.url ?? ""),
    title: tab.title ?? "",
    favIconUrl: tab.favIconUrl,
    active: tab.active,
    incognito: tab.incognito,
    discarded: tab.discarded,
    targetId: targets.get(id),
    openerChromeTabId: opener,
  };
}

export class TabReporter {
  /** @type {Set<number>} */ #dirty = new Set();
  /** @type {Set<number>} */ #removed = new Set();
  /** The tab whose page opened each tab: Chrome's own `openerTabId` is the tab in view. @type {Map<number, number>} */
  #openers = new Map();
  /** Tabs that Chrome has restored, until that is reported. @type {Set<number>} */ #restored = new Set();
  /** The former id of a tab whose id Chrome has changed, until that is reported. @type {Map<number, number>} */
  #replaced = new Map();
  #full = false;
  /** The last report in progress; reports run one after the other. */
  #flushed = Promise.resolve();
  #scheduled = false;

  /** @param {(params: import("../protocol.js").TabsChanged) => void} report */
  constructor(report) {
    this.report = report;
  }

  /** Reports every tab, because the daemon knows none. */
  all() {
    this.#full = true;
    this.#schedule();
  }

  /** @param {number | undefined} tabId */
  changed(tabId) {
    if (tabId === undefined || tabId === chrome.tabs.TAB_ID_NONE) return;
    this.#dirty.add(tabId);
    this.#schedule();
  }

  /** Reports a tab that a page opened. @param {number} tabId @param {number} openerTabId */
  opened(tabId, openerTabId) {
    this.#openers.set(tabId, openerTabId);
    this.changed(tabId);
  }

  /** Reports that Chrome has restored a closed tab as this one. @param {number} tabId */
  restored(tabId) {
    this.#restored.add(tabId);
    this.changed(tabId);
  }

  /** Reports that Chrome has given a tab another id. @param {number} tabId @param {number} former */
  replaced(tabId, former) {
    // Both may be in one report: then nobody knows the id between.
    this.#replaced.set(tabId, this.#replaced.get(former) ?? former);
    this.#replaced.delete(former);
    const opener = this.#openers.get(former);
    if (opener !== undefined) this.#openers.set(tabId, opener);
    this.removed(former);
    this.changed(tabId);
  }

  /** @param {number} tabId */
  removed(tabId) {
    this.#openers.delete(tabId);
    this.#dirty.delete(tabId);
    this.#removed.add(tabId);
    this.#schedule();
  }

  /** Reports the newly active tab and the one that was active before. @param {number} windowId */
  async windowChanged(windowId) {
    for (const tab of await chrome.tabs.query({ windowId })) this.changed(tab.id);
  }

  /** Settles when all events so far are reported. */
  settled() {
    return this.#flushed;
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#flushed = this.#flushed.then(() => this.#flush());
  }

  async #flush() {
    this.#scheduled = false;
    const full = this.#full;
    const dirty = this.#dirty;
    const restored = this.#restored;
    const replaced = this.#replaced;
    const removed = [...this.#removed];
    this.#full = false;
    this.#dirty = new Set();
    this.#restored = new Set();
    this.#replaced = new Map();
    this.#removed = new Set();
    const [tabs, targets] = await Promise.all([chrome.tabs.query({}), chrome.debugger.getTargets()]);
    const byTab = new Map(targets.flatMap(({ type, tabId, id }) => (type === "page" && tabId !== undefined ? [[tabId, id]] : [])));
    const changed = tabs
      .filter(({ id }) => id !== undefined && (full || dirty.has(id)))
      .map((tab) => ({
        ...chromeTab(tab, byTab, this.#openers.get(tab.id ?? -1)),
        restored: restored.has(tab.id ?? -1) || undefined,
        replaces: replaced.get(tab.id ?? -1),
      }));
    if (full || changed.length > 0 || removed.length > 0) this.report({ full, tabs: changed, removed: full ? [] : removed });
  }
}
