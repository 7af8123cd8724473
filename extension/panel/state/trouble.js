/**
 * The state of the path from the panel to the agent, as one value in one place. Pure.
 * @import { AgentInfo, ConversationInfo, Fault, Hop } from "../../protocol.js"
 * @import { ConnectionState } from "../../shared/wire.js"
 */

/** The hops that are shown to a person, in order. */
export const HOPS = /** @type {const} */ (["panel", "background", "host", "daemon", "browser", "agent"]);

/**
 * @typedef {object} Trouble
 * @property {Hop} hop  the broken hop
 * @property {Fault} fault
 * @property {boolean} trying  whether an automatic retry follows
 */

/**
 * Returns what is wrong between panel and daemon; null if nothing is wrong, or nothing is known yet.
 * @param {ConnectionState} connection
 * @returns {Trouble | null}
 */
export function troubleOf({ status, fault, retryAt }) {
  if (status === "connected" || !fault) return null;
  // If the person has to run a command, "reconnecting" would promise something that does not happen.
  return { hop: fault.hop ?? "daemon", fault, trying: fault.command == null && (status === "connecting" || retryAt !== null) };
}

/** Returns the hop before `hop`: a fault is drawn between two hops. @param {Hop} hop @returns {Hop} */
export function before(hop) {
  return HOPS[Math.max(0, HOPS.indexOf(hop) - 1)] ?? "panel";
}

/**
 * Returns the conversation's agent.
 * @param {AgentInfo[] | null} agents
 * @param {ConversationInfo | null} info
 * @returns {AgentInfo | undefined}
 */
export function chosenAgent(agents, info) {
  return agents?.find(({ name }) => name === info?.agent) ?? agents?.find((agent) => agent.default);
}

/** Returns whether only the built-in commands can answer. @param {AgentInfo[] | null} agents */
export function onlyBuiltIn(agents) {
  return agents !== null && !agents.some(({ hasModel, status }) => hasModel && status !== "missing");
}
