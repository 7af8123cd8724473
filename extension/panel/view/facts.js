/**
 * The text of a turn's footer: its current activity, and at its end agent, model, time, tokens and cost.
 * @import { Usage } from "../../protocol.js"
 * @import { TurnEntry } from "../state/entries.js"
 */
import { t } from "../../shared/i18n.js";
import { cost, decimal, duration, elapsed, modelName, tokens } from "../format.js";
import { openAsk } from "../state/entries.js";

/** @param {TurnEntry} turn @param {number} now @param {boolean} waitsForSlot */
export function factsOf(turn, now, waitsForSlot) {
  const { done, startedAt, agentLabel, model, direct } = turn;
  // A command that ran without a model has no agent or model to name.
  const who = direct ? [t("ranDirect")] : [agentLabel.toLowerCase(), ...(model ? [modelName(model)] : [])];
  if (!done) {
    const asked = openAsk(turn);
    // Nothing has arrived yet: the agent's program may still be starting.
    const nothing = turn.items.length === 0 && !waitsForSlot && !direct;
    const first = nothing
      ? t("waitingForAgent", agentLabel, elapsed(now - startedAt))
      : asked
        ? t("waitingForYou", elapsed(now - asked.at))
        : waitsForSlot
          ? t("waitingForSlot", elapsed(now - startedAt))
          : t("working", elapsed(now - startedAt));
    return [first, ...(nothing ? [] : who)];
  }
  const outcome = done.outcome === "done" ? [] : [t(`outcome_${done.outcome}`)];
  const { usage, costUsd } = done;
  const read = usage ? usage.inputTokens + usage.cachedTokens + usage.outputTokens : 0;
  // A narrow panel must still show the cost, so it comes before the parts that are cut off.
  return [
    ...outcome,
    ...who,
    duration(done.durationMs),
    ...(costUsd ? [cost(costUsd)] : []),
    ...(read > 0 ? [t("tokens", tokens(read))] : []),
  ];
}

/** @param {Usage} usage */
export function usageWords({ inputTokens, cachedTokens, outputTokens, contextTokens, contextWindow }) {
  return [
    t("usageRead", decimal(inputTokens)),
    ...(cachedTokens > 0 ? [t("usageCached", decimal(cachedTokens))] : []),
    t("usageWritten", decimal(outputTokens)),
    ...(contextWindow > 0 ? [t("usageContext", Math.round((contextTokens / contextWindow) * 100))] : []),
  ].join(", ");
}
