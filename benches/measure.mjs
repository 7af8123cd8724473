/*
 * Timing and statistics: samples, median, 95th percentile, ratio. Owns the order of the runs. Never decides what is
 * fast or slow.
 */

/** Runs before those that count, to warm up caches and connections on every side. */
const WARM_UP_RUNS = 3;
/**
 * A random pause of up to this length precedes each run, so that no side always starts at the same point of a frame
 * (16.7 ms).
 */
const LONGEST_PAUSE_MS = 50;

/** Waits for a random time of up to `longest` milliseconds. */
export const pause = (longest) => new Promise((resolve) => setTimeout(resolve, Math.random() * longest));

/** Returns the duration of `work`, in milliseconds. */
export async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/**
 * Runs all sides alternately, so that other load on the machine affects each of them equally.
 * @template Sample
 * @param {number} runs  counted runs of each side
 * @param {Record<string, (run: number) => Promise<Sample>>} sides  by name; each returns one run's time in ms
 * @returns {Promise<Map<string, Sample[]>>} the samples by name
 */
export async function alternately(runs, sides) {
  const samples = new Map(Object.keys(sides).map((name) => [name, []]));
  for (let run = -WARM_UP_RUNS; run < runs; run += 1) {
    for (const [name, side] of Object.entries(sides)) {
      await pause(LONGEST_PAUSE_MS);
      const taken = await side(run);
      if (run >= 0) samples.get(name).push(taken);
    }
  }
  return samples;
}

/** Returns the value that `share` of the samples do not exceed (nearest rank). */
function percentile(samples, share) {
  const sorted = [...samples].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

export const median = (samples) => percentile(samples, 0.5);
export const p95 = (samples) => percentile(samples, 0.95);
export const p99 = (samples) => percentile(samples, 0.99);
