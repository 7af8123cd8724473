/**
 * The mode of a conversation's agent: whether it asks before it writes a file or runs a command. Pure.
 * @import { AgentInfo, ConversationInfo, ModeInfo } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";

/** The modes that gstack adds, with their names in the person's language. */
const OWN = new Map([
  ["gstack:read-only", () => t("modeReadOnly")],
  ["gstack:writes", () => t("modeWrites")],
]);

/** @param {ModeInfo} mode */
export function modeName({ id, label }) {
  return OWN.get(id)?.() ?? label;
}

/**
 * Returns the mode that a person must see without opening the menu: the agent does not ask in it, or cannot write.
 * @param {ConversationInfo | null} info
 * @param {AgentInfo} agent
 * @returns {ModeInfo | null}
 */
export function notableMode(info, agent) {
  const now = info?.currentMode ?? agent.modes?.find(({ id }) => id === info?.mode);
  return now && (!now.asks || OWN.has(now.id)) ? now : null;
}
