/**
 * The marks that a person wants in pages: the panel writes the choice, the background reads it. Owns the key and its
 * shape.
 */

export const MARKS_KEY = "marks";

/** @typedef {{ cursor: boolean, pill: boolean }} Marks */

/**
 * Parses the stored value, whatever it is: all marks except those that were switched off.
 * @param {unknown} stored
 * @returns {Marks}
 */
export function marksOf(stored) {
  const { cursor, pill } = /** @type {Partial<Marks>} */ (typeof stored === "object" && stored !== null ? stored : {});
  return { cursor: cursor !== false, pill: pill !== false };
}
