/**
 * The complete state of a panel and every way to change it. Pure.
 * @import { AgentInfo, ChatDelta, ChatEvent, ConversationInfo, DriverAnswered } from "../../protocol.js"
 * @import { DriversShown, Fault, HistoryPage, PolicyRule, SandboxInfo } from "../../protocol.js"
 * @import { Subscribed, TabWithConversation } from "../../protocol.js"
 * @import { ConnectionState } from "../../shared/wire.js"
 * @import { Conversation } from "./conversation.js"
 * @import { DriversHeld } from "./drivers.js"
 * @import { Unsent } from "./outbox.js"
 */
import { grown, missed, newConversation, prepended, pushed, shortened, subscribed } from "./conversation.js";
import { agentLabel } from "./agent-label.js";
import { runningTurn } from "./entries.js";
import { driverAnswered, driverSeen, driversChanged, NO_DRIVERS } from "./drivers.js";
import { arrived, changed, interrupted, rehomed, without } from "./outbox.js";

/**
 * @typedef {{ chromeTabId: number, title: string, url: string }} TabView  the tab in view of this window
 *
 * @typedef {object} PanelState
 * @property {ConnectionState} connection
 * @property {TabView | null} tab
 * @property {Conversation | null} conversation  the conversation of the tab in view
 * @property {Conversation | null} reading  a conversation from the history that is shown instead
 * @property {Unsent[]} outbox
 * @property {AgentInfo[] | null} agents  null until the daemon has sent them
 * @property {SandboxInfo | null} sandbox  the agents' sandbox, once it is known
 * @property {TabWithConversation[]} tabs
 * @property {DriversHeld} drivers  the MCP clients
 * @property {PolicyRule[] | null} rules  the person's rules; null until the daemon has sent them
 * @property {Fault | null} openFault  why the tab has no conversation
 * @property {Fault | null} notice  the daemon's last problem apart from the connection, until the person dismisses it
 * @property {string | null} stopping  the conversation whose turn the person is stopping
 *
 * @typedef {{ type: "connection", state: ConnectionState }
 *   | { type: "tab", tab: TabView }
 *   | { type: "opened", info: ConversationInfo, insteadOf?: string | null }
 *   | { type: "open-failed", fault: Fault }
 *   | { type: "notice", fault: Fault | null }
 *   | { type: "read", info: ConversationInfo | null }
 *   | { type: "subscribed", answer: Subscribed, after: number }
 *   | { type: "history", conversationId: string, page: HistoryPage }
 *   | { type: "shorten", conversationId: string }
 *   | { type: "event", conversationId: string, event: ChatEvent }
 *   | { type: "delta", delta: ChatDelta }
 *   | { type: "gap", conversationId: string }
 *   | { type: "info", info: ConversationInfo }
 *   | { type: "agents", agents: AgentInfo[], sandbox?: SandboxInfo | null }
 *   | { type: "tabs", tabs: TabWithConversation[] }
 *   | { type: "drivers", shown: DriversShown }
 *   | { type: "driver-answered", answered: DriverAnswered }
 *   | { type: "driver-seen", approvalId: string }
 *   | { type: "rules", rules: PolicyRule[] }
 *   | { type: "restored", outbox: Unsent[] }
 *   | { type: "queued", message: Unsent }
 *   | { type: "message-changed", clientId: string, change: Partial<Unsent> }
 *   | { type: "message-dropped", clientId: string }
 *   | { type: "stopping", conversationId: string | null }
 * } Action
 */

/** @type {PanelState} */
export const INITIAL = {
  connection: { status: "connecting", fault: null, welcome: null, retryAt: null },
  tab: null,
  conversation: null,
  reading: null,
  outbox: [],
  agents: null,
  sandbox: null,
  tabs: [],
  drivers: NO_DRIVERS,
  rules: null,
  openFault: null,
  notice: null,
  stopping: null,
};

/** Returns the visible conversation. @param {PanelState} state */
export function shownConversation({ conversation, reading }) {
  return reading ?? conversation;
}

/** Returns the held conversation with that id. @param {PanelState} state @param {string} id */
export function heldConversation({ conversation, reading }, id) {
  return [conversation, reading].find((each) => each?.info.conversationId === id) ?? null;
}

/**
 * Returns the extension on disk if it is newer than the running one. It may be reloaded while no turn runs.
 * @param {PanelState} state
 * @param {string} own  this extension's version
 * @returns {{ version: string, mayReload: boolean } | null}
 */
