/**
 * The welcome page's last two steps: it learns on which side the panel opens, and that one of its own window is truly
 * connected.
 *
 * Owns the ports of the welcome pages' content scripts. They are told and never listened to.
 */

export class WelcomeWatch {
  /** @type {Set<chrome.runtime.Port>} */ #waiting = new Set();

  /** @param {(windowId: number) => boolean} connectedIn  whether a connected panel is open in that window */
  constructor(connectedIn) {
    this.connectedIn = connectedIn;
  }

  /** @param {chrome.runtime.Port} port */
  add(port) {
    this.#waiting.add(port);
    void this.#tellSide(port);
    port.onDisconnect.addListener(() => this.#waiting.delete(port));
    this.check();
  }

  /** Older browsers do not say on which side panels open: the page takes the usual one then. @param {chrome.runtime.Port} port */
  async #tellSide(port) {
    const side = (await chrome.sidePanel.getLayout?.())?.side;
    if (side && this.#waiting.has(port)) port.postMessage({ type: "side", side });
  }

  /** Something changed: anyone who waits may be done. */
  check() {
    for (const port of this.#waiting) {
      const windowId = port.sender?.tab?.windowId;
      if (windowId === undefined || !this.connectedIn(windowId)) continue;
      this.#waiting.delete(port);
      port.postMessage({ type: "ready" });
    }
  }
}
