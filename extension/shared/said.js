/**
 * What is done, in the browser's language: a phrase's code and its values as words. Pure.
 * @import { SaidPhrase } from "../protocol.js"
 */
import { isolated, t } from "./i18n.js";

/** A part of a sentence: words of ours, or a value in them. @typedef {{ text: string, isValue: boolean }} Said */

/** Stands for a value until the words around it are known; what `t` puts around every value goes with it. */
const PLACE = /\u2068?\u0001(\d+)\u0001\u2069?/;
/** @param {number} index */
const place = (index) => `\u0001${index}\u0001`;

/** @param {string} text @returns {Said} */
export const value = (text) => ({ text, isValue: true });

/**
 * The sentence of that name with these parts as its values.
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
 * The words and the values in them. Null: this panel has no words for the code.
 * @param {SaidPhrase | undefined} phrase
 * @returns {Said[] | null}
 */
export function said(phrase) {
  if (!phrase) return null;
  const { code, values = [] } = phrase;
  const name = `do_${code}`;
  return t(name) === name ? null : sentence(name, ...values.map((text) => [value(text)]));
}

/** As one text, in which no value turns the words around it. @param {Said[]} parts */
export function joined(parts) {
  return parts.map(({ text, isValue }) => (isValue ? isolated(text) : text)).join("");
}

/**
 * The sentence that is asked. English asks in the daemon's own words; other languages say both alike.
 * @param {{ ask: string, phrase?: SaidPhrase }} asked
 * @returns {Said[]}
 */
export function askParts({ ask, phrase }) {
  const words = t("language") === "en" ? null : said(phrase);
  return words ? words.map(({ text, isValue }) => ({ text: isValue ? `“${text}”` : text, isValue })) : [value(ask)];
}

/** The same as one text. @param {{ ask: string, phrase?: SaidPhrase }} asked */
export const askWords = (asked) => joined(askParts(asked));
