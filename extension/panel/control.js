/**
 * A person's decisions about conversations: answers, agent and model, folder, tabs, names, rules.
 *
 * Owns these requests. Results go through the store; nothing changes here before the daemon has confirmed it.
 * @import { AgentName, ConversationInfo, Decision, PolicyAdd, PolicyRule } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./tab-conversation.js"
 */
import { unattended } from "./state/policy.js";

export class Control {
  /**
   * @param {Connection} connection
   * @param {PanelStore} store
   * @param {(info: ConversationInfo) => Promise<void>} replace  shows another conversation as the tab's own
   */
  constructor(connection, store, replace) {
    this.connection = connection;
    this.store = store;
    this.replace = replace;
  }

  /** The id of the tab's own conversation. */
  get #own() {
    return this.store.state.conversation?.info.conversationId ?? null;
  }

  /** @param {ConversationInfo} info */
  #took(info) {
    this.store.dispatch({ type: "info", info });
    return info;
  }

  /**
   * Answers an approval.
   * @param {string} conversationId
   * @param {string} approvalId
   * @param {Decision} decision
   * @param {string | null} text  replaces the agent's text; null keeps it
   */
  async answer(conversationId, approvalId, decision, text) {
    await this.connection.request("approval.answer", { conversationId, approvalId, decision, ...(text !== null && { text }) });
  }

  /**
   * Answers an approval of an MCP client.
   * @param {string} approvalId
   * @param {Decision} decision
   * @param {string | null} text
   */
  async answerDriver(approvalId, decision, text) {
    const ask = this.store.state.drivers.asks.find(({ asked }) => asked.approval.approvalId === approvalId);
    if (!ask) return;
    await this.answer(ask.asked.approval.conversationId, approvalId, decision, text);
    this.store.dispatch({ type: "driver-seen", approvalId });
  }

  /** Takes the tab in view back from the MCP client that leases it. */
  async takeTabBack() {
    const { tab } = this.store.state;
    if (tab) await this.connection.request("drivers.release", { chromeTabId: tab.chromeTabId });
  }

  /** Gives the tab in view to a connected client. @param {string} driverId */
  async giveTab(driverId) {
    const { tab } = this.store.state;
    if (tab) await this.connection.request("drivers.give", { chromeTabId: tab.chromeTabId, driverId });
  }

  /** Hands the tab in view back to the paused agent or client. @param {string} note  may be empty */
  async handTabBack(note) {
    const { tab } = this.store.state;
    if (tab) await this.connection.request("drivers.handBack", { chromeTabId: tab.chromeTabId, ...(note && { note }) });
  }

  /**
   * Answers a question.
   * @param {string} conversationId
   * @param {string} questionId
   * @param {string[][]} answers  empty if the person declines to answer
   */
  async answerQuestion(conversationId, questionId, answers) {
    await this.connection.request("question.answer", { conversationId, questionId, answers });
  }

  /**
   * Chooses the agent, its model and its mode.
   * @param {AgentName | null} agent  null for the default
   * @param {string | null} model  null: chosen per message
   * @param {string | null} mode  null: the one in which the agent asks
   */
  async choose(agent, model, mode) {
    const conversationId = this.#own;
    if (conversationId) this.#took(await this.connection.request("agents.choose", { conversationId, agent, model, mode }));
  }

  /** Sets the working folder. @param {string} folder  an absolute path, or one that starts with `~/` */
  async setFolder(folder) {
    const conversationId = this.#own;
    if (conversationId) this.#took(await this.connection.request("conversations.folder", { conversationId, folder }));
  }

  /** Lets the agent use a tab, or revokes it. @param {number} chromeTabId @param {boolean} allowed */
  async setTab(chromeTabId, allowed) {
    const conversationId = this.#own;
    if (conversationId) this.#took(await this.connection.request("conversations.tab", { conversationId, chromeTabId, allowed }));
  }

  /** Resumes the messages that wait after a turn which did not end well. */
  async goOn() {
    const conversationId = this.#own;
    if (conversationId) await this.connection.request("chat.continue", { conversationId });
  }

  /** Stops the turns of all conversations. */
  async stopAll() {
    return (await this.connection.request("chat.stopAll", {})).turns;
  }

  /** @param {string} conversationId @param {string} title */
  async rename(conversationId, title) {
    return this.#took(await this.connection.request("conversations.rename", { conversationId, title }));
  }

  /** @param {string} conversationId */
  async remove(conversationId) {
    await this.connection.request("conversations.delete", { conversationId });
    const { conversation, reading, tab } = this.store.state;
    if (reading?.info.conversationId === conversationId) this.store.dispatch({ type: "read", info: null });
    // The tab's own conversation was deleted, so the tab gets a new one.
    if (tab && conversation?.info.conversationId === conversationId)
      await this.replace(await this.connection.request("chat.open", { chromeTabId: tab.chromeTabId }));
  }

  /** @param {string} conversationId */
  restore(conversationId) {
    return this.connection.request("conversations.restore", { conversationId });
  }

  /** Continues a conversation in the tab in view. @param {string} conversationId */
  async attach(conversationId) {
    const { tab } = this.store.state;
    if (tab) await this.replace(await this.connection.request("conversations.attach", { conversationId, chromeTabId: tab.chromeTabId }));
  }

  /** Saves a note for the workspace. @param {string} text */
  async note(text) {
    const conversationId = this.#own;
    return conversationId ? (await this.connection.request("inbox.leave", { conversationId, text })).path : null;
  }

  async readPolicy() {
    const policy = await this.connection.request("policy.list", {});
    this.#ruled(policy.rules);
    return policy;
  }

  /** @param {PolicyAdd} rule */
  async addRule(rule) {
    this.#ruled((await this.connection.request("policy.add", rule)).rules);
  }

  /** @param {string} id */
  async removeRule(id) {
    const policy = await this.connection.request("policy.remove", { id });
    this.#ruled(policy.rules);
    return policy;
  }

  /** Suspends approvals in this conversation for a while. @param {number} minutes */
  async workUnattended(minutes) {
    const conversationId = this.#own;
    if (conversationId) await this.addRule(unattended(conversationId, minutes, Date.now()));
  }

  /** @param {PolicyRule[]} rules */
  #ruled(rules) {
    this.store.dispatch({ type: "rules", rules });
  }
}
