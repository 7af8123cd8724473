/**
 * Pill and frame in the tabs that an agent works in.
 *
 * Owns which tabs carry our content script: only those that the daemon names, and no longer.
 * Never draws anything itself.
 * @import { WorkingTab } from "../protocol.js"
 */

export class PageMarks {
  /** @type {Map<number, { tab: WorkingTab, since: number }>} */ #working = new Map();

  /** The daemon's list: all tabs in which an agent works now. @param {WorkingTab[]} tabs */
  async show(tabs) {
    const before = this.#working;
    this.#working = new Map(tabs.map((tab) => [tab.chromeTabId, { tab, since: before.get(tab.chromeTabId)?.since ?? Date.now() }]));
    const gone = [...before.keys()].filter((id) => !this.#working.has(id));
    await Promise.all([
      ...gone.map((id) => this.#send(id, { type: "idle" })),
      ...tabs.map(({ chromeTabId }) => (before.has(chromeTabId) ? this.#send(chromeTabId) : this.#inject(chromeTabId))),
    ]);
  }

  /** A document was loaded: one of a working tab gets the marks anew. @param {number} tabId */
  async loaded(tabId) {
    if (this.#working.has(tabId)) await this.#inject(tabId);
  }

  /** Nobody knows any more who works where. */
  clear() {
    return this.show([]);
  }

  /** @param {number} tabId */
  async #inject(tabId) {
    try {
      await chrome.scripting.executeScript({ target: { tabId }, files: ["content/marks.js"], injectImmediately: true });
    } catch {
      // A page that no extension may enter (the browser's own, the store): it has no marks.
      return;
    }
    await this.#send(tabId);
  }

  /** @param {number} tabId @param {unknown} [message] */
  async #send(tabId, message) {
    const working = this.#working.get(tabId);
    try {
      await chrome.tabs.sendMessage(tabId, message ?? { type: "working", since: working?.since, doing: working?.tab.doing, waiting: working?.tab.waiting });
    } catch {
      // The document went away, or never took the script: `loaded` brings the marks back.
    }
  }
}
