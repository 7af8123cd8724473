/**
 * The pill, frame and cursor in the tabs that an agent works in.
 *
 * Owns the set of tabs with our content script: the tabs that the daemon names, and the tabs whose refs a person views, so
 * that both are drawn in one element. Each holds a port to this worker, so its marks disappear with the worker. Never
 * draws anything itself.
 * @import { Acting, WorkingTab } from "../protocol.js"
 */
import { isolated } from "../shared/i18n.js";
import { joined, said } from "../shared/said.js";
import { MARKS_KEY, marksOf } from "../shared/marks-choice.js";

/** The panel requests that draw over the tab's page. */
const DRAWS = new Set(["refs.show", "refs.highlight", "pick.start"]);

export class PageMarks {
  /** @type {Map<number, { tab: WorkingTab, since: number }>} */ #working = new Map();
  /** @type {Map<number, chrome.runtime.Port>} */ #ports = new Map();
  /** Tabs whose refs stay shown after the next load. @type {Set<number>} */ #shown = new Set();

  /** The marks that the person wants. @type {import("../shared/marks-choice.js").Marks} */ #wanted = marksOf(null);
  #asked = this.#read();

  async #read() {
    this.#wanted = marksOf((await chrome.storage.local.get(MARKS_KEY))[MARKS_KEY]);
  }

  /** Applies a change of the setting. @param {Record<string, chrome.storage.StorageChange>} changes */
  chosen(changes) {
    const change = changes[MARKS_KEY];
    if (!change) return;
    this.#wanted = marksOf(change.newValue);
    for (const [id, port] of this.#ports) this.#tell(id, port);
  }

  /** Takes the daemon's list of all tabs in which an agent works now. @param {WorkingTab[]} tabs */
  show(tabs) {
    const before = this.#working;
    this.#working = new Map(tabs.map((tab) => [tab.chromeTabId, { tab, since: before.get(tab.chromeTabId)?.since ?? Date.now() }]));
    for (const [id, port] of this.#ports) this.#tell(id, port);
    for (const id of this.#working.keys()) if (!this.#ports.has(id)) void this.#inject(id);
  }

  /** Removes all marks: without a daemon the working tabs are unknown. */
  clear() {
    this.#shown.clear();
    this.show([]);
  }

  /** Moves the agent's pointer in a page. @param {Acting} acting */
  acting({ chromeTabId, x, y, pressed }) {
    this.#ports.get(chromeTabId)?.postMessage({ type: "acting", x, y, pressed });
  }

  /** Creates our element before a panel draws something in the page. @param {string} method @param {unknown} params */
  async asked(method, params) {
    if (!DRAWS.has(method)) return;
    const { chromeTabId, show, ref } = /** @type {{ chromeTabId: number, show?: boolean, ref?: string }} */ (params);
    if (show === true) this.#shown.add(chromeTabId);
    if (show === false) this.#shown.delete(chromeTabId);
    const takesAway = show === false || (method === "refs.highlight" && !ref);
    if (!takesAway && !this.#ports.has(chromeTabId)) await this.#inject(chromeTabId);
  }

  /** Puts the marks into a newly loaded document of a working tab. @param {number} tabId */
  loaded(tabId) {
    if (this.#working.has(tabId) || this.#shown.has(tabId)) void this.#inject(tabId);
  }

  /** @param {number} tabId */
  closed(tabId) {
    this.#shown.delete(tabId);
  }

  /**
   * Adds the port of a document's content script. We send to it and never listen to it.
   * @param {chrome.runtime.Port} port
   */
  add(port) {
    const tabId = port.sender?.tab?.id;
    if (tabId === undefined) return;
    this.#ports.set(tabId, port);
    port.onDisconnect.addListener(() => {
      if (this.#ports.get(tabId) === port) this.#ports.delete(tabId);
    });
    void this.#asked.then(() => {
      if (this.#ports.get(tabId) === port) this.#tell(tabId, port);
    });
  }

  /** @param {number} tabId @param {chrome.runtime.Port} port */
  #tell(tabId, port) {
    const working = this.#working.get(tabId);
    if (!working) return port.postMessage({ type: "idle" });
    const { agentLabel, waiting, paused = false } = working.tab;
    port.postMessage({
      type: "working",
      since: working.since,
      agent: agentLabel,
      doing: doingOf(working.tab),
      waiting,
      paused,
      shows: this.#wanted,
    });
  }

  /** @param {number} tabId */
  async #inject(tabId) {
    try {
      await chrome.scripting.executeScript({ target: { tabId }, files: ["content/marks.js"], injectImmediately: true });
    } catch {
      // A page that extensions cannot access (the browser's own, the Web Store), or one that is already gone, has no
      // marks.
    }
  }
}

/** Returns what the agent does, in the browser's language if it has a translation. @param {WorkingTab} tab */
function doingOf({ doing, phrase }) {
  const words = phrase && said(phrase);
  if (words) return joined(words);
  return doing && isolated(doing);
}
