/**
 * Returns the keyboard focus to the side panel after an agent's click took it, through `chrome.debugger` on our own
 * panel.
 *
 * Owns the attachment to that panel, which lasts while a tab is attached: Chrome shows its debugging bar then anyway.
 */

const PROTOCOL = "1.3";

export class PanelKeyboard {
  /** The panel that has the keyboard. @type {string | null} */ #address = null;
  #wanted = false;
  /** The current attachment. @type {{ address: string, targetId: string } | null} */ #attached = null;
  /** Settles when the wanted attachment is in place. @type {Promise<void>} */ #moving = Promise.resolve();

  /**
   * Records the address of the panel in which the person types. With null, the last one stays.
   * @param {string | null} address
   */
  at(address) {
    if (address === null || address === this.#address) return;
    this.#address = address;
    this.#follow();
  }

  /** Sets whether any tab is attached. @param {boolean} wanted */
  watch(wanted) {
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#follow();
  }

  /** Handles a detach that we did not request. @param {string} targetId */
  detached(targetId) {
    if (this.#attached?.targetId === targetId) this.#attached = null;
  }

  /** Brings the panel to the front. Runs synchronously if attached, because its order among other commands matters. */
  restore() {
    if (this.#attached) return chrome.debugger.sendCommand({ targetId: this.#attached.targetId }, "Page.bringToFront");
    return this.#follow().then(
      () => this.#attached && chrome.debugger.sendCommand({ targetId: this.#attached.targetId }, "Page.bringToFront"),
    );
  }

  #follow() {
    this.#moving = this.#moving
      .then(() => this.#settle())
      .catch(() => {
        // The panel was closed, or the person ended the attachment.
      });
    return this.#moving;
  }

  async #settle() {
    const address = this.#wanted ? this.#address : null;
    if (this.#attached?.address === address) return;
    if (this.#attached) {
      const { targetId } = this.#attached;
      this.#attached = null;
      await chrome.debugger.detach({ targetId });
    }
    if (address === null) return;
    const found = (await chrome.debugger.getTargets()).find((target) => target.url === address);
    if (!found) return;
    const target = { targetId: found.id };
    // A previous run of this worker may have left it attached.
    if (found.attached)
      await chrome.debugger.detach(target).catch(() => {
        /* another extension's attachment: ours is added */
      });
    await chrome.debugger.attach(target, PROTOCOL);
    this.#attached = { address, targetId: found.id };
  }
}
