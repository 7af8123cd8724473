/**
 * One store: the state, the only way to change it, and its subscribers. Owns no state of its own.
 */

/**
 * @template S, A
 * @param {(state: S, action: A) => S} reduce  pure
 * @param {S} initial
 */
export function createStore(reduce, initial) {
  let state = initial;
  /** @type {Set<(state: S) => void>} */
  const listeners = new Set();
  return {
    get state() {
      return state;
    },
    /** @param {A} action */
    dispatch(action) {
      const next = reduce(state, action);
      if (next === state) return;
      state = next;
      for (const listener of listeners) listener(state);
    },
    /** @param {(state: S) => void} listener */
    subscribe(listener) {
      listeners.add(listener);
    },
  };
}
