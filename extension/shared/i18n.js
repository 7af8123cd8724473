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
  return (
    chrome.i18n.getMessage(
      name,
      values.map((value) => isolated(String(value))),
    ) || name
  );
}

/**
 * A text of another origin among our words: in a language that is written from the right it runs as its own letters do, and
 * turns nothing around it (FIRST STRONG ISOLATE … POP DIRECTIONAL ISOLATE). Elsewhere the text itself.
 * @param {string} text
 */
export function isolated(text) {
  return chrome.i18n.getMessage("direction") === "rtl" ? `\u2068${text}\u2069` : text;
}
