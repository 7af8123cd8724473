/**
 * A person's rules as the panel shows them. Pure; only the daemon decides what a rule means.
 * @import { PolicyAdd, PolicyRule } from "../../protocol.js"
 */

/** How long a person can let an agent work unattended, in minutes. The last one stands for "until I stop it". */
export const SPANS = [15, 60, 24 * 60];

/** @param {PolicyRule[]} rules @param {number} now */
export function inForce(rules, now) {
  return rules.filter(({ until }) => until === undefined || until > now);
}

/**
 * Returns the active rule that lets a conversation's agent work unattended, if any.
 * @param {PolicyRule[] | null} rules
 * @param {string | undefined} conversationId
 * @param {number} now
 * @returns {PolicyRule | null}
 */
export function unattendedRule(rules, conversationId, now) {
  return (
    inForce(rules ?? [], now).find(
      (rule) =>
        rule.effect === "allow" &&
        rule.scope === "everything" &&
        rule.until !== undefined &&
        !rule.site &&
        (rule.conversationId == null || rule.conversationId === conversationId),
    ) ?? null
  );
}

/**
 * Returns the parameters of `policy.add` for a span.
 * @param {string} conversationId
 * @param {number} minutes
 * @param {number} now
 * @returns {PolicyAdd}
 */
export function unattended(conversationId, minutes, now) {
  return { effect: "allow", scope: "everything", conversationId, until: now + minutes * 60_000 };
}

/**
 * Parses a span in minutes as a person writes it: `15`, `15m`, `1h`. Null for anything else, and for more than a day.
 * @param {string} text
 */
export function spanOf(text) {
  const found = /^(\d{1,4})\s*(m|min|minutes?|h|hours?)?$/i.exec(text.trim());
  if (!found) return null;
  const minutes = Number(found[1]) * (found[2]?.toLowerCase().startsWith("h") ? 60 : 1);
  return minutes > 0 && minutes <= 24 * 60 ? minutes : null;
}
