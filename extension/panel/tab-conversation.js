/**
 * The conversation of the panel's tab: opens it, follows it, stops its turns. `sender.js` sends
 * messages; `control.js` handles the person's other decisions.
 *
 * Owns the order of requests. Never touches the DOM; every result goes through the store.
 * @import { ConversationInfo, Fault } from "../protocol.js"
 * @import { ToPanelLocal } from "../shared/wire.js"
 * @import { Connection } from "./connection.js"
 * @import { Action, PanelState } from "./state/panel-state.js"
 */
import { faultOf } from "../shared/fault.js";
import { Control } from "./control.js";
import { oncePerFrame } from "./frame.js";
import { Sender } from "./sender.js";
import { ackOf, resumeAfter } from "./state/conversation.js";
import { heldConversation, shownConversation } from "./state/panel-state.js";

/** The number of older events per request. */
const PAGE = 200;

/**
 * @typedef {{ readonly state: PanelState, dispatch(action: Action): void,
 *   subscribe(listener: (state: PanelState) => void): void }} PanelStore
 */

export class TabConversation {
  /** Conversations that are being read. @type {Set<string>} */ #reading = new Set();
  /** The last acknowledgement by conversation. @type {Map<string, string>} */ #acknowledged = new Map();
  #loadingOlder = false;
  #opening = 0;
  /** The conversation reported to the daemon as the one in which the person is writing. @type {string | null} */
  #prepared = null;
  /** The tab's conversation once the daemon sends this panel its events. @type {string | null} */
  #shown = null;
  /** The person arrived at the composer before its conversation was shown. */
  #arrived = false;

  /** @param {Connection} connection @param {PanelStore} store */
  constructor(connection, store) {
    this.connection = connection;
    this.store = store;
    this.control = new Control(connection, store, (info) => this.replace(info));
    this.sender = new Sender(connection, store, async (of, info) => {
      if (store.state.conversation?.info.conversationId === of) await this.replace(info);
    });
    const acknowledge = oncePerFrame(() => this.#acknowledge());
    store.subscribe((state) => {
      for (const held of [state.conversation, state.reading]) {
        if (held?.stale) void this.#read(held.info.conversationId);
      }
      if (state.conversation || state.reading) acknowledge();
    });
  }

  get #connected() {
    return this.store.state.connection.status === "connected";
  }

  /** Handles a message from the background. @param {ToPanelLocal} message */
  receive(message) {
    const { store } = this;
    switch (message.method) {
      case "connection": {
        const was = this.#connected;
        store.dispatch({ type: "connection", state: message.params });
        if (this.#connected && !was) this.#connectedAnew();
        return;
      }
      case "chat.event":
        store.dispatch({ type: "event", ...message.params });
        // Rules are also made in the terminal, so each turn's start reads them again.
        if (message.params.event.type === "turn-started") void this.#readPolicy();
        return;
      case "chat.delta":
        return store.dispatch({ type: "delta", delta: message.params });
      case "chat.gap":
        return store.dispatch({ type: "gap", conversationId: message.params.conversationId });
      case "chat.info":
        return store.dispatch({ type: "info", info: message.params });
      case "echo":
        return this.connection.notify("echoed", message.params);
      case "agents.changed":
        return store.dispatch({ type: "agents", agents: message.params.agents, sandbox: message.params.sandbox ?? null });
      case "tabs.conversations": {
        const { tab, conversation, tabs: before } = store.state;
        store.dispatch({ type: "tabs", tabs: message.params.tabs });
        /** @param {typeof before} tabs */
        const listed = (tabs) => tabs.find(({ chromeTabId }) => chromeTabId === tab?.chromeTabId)?.conversationId;
        // Another client (a terminal, a second panel) gave this tab a new conversation, or deleted or replaced the old one: an
        // empty conversation is not listed.
        const mine = listed(message.params.tabs) ?? (listed(before) && null);
        if (conversation && mine !== undefined && mine !== conversation.info.conversationId) void this.open();
        return;
      }
      case "drivers.changed":
        return store.dispatch({ type: "drivers", shown: message.params });
      case "drivers.answered":
        return store.dispatch({ type: "driver-answered", answered: message.params });
      case "fault":
        return store.dispatch({ type: "notice", fault: message.params });
      default:
        // The background handles `tabs.working`.
        return;
    }
  }

  /**
   * Handles the loss of the background. Its worker stops routinely, so the first loss is silent; it is shown only if
   * the worker does not come back at once.
   * @param {Fault | null} fault
   */
  lost(fault) {
    this.store.dispatch({
      type: "connection",
      state: { status: "connecting", fault: fault ?? this.store.state.connection.fault, welcome: null, retryAt: null },
    });
  }

  #connectedAnew() {
    this.#acknowledged.clear();
    this.#prepared = null;
    this.#shown = null;
    void this.open();
    const { reading } = this.store.state;
    if (reading) void this.#read(reading.info.conversationId);
    void this.refreshAgents(false);
    void this.#readPolicy();
    void this.sender.flush();
  }

