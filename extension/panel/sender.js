/**
 * Sends the person's messages to the daemon: in order, once, and automatically again after a lost connection.
 *
 * Owns the order of sending. Unsent messages are in the store, and `storage.js` saves them.
 * @import { ConversationInfo, NewAttachment, Sent } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 * @import { Unsent } from "./state/outbox.js"
 * @import { PanelStore } from "./tab-conversation.js"
 */
import { faultOf } from "../shared/fault.js";
import { heldConversation } from "./state/panel-state.js";

export class Sender {
  #sending = false;

  /**
   * @param {Connection} connection
   * @param {PanelStore} store
   * @param {(of: string, info: ConversationInfo) => Promise<void>} branched  called when a branch took the conversation's place
   */
  constructor(connection, store, branched) {
    this.connection = connection;
    this.store = store;
    this.branched = branched;
  }

  get #connected() {
    return this.store.state.connection.status === "connected";
  }

  /**
   * Takes a message from the person: it appears in the panel immediately and is sent as soon as possible.
   * @param {string} text
   * @param {NewAttachment[]} [attachments]
   * @param {string | null} [context]  the part of the page that goes with it: a selection, a picked element
   * @param {boolean} [now]  the running turn is stopped for it
   * @param {string | null} [edited]  the earlier message that it replaces, in a branch
   */
  say(text, attachments = [], context = null, now = false, edited = null) {
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
        ...(now && { now }),
        ...(edited !== null && { branch: { of: edited, conversationId: crypto.randomUUID() } }),
        state: "new",
        fault: null,
      },
    });
    void this.flush();
  }

  /** Sends the waiting messages in order. */
  async flush() {
    if (this.#sending) return;
    this.#sending = true;
    try {
      for (;;) {
        const message = this.store.state.outbox.find(({ state }) => state === "new");
        if (!message || !this.#connected) return;
        const { clientId, conversationId, now = false } = message;
        this.store.dispatch({ type: "message-changed", clientId, change: { state: "sending", fault: null } });
        try {
          const { seq } = await this.#send(message);
          if (now) await this.#hurry(conversationId, clientId);
          const held = heldConversation(this.store.state, message.branch?.conversationId ?? conversationId);
          const known = held?.events.some((event) => event.seq === seq);
          this.store.dispatch(
            held && !known ? { type: "message-changed", clientId, change: { state: "sent" } } : { type: "message-dropped", clientId },
          );
        } catch (error) {
          const fault = faultOf(error);
          // A lost connection is not the message's fault, so the message is sent again automatically.
          const broken = !this.#connected || fault.hop === "background" || fault.hop === "host";
          const moved = this.store.state.outbox.some((each) => each.clientId === clientId && each.conversationId !== conversationId);
          this.store.dispatch({
            type: "message-changed",
            clientId,
            change: broken || moved ? { state: "new" } : { state: "failed", fault },
          });
          if (broken) return;
        }
      }
    } finally {
      this.#sending = false;
    }
  }

  /** @param {Unsent} message @returns {Promise<Sent>} */
  async #send({ clientId, conversationId, text, page, attachments, branch }) {
    const send = {
      conversationId: branch?.conversationId ?? conversationId,
      clientId,
      text,
      page,
      attachments,
      from: /** @type {const} */ ("panel"),
    };
    if (!branch) return this.connection.request("chat.send", send);
    const { info, sent } = await this.connection.request("chat.branch", { conversationId, clientId: branch.of, send });
    await this.branched(conversationId, info);
    return sent;
  }

  /**
   * Puts a sent message in front of those that wait, and stops the running turn for it.
   * @param {string} conversationId
   * @param {string} clientId
   */
  async #hurry(conversationId, clientId) {
    const waiting = heldConversation(this.store.state, conversationId)?.view.waiting.map((each) => each.clientId) ?? [];
    const clientIds = [clientId, ...waiting.filter((each) => each !== clientId)];
    await this.connection.request("chat.order", { conversationId, clientIds, now: true }).catch((error) => {
      // The turn has ended meanwhile, and the message runs already.
      if (faultOf(error).code !== "conflict") throw error;
    });
  }

  /** Sends a failed message again, with the same id. @param {string} clientId */
  resend(clientId) {
    this.store.dispatch({ type: "message-changed", clientId, change: { state: "new", fault: null } });
    if (!this.#connected) this.connection.notify("local.retry", {});
    void this.flush();
  }
}
