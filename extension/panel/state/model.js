/**
 * Which model a conversation takes, as a person chooses it. Pure.
 * @import { AgentInfo, ModelInfo } from "../../protocol.js"
 */

/** Always understood, whatever the agent offers; null is "by what each message asks". */
export const TIERS = /** @type {const} */ ([null, "fast", "deep"]);

/**
 * The chosen model when the agent changes: a tier holds for every agent, a model of the one before does not.
 * @param {string | null | undefined} model
 */
export function keptModel(model) {
  return model === "fast" || model === "deep" ? model : null;
}

/** The models that an agent offers besides the tiers. @param {AgentInfo | undefined} agent @returns {ModelInfo[]} */
export function modelsOf(agent) {
  return agent?.hasModel ? (agent.models ?? []) : [];
}

/** The model's name on the button; null for automatic. @param {string | null | undefined} model @param {AgentInfo | undefined} agent */
export function modelName(model, agent) {
  if (!model || model === "fast" || model === "deep") return model ?? null;
  return modelsOf(agent).find(({ id }) => id === model)?.label ?? model;
}

/**
 * What a person wrote as a model: a tier, an id or a label of the agent's.
 * @param {string} text
 * @param {AgentInfo | undefined} agent
 * @returns {{ model: string | null } | null}
 */
export function modelNamed(text, agent) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "auto" || wanted === "") return { model: null };
  if (wanted === "fast" || wanted === "deep") return { model: wanted };
  const found = modelsOf(agent).find(({ id, label }) => id.toLowerCase() === wanted || label.toLowerCase() === wanted);
  return found ? { model: found.id } : null;
}
