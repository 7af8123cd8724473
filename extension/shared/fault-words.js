/**
 * A fault in the browser's language: its codes and their values as words.
 *
 * Owns the choice between the catalogue's words and the fault's own English. Never builds a sentence itself.
 * @import { Fault, FaultWords, SaidPhrase } from "../protocol.js"
 */
import { isolated, t } from "./i18n.js";

const FROM_THE_RIGHT = /[\u0590-\u08ff]/;

/**
 * The catalogue's messages begin in lower case, because a terminal puts the program's name before them. One that begins
 * with a value or with the program's name stays.
 * @param {string} words
 * @param {string[]} values
 */
function capitalised(words, values) {
  if (values.some((value) => value !== "" && words.startsWith(value))) return words;
  return words.replace(/^(?!gstack\b)\p{Ll}/u, (first) => first.toLocaleUpperCase());
}

/** @param {SaidPhrase | null | undefined} phrase @returns {string | null}  null: this extension has no words for the code */
function spoken(phrase) {
  if (!phrase) return null;
  const name = `fault_${phrase.code}`;
  const words = t(`fault_${phrase.code}`, ...(phrase.values ?? []));
  return words === name ? null : words;
}

/** English that stands for itself. @param {string} text */
function english(text) {
  return text === "" || FROM_THE_RIGHT.test(text) ? text : isolated(text);
}

/**
 * A sentence as a person reads it. What the catalogue has no words for stays as it came.
 * @param {string} text  its English
 * @param {FaultWords | null} [words]
 */
export function inWords(text, words) {
  const said = spoken(words?.message);
  if (said === null) return english(text);
  return words?.said ? `${said} (${isolated(words.said)})` : said;
}

/**
 * The fault as a person reads it. What the catalogue has no words for stays as it came.
 * @template {Fault} F
 * @param {F} fault
 * @returns {F}
 */
export function worded(fault) {
  const { message, hint, words, ...rest } = fault;
  const next = spoken(words?.hint) ?? (hint ? english(hint) : hint);
  const said = inWords(message, words);
  const shown = spoken(words?.message) === null ? said : capitalised(said, words?.message?.values ?? []);
  return /** @type {F} */ ({ ...rest, message: shown, ...(next === undefined ? {} : { hint: next }) });
}
