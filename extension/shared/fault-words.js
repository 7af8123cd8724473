/**
 * A fault in the browser's language: its codes and their values as words.
 *
 * Owns the choice between the catalogue's words and the fault's own English. Never builds a sentence itself.
 * @import { Fault, FaultWords, SaidPhrase } from "../protocol.js"
 */
import { isolated, t } from "./i18n.js";

/** The codes of a fault that is in the browser's language: none. */
export const SAID = Object.freeze({});
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

/**
 * What kind of trouble it is, for a fault whose own sentence has no words here. Null: the fault was made in this browser's
 * language, or its English is what the person reads.
 * @param {Fault} fault
 */
function kindOf({ code, words }) {
  if (isSaid(words) || t("language") === "en") return null;
  const kind = code.replaceAll("-", "_");
  const said = t(`code_${kind}`);
  return said === `code_${kind}` ? null : said;
}

/**
 * No codes at all: the extension has made the fault, or has put it into words already.
 * @param {FaultWords | null | undefined} words
 */
const isSaid = (words) => Boolean(words) && !words?.message && !words?.hint;

/** A hint behind a message that has words. @param {Fault} fault @param {string} hint */
function foreignHint({ words }, hint) {
  return t("language") === "en" || isSaid(words) || !spoken(words?.message) ? english(hint) : `(${isolated(hint)})`;
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
 * The fault as a person reads it. Sentences that the catalogue has no words for stay as they came, in brackets behind the kind of
 * trouble: nobody reads them as the panel's own.
 * @template {Fault} F
 * @param {F} fault
 * @returns {F}
 */
export function worded(fault) {
  const { message, hint, words, ...rest } = fault;
  const said = inWords(message, words);
  const isTold = spoken(words?.message) !== null;
  const kind = isTold ? null : kindOf(fault);
  const whole = isTold ? capitalised(said, words?.message?.values ?? []) : said;
  const next = spoken(words?.hint);
  const foreign = kind === null || !hint || next !== null ? [message] : [message.replace(/[^.!?…:]$/u, "$&."), hint];
  const shown = kind === null ? whole : `${kind} (${isolated(foreign.join(" "))})`;
  const step = next ?? (foreign.length > 1 ? undefined : hint && foreignHint(fault, hint));
  return /** @type {F} */ ({ ...rest, message: shown, words: SAID, ...(step === undefined ? {} : { hint: step }) });
}
