/**
 * How long steps took: what ran side by side counts once, and the time in which a person was waited for does not count. Pure.
 * @import { StepItem } from "./entries.js"
 */

/** Spans of time as `from, to, from, to …`, in milliseconds. @typedef {readonly number[]} Spans */

/** What a step took: the daemon's clock stands still while a person is waited for. @param {StepItem} item */
export function stepMs({ done }) {
  return done?.durationMs ?? 0;
}

/** What the ended of these steps took together, by when they began and ended. @param {readonly StepItem[]} items @param {Spans} waits */
export function workedMs(items, waits) {
  const ended = items.flatMap(({ at, done }) => (done ? [{ at, done }] : []));
  const spans = ended.flatMap(({ at, done }) => [at, done.at]);
  const both = lengthOf(joined([...spans, ...waits]));
  // Never less than the longest of them: an agent may tell of a step when it is over.
  return Math.max(both - lengthOf(joined(waits)), ...ended.map(({ done }) => done.durationMs), 0);
}

/** Without overlaps, in order. @param {Spans} spans */
function joined(spans) {
  const pairs = [];
  for (let index = 0; index < spans.length; index += 2) pairs.push({ from: spans[index] ?? 0, to: spans[index + 1] ?? 0 });
  /** @type {{ from: number, to: number }[]} */
  const apart = [];
  for (const { from, to } of pairs.toSorted((one, other) => one.from - other.from)) {
    const last = apart.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else apart.push({ from, to });
  }
  return apart;
}

/** @param {{ from: number, to: number }[]} apart */
function lengthOf(apart) {
  return apart.reduce((sum, { from, to }) => sum + to - from, 0);
}
