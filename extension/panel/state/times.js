/**
 * How long steps took. Overlapping steps count once, and time spent waiting for a person does not count. Pure.
 * @import { StepItem } from "./entries.js"
 */

/** Spans of time as `from, to, from, to …`, in milliseconds. @typedef {readonly number[]} Spans */

/** Returns a step's duration: the daemon's clock stops while it waits for a person. @param {StepItem} item */
export function stepMs({ done }) {
  return done?.durationMs ?? 0;
}

/**
 * Returns the time that the finished steps took together, from their start and end times.
 * @param {readonly StepItem[]} items
 * @param {Spans} waits
 */
export function workedMs(items, waits) {
  const ended = items.flatMap(({ at, done }) => (done ? [{ at, done }] : []));
  const spans = ended.flatMap(({ at, done }) => [at, done.at]);
  const both = lengthOf(joined([...spans, ...waits]));
  // At least the longest of them: an agent may report a step only after it has ended.
  return Math.max(both - lengthOf(joined(waits)), ...ended.map(({ done }) => done.durationMs), 0);
}

/** Merges overlapping spans and sorts them. @param {Spans} spans */
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
