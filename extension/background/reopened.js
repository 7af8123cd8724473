/**
 * Detects which new tabs are closed tabs that Chrome has restored (Ctrl+Shift+T, the history menu, `chrome.sessions`).
 *
 * Chrome reports that its list of closed tabs changed and that a tab was created, but not that one became the other, so
 * this module pairs them by URL. Owns that pairing. Never restores a tab.
 */

/** Chrome reports both within a moment; a later event is unrelated. */
const TOGETHER_MS = 5000;

/** @typedef {{ url: string, at: number }} Left  a closed tab that is no longer listed */
/** @typedef {{ tabId: number, url: string, at: number }} Made */

export class Reopened {
  /** URLs by the session that Chrome would restore. @type {Map<string, string[]>} */ #closed = new Map();
  /** @type {Left[]} */ #left = [];
  /** @type {Made[]} */ #made = [];
  /** Checks run one after the other. */
  #looked = Promise.resolve();

  /** @param {(tabId: number) => void} onReopened @param {() => number} [now] */
  constructor(onReopened, now = () => Date.now()) {
    this.onReopened = onReopened;
    this.now = now;
  }

  /** Checks the list of closed tabs, which may have changed. */
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
    // The list holds only the newest tabs: a tab that another one pushed out was not restored.
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
