/**
 * The person's choice of a conversation's model. Pure.
 * @import { AgentInfo, ModelInfo } from "../../protocol.js"
 */

/** Accepted for every agent; null means "chosen per message". */
export const TIERS = /** @type {const} */ ([null, "fast", "deep"]);

/**
 * Returns the chosen model after the agent changes: a tier applies to every agent, but a specific model does not.
 * @param {string | null | undefined} model
 */
export function keptModel(model) {
  return model === "fast" || model === "deep" ? model : null;
}

/**
 * Returns the models that an agent offers besides the tiers.
 * @param {AgentInfo | undefined} agent
 * @returns {ModelInfo[]}
 */
export function modelsOf(agent) {
  return agent?.hasModel ? (agent.models ?? []) : [];
}

/**
 * Returns the model's name for the button; null for automatic.
 * @param {string | null | undefined} model
 * @param {AgentInfo | undefined} agent
 */
export function modelName(model, agent) {
  if (!model || model === "fast" || model === "deep") return model ?? null;
  return modelsOf(agent).find(({ id }) => id === model)?.label ?? model;
}

/**
 * Resolves the model that a person typed: a tier, or an id or label of the agent's.
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
