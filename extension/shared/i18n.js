/**
 * Words for people. Owns the look-up in `_locales`; never builds a sentence itself.
 */

/**
 * The message of that name in the browser's language. A name without a message shows as itself,
 * so that a gap is seen rather than hidden (a test holds names and messages in step).
 * @param {string} name
 * @param {...(string | number)} values  what `$1`, `$2` … stand for
 * @returns {string}
 */
export function t(name, ...values) {
  // What is put in runs as its own letters do, and turns nothing around it: FIRST STRONG ISOLATE … POP DIRECTIONAL ISOLATE.
  const isolated = values.length > 0 && chrome.i18n.getMessage("direction") === "rtl" ? values.map((value) => `\u2068${value}\u2069`) : values.map(String);
  return chrome.i18n.getMessage(name, isolated) || name;
}
