/**
 * Pill and frame in the tabs that an agent works in.
 *
 * Owns which tabs carry our content script: only those that the daemon names, and no longer. Each holds a port
 * to this worker, so that its marks vanish with the worker too. Never draws anything itself.
 * @import { WorkingTab } from "../protocol.js"
 */

export class PageMarks {
  /** @type {Map<number, { tab: WorkingTab, since: number }>} */ #working = new Map();
  /** @type {Map<number, chrome.runtime.Port>} */ #ports = new Map();

  /** The daemon's list: all tabs in which an agent works now. @param {WorkingTab[]} tabs */
  show(tabs) {
    const before = this.#working;
    this.#working = new Map(tabs.map((tab) => [tab.chromeTabId, { tab, since: before.get(tab.chromeTabId)?.since ?? Date.now() }]));
    for (const [id, port] of this.#ports) this.#tell(id, port);
    for (const id of this.#working.keys()) if (!this.#ports.has(id)) void this.#inject(id);
  }

  /** Nobody knows any more who works where. */
  clear() {
    this.show([]);
  }

  /** A document was loaded: one of a working tab gets the marks anew. @param {number} tabId */
  loaded(tabId) {
    if (this.#working.has(tabId)) void this.#inject(tabId);
  }

  /** The content script of a document is there. It is told and never listened to. @param {chrome.runtime.Port} port */
  add(port) {
    const tabId = port.sender?.tab?.id;
    if (tabId === undefined) return;
    this.#ports.set(tabId, port);
    port.onDisconnect.addListener(() => { if (this.#ports.get(tabId) === port) this.#ports.delete(tabId); });
    this.#tell(tabId, port);
  }

  /** @param {number} tabId @param {chrome.runtime.Port} port */
  #tell(tabId, port) {
    const working = this.#working.get(tabId);
    port.postMessage(working ? { type: "working", since: working.since, doing: working.tab.doing, waiting: working.tab.waiting } : { type: "idle" });
  }

  /** @param {number} tabId */
  async #inject(tabId) {
    try {
      await chrome.scripting.executeScript({ target: { tabId }, files: ["content/marks.js"], injectImmediately: true });
    } catch {
      // A page that no extension may enter (the browser's own, the store), or one that has gone: it has no marks.
    }
  }
}
