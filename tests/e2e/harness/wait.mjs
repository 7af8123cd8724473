/*
 * Waits for a condition outside a page, with a deadline that fails with a message. Inside pages a MutationObserver
 * watches conditions (devtools.mjs).
 */
import { readFileSync } from 'node:fs';

/** How long anything may take before a test fails, while the machine has a processor to spare. */
export const DEADLINE_MS = Number(process.env.GSTACK_TEST_DEADLINE_MS ?? 90_000);
/** The factor by which a wait may exceed its limit on a machine that is busy all the time. */
const MOST_PATIENT = 4;

/**
 * Returns how long some task has waited for a processor since the machine started, in ms. Linux reports it (PSI);
 * elsewhere it is 0.
 */
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

  /** Returns the rest of the limit, in ms. */
  left() {
    const passed = performance.now() - this.#began;
    return this.limit - Math.max(passed - (starved() - this.#starved), passed / MOST_PATIENT);
  }

  async fails(words) {
    const said = typeof words === 'function' ? await words() : words;
    return new Error(`${said} (after ${Math.round(performance.now() - this.#began)} ms, limit ${this.limit})`);
  }
}

/** Rejects with `words` if `promise` has not settled by the deadline. */
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
 * Polls until `look` returns a truthy value. For things that send no event: files, other processes. The pause only
 * limits the load; no result depends on timing.
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
