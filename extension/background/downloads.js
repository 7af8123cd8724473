/**
 * Where Chrome saves what the daemon's tabs download. DevTools does not say it to an extension, so Chrome's list of downloads is
 * asked. Off until the person grants the permission `downloads` in the settings.
 *
 * Owns the match of the two. Looks up no other download, and never starts, stops or removes one.
 */

/** Chrome's list may be a moment behind DevTools, and has the time at which the request began. */
const SLACK_MS = 5_000;
/** A page can start downloads in a loop. */
const MOST_BEGUN = 100;

/** @typedef {{ guid: string, url?: string, state?: string }} Told  the parameters of a download's events that matter here */

export class Downloads {
  /** The downloads that have begun, by their id in DevTools. @type {Map<string, { url: string, at: number }>} */
  #begun = new Map();
  /** Entries of Chrome's list that are matched. @type {Set<number>} */
  #matched = new Set();

  /**
   * Takes an event of a tab. Returns its parameters with the file's path, once that is known, or undefined if there is nothing
   * to add.
   * @param {string} method
   * @param {object} [params]
   * @returns {Promise<object> | undefined}
   */
  event(method, params) {
    const { guid, url = "", state } = /** @type {Told} */ (params ?? {});
    if (method === "Page.downloadWillBegin") {
      const [oldest] = this.#begun.keys();
      if (this.#begun.size >= MOST_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
      this.#begun.set(guid, { url, at: Date.now() });
    }
    if (method !== "Page.downloadProgress" || state === "inProgress") return undefined;
    const begun = this.#begun.get(guid);
    this.#begun.delete(guid);
    if (state !== "completed" || !begun || !chrome.downloads) return undefined;
    return this.#place(begun).then(
      (filePath) => (filePath ? { ...params, filePath } : { ...params }),
      (error) => {
        console.warn("downloads:", error);
        return { ...params };
      },
    );
  }

  /** @param {{ url: string, at: number }} begun */
  async #place({ url, at }) {
    const startedAfter = new Date(at - SLACK_MS).toISOString();
    const found = await chrome.downloads.search({ finalUrl: url, startedAfter, orderBy: ["startTime"] });
    const item = found.find(({ id }) => !this.#matched.has(id));
    if (!item) return undefined;
    this.#matched.add(item.id);
    const now = item.state === "in_progress" ? await over(item.id) : item;
    return now?.state === "complete" ? now.filename : undefined;
  }
}

/** Returns a download once it is over, or as it is after a while. @param {number} id */
async function over(id) {
  /** @type {(change: chrome.downloads.DownloadDelta) => void} */ let heard = () => {};
  const ended = new Promise((resolve) => {
    heard = (change) => {
      if (change.id === id && change.state && change.state.current !== "in_progress") resolve(undefined);
    };
    setTimeout(resolve, SLACK_MS);
  });
  chrome.downloads.onChanged.addListener(heard);
  try {
    const [item] = await chrome.downloads.search({ id });
    if (item?.state !== "in_progress") return item;
    await ended;
    return (await chrome.downloads.search({ id }))[0];
  } finally {
    chrome.downloads.onChanged.removeListener(heard);
  }
}
