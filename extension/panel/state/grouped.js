/**
 * Splits a list into groups. Pure.
 */

/**
 * Returns the groups in the order of their first members.
 * @template T, K
 * @param {T[]} list
 * @param {(item: T) => K} keyOf
 * @returns {[K, T[]][]}
 */
export function groupedBy(list, keyOf) {
  /** @type {Map<K, T[]>} */
  const groups = new Map();
  for (const item of list) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups];
}
