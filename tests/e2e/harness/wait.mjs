/*
 * Waiting for a condition outside of a page, with a deadline that fails in words.
 * Inside of pages conditions are watched by a MutationObserver (devtools.mjs).
 */

/** How long anything may take before a test gives up. Generous: the machine may be busy; a pass never waits for it. */
export const DEADLINE_MS = Number(process.env.GSTACK_TEST_DEADLINE_MS ?? 30_000);

/** Rejects with `words` when `promise` has not settled by the deadline. */
export async function within(promise, words, limit = DEADLINE_MS) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(async () => reject(new Error(`${typeof words === 'function' ? await words() : words} (after ${limit} ms)`)), limit);
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
  const end = performance.now() + limit;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${typeof words === 'function' ? await words() : words} (after ${limit} ms)`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
