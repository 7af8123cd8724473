/*
 * Waits until an element is hidden, detached or attached.
 *
 * Owns the states of `wait --state`. `appears` waits for a visible element.
 */

/**
 * Waits until a target has a state, at most `timeout` ms. → {ok} or a fault
 * @param {Target} target
 * @param {'hidden' | 'detached' | 'attached'} state
 * @param {number} timeout
 * @returns {Promise<Refusal | { ok: true }>}
 */
async function reaches(target, state, timeout) {
  const deadline = performance.now() + timeout;
  for (;;) {
    let found;
    if (target.number !== undefined) {
      const { element } = resolveOne(target);
      found = element ? [element] : [];
    } else {
      try {
        found = queryAll(target.selector ?? '');
      } catch (error) {
        if (error instanceof SelectorError) return { fault: 'selector', message: error.message };
        throw error;
      }
    }
    if (state === 'attached' ? found.length > 0 : state === 'detached' ? found.length === 0 : !found.some(isVisible)) return { ok: true };
    if (performance.now() >= deadline) return { fault: 'blocked', message: `it is not ${state}` };
    await change(deadline);
  }
}
