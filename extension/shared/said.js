/**
 * Renders an action in the browser's language, from a phrase's code and values. Pure.
 * @import { LocalizedPhrase } from "../protocol.js"
 */
import { isolated, quoted, t } from "./i18n.js";

/** A part of a sentence: our own words, or a value. @typedef {{ text: string, isValue: boolean }} Said */

/**
 * A placeholder for a value until the surrounding words are known, with the isolates that `t` adds around every value.
 */
const PLACE = /\u2068?\u0001(\d+)\u0001\u2069?/;
/** @param {number} index */
const place = (index) => `\u0001${index}\u0001`;

/** @param {string} text @returns {Said} */
export const value = (text) => ({ text, isValue: true });

/**
 * Returns the sentence of that name with these parts as its values.
 * @param {string} name
 * @param {...Said[]} parts
 * @returns {Said[]}
 */
export function sentence(name, ...parts) {
  const words = t(name, ...parts.map((_part, index) => place(index)));
  return words
    .split(PLACE)
    .flatMap((text, index) => (index % 2 === 1 ? (parts[Number(text)] ?? []) : [{ text, isValue: false }]))
    .filter(({ text }) => text !== "");
}

/**
 * Returns the words and the values in them. Null if this panel has no text for the code.
 * @param {LocalizedPhrase | undefined} phrase
 * @returns {Said[] | null}
 */
export function said(phrase) {
  if (!phrase) return null;
  const { code, values = [] } = phrase;
  const name = `do_${code}`;
  return t(name) === name ? null : sentence(name, ...values.map((text) => [value(text)]));
}

/**
 * Joins the parts into one text, in which no value changes the direction of the surrounding words.
 * @param {Said[]} parts
 */
export function joined(parts) {
  return parts.map(({ text, isValue }) => (isValue ? isolated(text) : text)).join("");
}

/**
 * Returns the approval's sentence. English uses the daemon's own text; other languages use the same sentence as the
 * action.
 * @param {{ ask: string, phrase?: LocalizedPhrase }} asked
 * @returns {Said[]}
 */
export function askParts({ ask, phrase }) {
  const words = t("language") === "en" ? null : said(phrase);
  return words ? words.map(({ text, isValue }) => ({ text: isValue ? quoted(text) : text, isValue })) : [value(ask)];
}

/** Returns the same as one text. @param {{ ask: string, phrase?: LocalizedPhrase }} asked */
export const askWords = (asked) => joined(askParts(asked));
