/**
 * Which new tabs are closed ones that Chrome has brought back (Ctrl+Shift+T, the history's menu, `chrome.sessions`).
 *
 * Chrome tells that its list of closed tabs changed, and that a tab was made, but not that the one became the other: they are
 * paired by their address. Owns that pairing. Never brings a tab back.
 */

/** Both are told within a moment; what comes later has nothing to do with it. */
const TOGETHER_MS = 5000;

/** @typedef {{ url: string, at: number }} Left  a closed tab that is no longer listed */
/** @typedef {{ tabId: number, url: string, at: number }} Made */

export class Reopened {
  /** Addresses by the session that Chrome would restore. @type {Map<string, string[]>} */ #closed = new Map();
  /** @type {Left[]} */ #left = [];
  /** @type {Made[]} */ #made = [];
  /** Looks run one after the other. */
  #looked = Promise.resolve();

  /** @param {(tabId: number) => void} onReopened @param {() => number} [now] */
  constructor(onReopened, now = () => Date.now()) {
    this.onReopened = onReopened;
    this.now = now;
  }

  /** The list of closed tabs may have changed. */
  look() {
    this.#looked = this.#looked.then(async () => this.#take(await chrome.sessions.getRecentlyClosed()));
  }

  /** @param {chrome.tabs.Tab} tab */
  made(tab) {
    const url = tab.pendingUrl || tab.url;
    if (tab.id === undefined || !url) return;
    this.#made.push({ tabId: tab.id, url, at: this.now() });
    this.#pair();
  }

  /** @param {number} tabId */
  gone(tabId) {
    this.#made = this.#made.filter((made) => made.tabId !== tabId);
  }

  /** @param {chrome.sessions.Session[]} sessions */
  #take(sessions) {
    const before = this.#closed;
    this.#closed = new Map(
      sessions.map(({ tab, window }) => [
        tab?.sessionId ?? window?.sessionId ?? "",
        (tab ? [tab] : (window?.tabs ?? [])).map(({ url = "" }) => url),
      ]),
    );
    // The list is of the newest: one that was pushed out by another did not come back.
    const grew = [...this.#closed.keys()].some((id) => !before.has(id));
    if (grew) return;
    for (const [id, urls] of before) {
      if (!this.#closed.has(id)) this.#left.push(...urls.map((url) => ({ url, at: this.now() })));
    }
    this.#pair();
  }

  #pair() {
    const since = this.now() - TOGETHER_MS;
    this.#left = this.#left.filter(({ at }) => at >= since);
    this.#made = this.#made.filter(({ at }) => at >= since);
    for (const made of [...this.#made]) {
      const at = this.#left.findIndex(({ url }) => url === made.url);
      if (at === -1) continue;
      this.#left.splice(at, 1);
      this.#made.splice(this.#made.indexOf(made), 1);
      this.onReopened(made.tabId);
    }
  }
}
