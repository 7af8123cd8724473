/*
 * Web vitals: the load time and responsiveness of the page, by the browser's own measurements.
 *
 * Owns the reading of the browser's performance entries. Reads only buffered entries: nothing is observed before.
 * Definitions: https://web.dev/articles/vitals
 */

/* In milliseconds. Layout shifts form one session with less than this gap between them, up to this total. */
const SHIFT_GAP = 1000;
const SHIFT_WINDOW = 5000;
/* One slow interaction out of this many is ignored. */
const INTERACTIONS_A_SLOW_ONE = 50;

/** Returns the buffered entries of a type. @param {string} type @returns {any[]} */
function keptEntries(type) {
  if (!PerformanceObserver.supportedEntryTypes.includes(type)) return [];
  const observer = new PerformanceObserver(() => {});
  observer.observe({ type, buffered: true });
  const entries = observer.takeRecords();
  observer.disconnect();
  return entries;
}

/** Returns the largest session sum of layout shifts that no input caused. */
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

/** Returns the slowest response to an input. null if there was no input, or if all were too fast to be recorded. */
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

/** Returns times in milliseconds since the page was shown; null: not measured. */
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
