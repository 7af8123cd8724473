/*
 * Waiting for a condition outside of a page, with a deadline that fails in words.
 * Inside of pages conditions are watched by a MutationObserver (devtools.mjs).
 */
import { readFileSync } from 'node:fs';

/** How long anything may take before a test gives up, while the machine has a processor to spare. */
export const DEADLINE_MS = Number(process.env.GSTACK_TEST_DEADLINE_MS ?? 30_000);
/** How much longer than its limit a wait may take on a machine that is busy all the time. */
const MOST_PATIENT = 10;

/** How long some task has waited for a processor since the machine started, in ms. Linux tells it (PSI); elsewhere it is 0. */
function starved() {
  try {
    return Number(/^some .*total=(\d+)/.exec(readFileSync('/proc/pressure/cpu', 'utf8'))?.[1] ?? 0) / 1000;
  } catch {
    return 0;
  }
}

/** A deadline that follows progress: time in which the machine had no processor to spare does not count. */
class Patience {
  #began = performance.now();
  #starved = starved();

  constructor(limit) {
    this.limit = limit;
  }

  /** What is left of the limit, in ms. */
  left() {
    const passed = performance.now() - this.#began;
    return this.limit - Math.max(passed - (starved() - this.#starved), passed / MOST_PATIENT);
  }

  async fails(words) {
    return new Error(
      `${typeof words === 'function' ? await words() : words} (after ${Math.round(performance.now() - this.#began)} ms, limit ${this.limit})`,
    );
  }
}

/** Rejects with `words` when `promise` has not settled by the deadline. */
export async function within(promise, words, limit = DEADLINE_MS) {
  const patience = new Patience(limit);
  let timer;
  const late = new Promise((_, reject) => {
    const look = async () => {
      const left = patience.left();
      if (left > 0) timer = setTimeout(look, left);
      else reject(await patience.fails(words));
    };
    timer = setTimeout(look, limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Looks again until `look` gives something true. For what sends no event: files, other processes.
 * The pause bounds the load only; nothing is decided by time.
 */
export async function until(look, words, limit = DEADLINE_MS) {
  const patience = new Patience(limit);
  for (;;) {
    const found = await look();
    if (found) return found;
    if (patience.left() <= 0) throw await patience.fails(words);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
