/**
 * User-visible texts. Owns the look-up in `_locales`; never builds a sentence itself.
 */

/**
 * Returns the message of that name in the browser's language. A name without a message returns itself, so that a gap is
 * visible (a test keeps names and messages in step).
 * @param {string} name
 * @param {...(string | number)} values  the values of `$1`, `$2` …
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
 * Isolates a foreign text within our own. In a right-to-left language it keeps its own direction and does not affect
 * its surroundings (FIRST STRONG ISOLATE … POP DIRECTIONAL ISOLATE). In other languages returns the text unchanged.
 * @param {string} text
 */
export function isolated(text) {
  return chrome.i18n.getMessage("direction") === "rtl" ? `\u2068${text}\u2069` : text;
}

/** Puts a value into the quotation marks of the panel's language, without isolating it. @param {string} text */
export function quoted(text) {
  return chrome.i18n.getMessage("quoted", [text]);
}

/**
 * Returns the language for numbers and dates: the panel's own, with the person's region if the browser uses the same
 * language.
 */
export function locale() {
  const language = t("language");
  const browser = chrome.i18n.getUILanguage?.() ?? language;
  return browser.split("-", 1)[0] === language.split("-", 1)[0] ? browser : language;
}

/**
 * Returns a phrase as it reads in the middle of a sentence. Lowercases its first letter only in languages whose phrases
 * all start with a verb (`midSentence` is `lower`). A German phrase may start with a noun, so it stays unchanged and
 * follows a colon.
 * @param {string} phrase
 */
export function midSentence(phrase) {
  // Not `toLocaleLowerCase`: the text has the catalogue's language, not the system's (Turkish lowercases I to ı).
  return t("midSentence") === "lower" ? phrase.charAt(0).toLowerCase() + phrase.slice(1) : phrase;
}
