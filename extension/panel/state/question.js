/**
 * Builds the answers to an agent's question from the choices and the typed text. Pure.
 */

/**
 * @typedef {object} Given  the answer to one part
 * @property {string[]} chosen  labels
 * @property {string} own  the person's own text
 * @property {boolean} multiple
 */

/**
 * Returns one list per part; null while a part has no answer.
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
