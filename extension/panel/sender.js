/**
 * What a person says, on its way to the daemon: in its order, once, and again by itself when the way was broken.
 *
 * Owns the order of sending. What waits is in the store, and is written down by `keep.js`.
 * @import { NewAttachment } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./session.js"
 */
import { faultOf } from "../shared/fault.js";
import { heldConversation } from "./state/panel-state.js";

export class Sender {
  #sending = false;

  /** @param {Connection} connection @param {PanelStore} store */
  constructor(connection, store) {
    this.connection = connection;
    this.store = store;
  }

  get #connected() {
    return this.store.state.connection.status === "connected";
  }

  /**
   * Takes a message of the person: it stands in the panel at once and goes out as soon as it can.
   * @param {string} text
   * @param {NewAttachment[]} [attachments]
   * @param {string | null} [context]  what of the page goes with it: a selection, a picked element
   */
  say(text, attachments = [], context = null) {
    const { conversation, tab } = this.store.state;
    if (!conversation) return;
    this.store.dispatch({
      type: "queued",
      message: {
        clientId: crypto.randomUUID(),
        conversationId: conversation.info.conversationId,
        text,
        page: tab && { url: tab.url, title: tab.title, ...(context ? { selection: context } : {}) },
        attachments,
        state: "new",
        fault: null,
      },
    });
    void this.flush();
  }

  /** Sends what waits, in its order. */
  async flush() {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (;;) {
        const message = this.store.state.outbox.find(({ state }) => state === "new");
        if (!message || !this.#connected) return;
        const { clientId, conversationId, text, page, attachments } = message;
        this.store.dispatch({ type: "message-changed", clientId, change: { state: "sending", fault: null } });
        try {
          const { seq } = await this.connection.request("chat.send", { conversationId, clientId, text, page, attachments, from: "panel" });
          const held = heldConversation(this.store.state, conversationId);
          const known = held?.events.some((event) => event.seq === seq);
          this.store.dispatch(
            held && !known ? { type: "message-changed", clientId, change: { state: "sent" } } : { type: "message-dropped", clientId },
          );
        } catch (error) {
          const fault = faultOf(error);
          // A broken way is not the message's fault: it goes again by itself.
          const broken = !this.#connected || fault.hop === "background" || fault.hop === "host";
          this.store.dispatch({ type: "message-changed", clientId, change: broken ? { state: "new" } : { state: "failed", fault } });
          if (broken) return;
        }
      }
    } finally {
      this.#sending = false;
    }
  }

  /** Sends a failed message again, with the same id. @param {string} clientId */
  resend(clientId) {
    this.store.dispatch({ type: "message-changed", clientId, change: { state: "new", fault: null } });
    if (!this.#connected) this.connection.notify("local.retry", {});
    void this.flush();
  }
}
