/*
 * Finds the frame that a client names.
 *
 * Owns the check of a frame's owner element and of address patterns. Never looks into a frame.
 */

/** @param {Element} element */
const isFrame = (element) => ['iframe', 'frame', 'object', 'embed'].includes(tagOf(element));

/**
 * Returns the element that owns a frame. → {number} or a fault
 * @param {Target} target
 * @returns {Refusal | { number: number }}
 */
function elementOfFrame(target) {
  const resolved = resolveOne(target);
  if (!resolved.element) return resolved;
  const { element } = resolved;
  if (!isFrame(element)) {
    return { fault: 'kind', message: 'it holds no frame', description: describe(element) };
  }
  return { number: numberOf(element) };
}

/**
 * Returns {index} of the first text that the regular expression matches (null: none), or a fault.
 * @param {string} pattern
 * @param {string[]} texts
 * @returns {Refusal | { index: number | null }}
 */
function firstMatch(pattern, texts) {
  try {
    const expression = new RegExp(pattern);
    const index = texts.findIndex((/** @type {string} */ text) => expression.test(text));
    return { index: index < 0 ? null : index };
  } catch (error) {
    return { fault: 'selector', message: messageOf(error) };
  }
}

/**
 * Returns the number of matching elements as soon as there is one. → {count} or a fault. `suspects`: a match may be in a
 * closed root that must be asked for.
 * @param {string} selector
 * @param {number} timeout
 * @returns {Promise<Refusal | { count: number; suspects?: boolean }>}
 */
async function countMatches(selector, timeout) {
  const deadline = performance.now() + timeout;
  for (let attempt = 0; ; attempt += 1) {
    try {
      const count = queryAll(selector).length;
      if (!count && attempt === 0 && hasSuspects(document)) return { count, suspects: true };
      if (count || performance.now() >= deadline) return { count };
    } catch (error) {
      if (error instanceof SelectorError) return { fault: 'selector', message: error.message };
      throw error;
    }
    await change(deadline);
  }
}
