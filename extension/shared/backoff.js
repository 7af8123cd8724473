/**
 * The delay before the next retry. Pure: the caller owns the timer and the randomness.
 */

/** The first delay. Short, because most losses are a restart that takes a moment. */
export const FIRST_MS = 250;
/** The longest delay: after a fix, the person sees the result within this time without a click. */
export const LAST_MS = 10_000;

/**
 * Returns the delay before retry number `attempt` (0 for the first after a loss), in milliseconds. It doubles up to
 * {@link LAST_MS}; up to a quarter is subtracted at random, so that several browsers do not retry at the same moment.
 * @param {number} attempt
 * @param {number} random  in 0 … 1
 */
export function backoff(attempt, random) {
  const full = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(full * (1 - random / 4));
}
