/*
 * What a visitor felt of the page's loading and of its answers, by the browser's own measurements.
 *
 * Owns the reading of the browser's performance entries. Only those that it has kept: nothing is observed beforehand.
 * Definitions: https://web.dev/articles/vitals
 */

/* Layout shifts belong together with less than this between two of them, up to this in all. In milliseconds. */
const SHIFT_GAP = 1000;
const SHIFT_WINDOW = 5000;
/* One slow interaction of so many is left out. */
const INTERACTIONS_A_SLOW_ONE = 50;

/** The entries of a type that the browser has kept. @param {string} type @returns {any[]} */
function keptEntries(type) {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return [];
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type, buffered: true });
  const entries = observer.takeRecords();
  observer.disconnect();
  return entries;
}

/** The largest sum of shifts in a row that no input caused. */
function layoutShift() {
  let [worst, sum, first, last] = [0, 0, 0, 0];
  for (const { startTime, value, hadRecentInput } of keptEntries('layout-shift')) {
    if (hadRecentInput) continue;
    const goesOn = sum > 0 && startTime - last < SHIFT_GAP && startTime - first < SHIFT_WINDOW;
    if (!goesOn) first = startTime;
    sum = goesOn ? sum + value : value;
    last = startTime;
    worst = Math.max(worst, sum);
  }
  return worst;
}

/** The slowest answer to an input. Null without an input, and where all of them were too fast to be kept. */
function slowestAnswer() {
  /** @type {Map<number, number>} */
  const durations = new Map();
  for (const { interactionId, duration } of [...keptEntries('event'), ...keptEntries('first-input')])
    if (interactionId) durations.set(interactionId, Math.max(duration, durations.get(interactionId) ?? 0));
  const slowest = [...durations.values()].sort((one, other) => other - one);
  const left = Math.floor(interactions() / INTERACTIONS_A_SLOW_ONE);
  return slowest[Math.min(left, slowest.length - 1)] ?? null;
}

function interactions() {
  return /** @type {any} */ (performance).interactionCount ?? 0;
}

/** Times in milliseconds since the page was shown; null: not measured. */
function readVitals() {
  const navigation = /** @type {any} */ (performance.getEntriesByType('navigation')[0]);
  const shown = navigation?.activationStart ?? 0;
  const since = (/** @type {number | undefined} */ time) => (time ? Math.max(time - shown, 0) : null);
  const painted = keptEntries('paint').find(({ name }) => name === 'first-contentful-paint');
  return {
    lcp: since(keptEntries('largest-contentful-paint').at(-1)?.startTime),
    inp: slowestAnswer(),
    cls: painted ? layoutShift() : null,
    ttfb: since(navigation?.responseStart),
    fcp: since(painted?.startTime),
    interactions: interactions(),
  };
}