  async #readPolicy() {
    await this.control.readPolicy().catch(() => {
      /* the next connection, turn or visit to the settings reads them again */
    });
  }

  /** Opens the conversation of the tab in view and reads its new events. */
  async open() {
    const { tab, conversation: before } = this.store.state;
    if (!tab || !this.#connected) return;
    const opening = ++this.#opening;
    try {
      const info = await this.connection.request("chat.open", { chromeTabId: tab.chromeTabId });
      const left = before && before.info.conversationId !== info.conversationId ? before.info.conversationId : null;
      const deleted = left !== null && (await this.#isDeleted(left));
      if (opening !== this.#opening) return;
      if (left !== null) this.#leave(left);
      this.store.dispatch({ type: "opened", info, insteadOf: deleted ? left : null });
      void this.sender.flush();
      await this.#read(info.conversationId);
      if (opening !== this.#opening) return;
      this.#shown = info.conversationId;
      if (this.#arrived) this.prepare();
    } catch (error) {
      if (opening === this.#opening) this.store.dispatch({ type: "open-failed", fault: faultOf(error) });
    }
  }

  /** Returns whether the conversation has been deleted. @param {string} conversationId */
  #isDeleted(conversationId) {
    return this.connection.request("chat.history", { conversationId, before: 1, limit: 1 }).then(
      () => false,
      (error) => faultOf(error).code === "not-found",
    );
  }

  /** Follows the tab in view. @param {import("./state/panel-state.js").TabView} tab */
  follow(tab) {
    const { tab: before, conversation, reading } = this.store.state;
    this.store.dispatch({ type: "tab", tab });
    if (before?.chromeTabId === tab.chromeTabId) return;
    this.#shown = null;
    this.#arrived = false;
    for (const held of [conversation, reading]) if (held) this.#leave(held.info.conversationId);
    void this.open();
  }

  /** Shows a conversation from the history; null returns to the tab's own. @param {ConversationInfo | null} info */
  async read(info) {
    const { reading, conversation } = this.store.state;
    if (reading) this.#leave(reading.info.conversationId);
    const own = info?.conversationId === conversation?.info.conversationId;
    this.store.dispatch({ type: "read", info: own ? null : info });
    if (info && !own) await this.#read(info.conversationId);
  }

  /** Shows the conversation with this id. @param {string} conversationId */
  async readOne(conversationId) {
    const { info } = await this.connection.request("chat.subscribe", { conversationId, after: 0 });
    await this.read(info);
  }

  /** @param {string} conversationId */
  #leave(conversationId) {
    this.#acknowledged.delete(conversationId);
    if (this.#connected)
      this.connection.request("chat.unsubscribe", { conversationId }).catch(() => {
        /* disconnected: the subscription ended with the connection */
      });
  }

  /** @param {string} conversationId */
  async #read(conversationId) {
    if (this.#reading.has(conversationId) || !this.#connected) return;
    const held = heldConversation(this.store.state, conversationId);
    if (!held) return;
    this.#reading.add(conversationId);
    try {
      const after = resumeAfter(held);
      const answer = await this.connection.request("chat.subscribe", { conversationId, after });
      this.store.dispatch({ type: "subscribed", answer, after });
    } catch (error) {
      this.store.dispatch({ type: "open-failed", fault: faultOf(error) });
    } finally {
      this.#reading.delete(conversationId);
    }
  }

  /** Reads a page of older events of the visible conversation. Resolves when they are in the store. */
  async older() {
    const held = shownConversation(this.store.state);
    const first = held?.events[0];
    if (!held?.older || !first || this.#loadingOlder || !this.#connected) return;
    this.#loadingOlder = true;
    const { conversationId } = held.info;
    try {
      const page = await this.connection.request("chat.history", { conversationId, before: first.seq, limit: PAGE });
      this.store.dispatch({ type: "history", conversationId, page });
    } catch {
      // The next scroll to the top requests it again.
    } finally {
      this.#loadingOlder = false;
    }
  }

  /** Drops the oldest events of the visible conversation, whose end is shown. */
  shorten() {
    const held = shownConversation(this.store.state);
    if (held) this.store.dispatch({ type: "shorten", conversationId: held.info.conversationId });
  }

  #acknowledge() {
    if (!this.#connected) return;
    for (const held of [this.store.state.conversation, this.store.state.reading]) {
      const ack = held && ackOf(held);
      if (!ack) continue;
      const spelled = `${ack.seq}:${ack.offset}`;
      if (this.#acknowledged.get(ack.conversationId) === spelled) continue;
      this.#acknowledged.set(ack.conversationId, spelled);
      this.connection.notify("chat.ack", ack);
    }
  }

  /** Takes back a queued message. @param {string} clientId */
  async unqueue(clientId) {
    const held = this.store.state.conversation;
    if (!held) return;
    await this.connection.request("chat.unqueue", { conversationId: held.info.conversationId, clientId });
    this.store.dispatch({ type: "message-dropped", clientId });
  }

  /**
   * Changes the order of the queued messages.
   * @param {string[]} clientIds  all of them, the next one first
   * @param {boolean} now  stops the running turn and runs the first one
   */
  async order(clientIds, now) {
    const held = this.store.state.conversation;
    if (held) await this.connection.request("chat.order", { conversationId: held.info.conversationId, clientIds, now });
  }

  /** Reports the composer's text: at its first character the daemon may start the agent. @param {string} text */
  writes(text) {
    if (text.trim() === "") this.#prepared = null;
    else this.prepare();
  }

  /** Reports that the person is about to write in the tab's conversation: the daemon may start its agent. */
  prepare() {
    const id = this.store.state.conversation?.info.conversationId ?? null;
    // The daemon starts one only for a conversation that this panel shows, so until then this is only recorded.
    this.#arrived = id === null || id !== this.#shown;
    if (id === null || this.#arrived || id === this.#prepared || !this.#connected) return;
    this.#prepared = id;
    this.connection.notify("chat.prepare", { conversationId: id });
  }

  async stop() {
    const held = this.store.state.conversation;
    if (!held) return;
    const { conversationId } = held.info;
    this.store.dispatch({ type: "stopping", conversationId });
    try {
      await this.connection.request("chat.stop", { conversationId });
    } catch (error) {
      this.store.dispatch({ type: "stopping", conversationId: null });
      throw error;
    }
  }

  /** Moves the conversation to the history and opens an empty one. */
  async clear() {
    const held = this.store.state.conversation;
    if (!held) return;
    await this.replace(await this.connection.request("chat.clear", { conversationId: held.info.conversationId }));
  }

  /** Makes another conversation the tab's own. @param {ConversationInfo} info */
  async replace(info) {
    const { conversation } = this.store.state;
    if (conversation && conversation.info.conversationId !== info.conversationId) this.#leave(conversation.info.conversationId);
    await this.read(null);
    this.store.dispatch({ type: "opened", info });
    await this.#read(info.conversationId);
    this.#shown = info.conversationId;
  }

  /** @param {boolean} refresh  look again instead of returning the known agents */
  refreshAgents(refresh) {
    return this.#agentsOrNothing({ refresh });
  }

  /** Examines the agents that were only found, because the person looks at the list. */
  examineAgents() {
    const isRest = this.store.state.agents?.some(({ unexamined }) => unexamined);
    return isRest ? this.#agentsOrNothing({ examine: true }) : Promise.resolve();
  }

  /** @param {{ refresh?: boolean, examine?: boolean }} how */
  async #agentsOrNothing(how) {
    try {
      await this.#agents(how);
    } catch {
      // The connection state shows the reason; the next connection brings the list.
    }
  }

  /** Looks for agents again. Returns those with a usable model; fails if the daemon cannot be reached. */
  async lookForAgents() {
    const agents = await this.#agents({ refresh: true });
    return agents.filter((agent) => agent.hasModel && !agent.fault);
  }

  /** @param {{ refresh?: boolean, examine?: boolean }} how */
  async #agents({ refresh = false, examine = false }) {
    const { agents, sandbox } = await this.connection.request("agents.list", { refresh, examine });
    this.store.dispatch({ type: "agents", agents, sandbox: sandbox ?? null });
    return agents;
  }
}
