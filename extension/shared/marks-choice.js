/**
 * Which marks a person wants to see in pages: the panel writes it, the background reads it. Owns the key and its shape.
 */

export const MARKS_KEY = "marks";

/** @typedef {{ cursor: boolean, pill: boolean }} Marks */

/** What is stored, whatever that is: all marks, but for those that were switched off. @param {unknown} stored @returns {Marks} */
export function marksOf(stored) {
  const { cursor, pill } = /** @type {Partial<Marks>} */ (typeof stored === "object" && stored !== null ? stored : {});
  return { cursor: cursor !== false, pill: pill !== false };
}
