/**
 * Reports to the daemon whether the person types in this panel: an agent's click must not take the keyboard away.
 *
 * Owns the panel's own address, by which the daemon identifies it, the report, and the page's marker class that hides
 * focus rings while the keyboard is elsewhere. Never moves the focus itself.
 * @import { PanelKeys } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./tab-conversation.js"
 */

/** An agent's click takes the focus for a moment. A loss shorter than this does not count. */
const BRIEF_MS = 60;

export class Keyboard {
  /** The last reported value. @type {boolean | null} */ #reported = null;

  /**
   * @param {{ connection: Connection, store: PanelStore, leave: () => void,
   *   type: (keys: string[], at: number[]) => void }} parts  `leave`: the panel loses the keyboard
   */
  constructor({ connection, store, leave, type }) {
    this.connection = connection;
    history.replaceState(null, "", `#${crypto.randomUUID()}`);
    addEventListener("focus", () => this.#report());
    addEventListener("blur", () => {
      leave();
      setTimeout(() => this.#report(), BRIEF_MS);
    });
    connection.on("panel.keys", (params) => {
      const { keys, at = [] } = /** @type {PanelKeys} */ (params);
      type(keys, at);
    });
    this.#report();
    let { status } = store.state.connection;
    store.subscribe(({ connection: { status: now } }) => {
      // A newly connected daemon does not know it yet.
      if (now === "connected" && status !== now) {
        this.#reported = null;
        this.#report();
      }
      status = now;
    });
  }

  #report() {
    const focused = document.hasFocus();
    document.documentElement.classList.toggle("is-away", !focused);
    if (focused === this.#reported) return;
    this.#reported = focused;
    this.connection.notify("panel.focus", { focused, address: location.href });
  }
}
