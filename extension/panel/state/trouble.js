/**
 * The state of the way from the panel to the agent, in one word and one place. Pure.
 * @import { AgentInfo, ConversationInfo, Fault, Hop } from "../../protocol.js"
 * @import { ConnectionState } from "../../shared/wire.js"
 */

/** The hops that a person is shown, in their order. */
export const HOPS = /** @type {const} */ (["panel", "background", "host", "daemon", "browser", "agent"]);

/**
 * @typedef {object} Trouble
 * @property {Hop} hop  where it is broken
 * @property {Fault} fault
 * @property {boolean} trying  it is tried again by itself
 */

/**
 * What is wrong between panel and daemon; null when nothing is, or nothing is known yet.
 * @param {ConnectionState} connection
 * @returns {Trouble | null}
 */
export function troubleOf({ status, fault, retryAt }) {
  if (status === "connected" || !fault) return null;
  // A command is for the person to run: saying "reconnecting" would promise what nobody does.
  return { hop: fault.hop ?? "daemon", fault, trying: fault.command == null && (status === "connecting" || retryAt !== null) };
}

/** The hop before `hop`: trouble is drawn between two. @param {Hop} hop @returns {Hop} */
export function before(hop) {
  return HOPS[Math.max(0, HOPS.indexOf(hop) - 1)] ?? "panel";
}

/**
 * The agent that the conversation talks to.
 * @param {AgentInfo[] | null} agents
 * @param {ConversationInfo | null} info
 * @returns {AgentInfo | undefined}
 */
export function chosenAgent(agents, info) {
  return agents?.find(({ name }) => name === info?.agent) ?? agents?.find((agent) => agent.default);
}

/** Whether nothing but the built-in commands can answer. @param {AgentInfo[] | null} agents */
export function onlyBuiltIn(agents) {
  return agents !== null && !agents.some(({ hasModel, status }) => hasModel && status !== "missing");
}
