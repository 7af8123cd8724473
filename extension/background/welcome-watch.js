/**
 * The last two steps of the welcome page: it learns on which side the panel opens, and that a panel in its own window
 * is connected.
 *
 * Owns the ports of the welcome pages' content scripts. Sends to them and never listens to them.
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

  /**
   * Sends the side of the panel. Older browsers do not report it; the page then uses the default side.
   * @param {chrome.runtime.Port} port
   */
  async #tellSide(port) {
    const side = (await chrome.sidePanel.getLayout?.())?.side;
    if (side && this.#waiting.has(port)) port.postMessage({ type: "side", side });
  }

  /** Checks after a change whether a waiting page is done. */
  check() {
    for (const port of this.#waiting) {
      const windowId = port.sender?.tab?.windowId;
      if (windowId === undefined || !this.connectedIn(windowId)) continue;
      this.#waiting.delete(port);
      port.postMessage({ type: "ready" });
    }
  }
}
