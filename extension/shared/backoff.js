/**
 * How long to wait before the next try. Pure: the caller owns timer and randomness.
 */

/** The first wait. Short, since most losses are a restart that takes a moment. */
export const FIRST_MS = 250;
/** The longest wait: a person who fixes something sees it within this time without a click. */
export const LAST_MS = 10_000;

/**
 * The wait before try number `attempt` (0 for the first after a loss), in milliseconds. It doubles up to
 * {@link LAST_MS}; up to a quarter is taken off at random so that several browsers do not come at once.
 * @param {number} attempt
 * @param {number} random  in 0 … 1
 */
export function backoff(attempt, random) {
  const full = Math.min(LAST_MS, FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(full * (1 - random / 4));
}
