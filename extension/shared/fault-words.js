/**
 * Translates a fault into the browser's language, from its codes and their values.
 *
 * Owns the choice between the catalogue's text and the fault's own English. Never builds a sentence itself.
 * @import { Fault, FaultWords, LocalizedPhrase } from "../protocol.js"
 */
import { isolated, t } from "./i18n.js";

/** Empty codes, for a fault that is already in the browser's language. */
export const SAID = Object.freeze({});
const FROM_THE_RIGHT = /[\u0590-\u08ff]/;

/**
 * Capitalises a message. The catalogue's messages start in lower case, because a terminal puts the program's name
 * before them. A message that starts with a value or the program's name stays.
 * @param {string} words
 * @param {string[]} values
 */
function capitalised(words, values) {
  if (values.some((value) => value !== "" && words.startsWith(value))) return words;
  return words.replace(/^(?!gstack\b)\p{Ll}/u, (first) => first.toUpperCase());
}

/**
 * @param {LocalizedPhrase | null | undefined} phrase
 * @returns {string | null} null: this extension has no text for the code
 */
export function phrased(phrase) {
  if (!phrase) return null;
  const name = `fault_${phrase.code}`;
  const words = t(`fault_${phrase.code}`, ...(phrase.values ?? []));
  return words === name ? null : words;
}

/**
 * Returns the category of a fault whose own sentence has no translation. Null if the fault was created in this
 * browser's language, or if the person reads English.
 * @param {Fault} fault
 */
function kindOf({ code, words }) {
  if (isSaid(words) || t("language") === "en") return null;
  const kind = code.replaceAll("-", "_");
  const said = t(`code_${kind}`);
  return said === `code_${kind}` ? null : said;
}

/**
 * No codes at all: the extension created the fault or has already translated it.
 * @param {FaultWords | null | undefined} words
 */
const isSaid = (words) => Boolean(words) && !words?.message && !words?.hint;

/** Returns an untranslated hint after a translated message. @param {Fault} fault @param {string} hint */
function foreignHint({ words }, hint) {
  return t("language") === "en" || isSaid(words) || !phrased(words?.message) ? english(hint) : `(${isolated(hint)})`;
}

/** Returns English that stands for itself. @param {string} text */
function english(text) {
  return text === "" || FROM_THE_RIGHT.test(text) ? text : isolated(text);
}

/**
 * Returns a sentence as the person reads it. A sentence without a translation stays as received.
 * @param {string} text  its English
 * @param {FaultWords | null} [words]
 */
export function inWords(text, words) {
  const said = phrased(words?.message);
  if (said === null) return english(text);
  return words?.said ? `${said} (${isolated(words.said)})` : said;
}

/**
 * Returns the fault as the person reads it. Sentences without a translation stay as received, in brackets after the
 * fault's category, so that they do not look like the panel's own text.
 * @template {Fault} F
 * @param {F} fault
 * @returns {F}
 */
export function worded(fault) {
  const { message, hint, words, ...rest } = fault;
  const said = inWords(message, words);
  const isTold = phrased(words?.message) !== null;
  const kind = isTold ? null : kindOf(fault);
  const whole = isTold ? capitalised(said, words?.message?.values ?? []) : said;
  const next = phrased(words?.hint);
  const foreign = kind === null || !hint || next !== null ? [message] : [message.replace(/[^.!?…:]$/u, "$&."), hint];
  const shown = kind === null ? whole : `${kind} (${isolated(foreign.join(" "))})`;
  const step = next ?? (foreign.length > 1 ? undefined : hint && foreignHint(fault, hint));
  return /** @type {F} */ ({ ...rest, message: shown, words: SAID, ...(step === undefined ? {} : { hint: step }) });
}
