/**
 * Answers to an agent's question, from what is chosen and written. Pure.
 */

/**
 * @typedef {object} Given  what stands in one part
 * @property {string[]} chosen  labels
 * @property {string} own  the person's own words
 * @property {boolean} multiple
 */

/**
 * One list a part; null while a part has no answer.
 * @param {Given[]} parts
 * @returns {string[][] | null}
 */
export function answersOf(parts) {
  const answers = parts.map(({ chosen, own, multiple }) => {
    const words = own.trim();
    if (!words) return chosen;
    return multiple ? [...chosen, words] : [words];
  });
  return parts.length > 0 && answers.every(({ length }) => length > 0) ? answers : null;
}
