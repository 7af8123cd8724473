/**
 * The state of the path from the panel to the agent, as one value in one place. Pure.
 * @import { AgentInfo, ConversationInfo, Fault, Hop } from "../../protocol.js"
 * @import { ConnectionState } from "../../shared/wire.js"
 */

/** The hops that the debug drawer shows, in order. */
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

/** The parts that a person knows, in order: several hops are one part to them. */
export const PARTS = /** @type {const} */ (["panel", "extension", "gstack", "agent"]);

/** Returns the part that a hop belongs to. @param {Hop} hop @returns {(typeof PARTS)[number]} */
export function partOf(hop) {
  if (hop === "panel" || hop === "agent") return hop;
  return hop === "background" ? "extension" : "gstack";
}

/**
 * Returns whether nothing is broken and only the person's confirmation of this browser is missing.
 * @param {Trouble} trouble
 */
export function isUnconfirmed({ fault }) {
  return fault.code === "panel-unconfirmed";
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