export function newerExtension({ connection, conversation, tabs, outbox }, own) {
  const version = connection.welcome?.extensionVersion;
  if (!version || version === own) return null;
  const runs = tabs.some(({ running }) => running) || (conversation !== null && runningTurn(conversation.view) !== null);
  return { version, mayReload: !runs && outbox.every(({ state }) => state === "failed") };
}

/**
 * @param {PanelState} state
 * @param {string} id
 * @param {(held: Conversation) => Conversation} change
 * @returns {PanelState}
 */
function changeConversation(state, id, change) {
  /** @param {Conversation | null} held */
  const one = (held) => (held?.info.conversationId === id ? change(held) : held);
  const conversation = one(state.conversation);
  const reading = one(state.reading);
  return conversation === state.conversation && reading === state.reading ? state : { ...state, conversation, reading };
}

/**
 * @param {PanelState} state
 * @param {Action} action
 * @returns {PanelState}
 */
export function reduce(state, action) {
  switch (action.type) {
    case "connection": {
      const lost = action.state.status !== "connected";
      return {
        ...state,
        connection: action.state,
        outbox: lost ? interrupted(state.outbox) : state.outbox,
        stopping: lost ? null : state.stopping,
        notice: lost ? null : state.notice,
        // The daemon tells what still waits once it is connected again.
        drivers: lost ? NO_DRIVERS : state.drivers,
      };
    }
    case "tab": {
      const same = state.tab?.chromeTabId === action.tab.chromeTabId;
      return same ? { ...state, tab: action.tab } : { ...state, tab: action.tab, conversation: null, reading: null, openFault: null };
    }
    case "opened": {
      const held =
        state.conversation?.info.conversationId === action.info.conversationId ? state.conversation : newConversation(action.info);
      const insteadOf = action.insteadOf ?? held.insteadOf;
      const outbox = rehomed(state.outbox, action.info.conversationId, action.insteadOf);
      return { ...state, conversation: { ...held, info: action.info, insteadOf }, outbox, openFault: null };
    }
    case "open-failed":
      return { ...state, openFault: action.fault };
    case "notice":
      return { ...state, notice: action.fault };
    case "read":
      return { ...state, reading: action.info && newConversation(action.info) };
    case "subscribed": {
      const next = changeConversation(state, action.answer.info.conversationId, (held) => subscribed(held, action.answer, action.after));
      return { ...next, outbox: arrived(next.outbox, action.answer.events) };
    }
    case "history":
      return changeConversation(state, action.conversationId, (held) => prepended(held, action.page));
    case "shorten":
      return changeConversation(state, action.conversationId, shortened);
    case "event": {
      const next = changeConversation(state, action.conversationId, (held) => pushed(held, action.event));
      const outbox = arrived(next.outbox, [action.event]);
      const stopping = action.event.type === "turn-done" && next.stopping === action.conversationId ? null : next.stopping;
      return outbox === next.outbox && stopping === next.stopping ? next : { ...next, outbox, stopping };
    }
    case "delta":
      return changeConversation(state, action.delta.conversationId, (held) => grown(held, action.delta));
    case "gap":
      return changeConversation(state, action.conversationId, missed);
    case "info":
      return changeConversation(state, action.info.conversationId, (held) => ({ ...held, info: action.info }));
    case "agents":
      return {
        ...state,
        agents: action.agents.map((agent) => ({ ...agent, label: agentLabel(agent.name, agent.label) })),
        sandbox: action.sandbox ?? null,
      };
    case "tabs":
      return { ...state, tabs: action.tabs };
    case "drivers":
      return { ...state, drivers: driversChanged(state.drivers, action.shown) };
    case "driver-answered":
      return { ...state, drivers: driverAnswered(state.drivers, action.answered) };
    case "driver-seen":
      return { ...state, drivers: driverSeen(state.drivers, action.approvalId) };
    case "rules":
      return { ...state, rules: action.rules };
    case "restored":
      return { ...state, outbox: [...action.outbox, ...state.outbox] };
    case "queued":
      return { ...state, outbox: [...state.outbox, action.message] };
    case "message-changed": {
      const outbox = changed(state.outbox, action.clientId, action.change);
      const inView = state.conversation?.info.conversationId;
      return { ...state, outbox: inView === undefined ? outbox : rehomed(outbox, inView) };
    }
    case "message-dropped":
      return { ...state, outbox: without(state.outbox, action.clientId) };
    case "stopping":
      return { ...state, stopping: action.conversationId };
  }
}
