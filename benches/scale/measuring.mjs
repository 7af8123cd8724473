/*
 * What one point of a scale run measures: the time of a command, the daemon's processor time for it, and memory.
 * Reads /proc, so Linux only.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { median, p95, pause, timed } from '../measure.mjs';

const WARM_UP_RUNS = 2;
/** Samples begin at different moments of a frame (16.7 ms). */
const LONGEST_PAUSE_MS = 17;

/** Returns the memory of a process that is its own, and its part of what it shares (PSS), in MiB. */
export function memoryOf(pid) {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024;
}

/** Returns the sum and the number of these processes' memories; one that has just ended counts nothing. */
export function memoryOfAll(pids) {
  let [sum, count] = [0, 0];
  for (const pid of pids) {
    try {
      sum += memoryOf(pid);
      count += 1;
    } catch {
      // It ended between the list and this.
    }
  }
  return { sum, count };
}

/** Returns the processor time of a process's threads so far, in ms. */
export function processorMillis(pid) {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread has ended.
    }
  }
  return nanoseconds / 1e6;
}

/** Returns `{ median, p95, runs }` of samples in ms; rounded, since more digits would be noise. */
export function summary(samples) {
  if (samples.length === 0) throw new Error('nothing was measured');
  const round = (value) => Number(value.toFixed(3));
  return { median: round(median(samples)), p95: round(p95(samples)), runs: samples.length };
}

/** Measures `work`, one run after the other; after `limitMs`, with the runs made by then (three at least). */
export async function times(runs, work, limitMs = 30_000) {
  for (let run = 0; run < WARM_UP_RUNS; run += 1) await work();
  const samples = [];
  const end = performance.now() + limitMs;
  for (let run = 0; run < runs && (run < 3 || performance.now() < end); run += 1) {
    await pause(LONGEST_PAUSE_MS);
    samples.push(await timed(work));
  }
  return summary(samples);
}

/** Returns the processor time that `pid` uses for one of `runs` calls of `work`, in ms. */
export async function processorTime(pid, runs, work) {
  await work();
  const before = processorMillis(pid);
  for (let run = 0; run < runs; run += 1) await work();
  return Number(Math.max(0, (processorMillis(pid) - before) / runs).toFixed(3));
}

/** Runs `work` for each item, `atOnce` at the same time. */
export async function several(items, atOnce, work) {
  const waiting = [...items];
  await Promise.all(
    Array.from({ length: Math.min(atOnce, waiting.length) }, async () => {
      while (waiting.length > 0) await work(waiting.shift());
    }),
  );
}
