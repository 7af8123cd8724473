/**
 * What is done, in the browser's language: a phrase's code and its values as words. Pure.
 * @import { SaidPhrase } from "../protocol.js"
 */
import { t } from "./i18n.js";

/** Stands for a value until the words around it are known. */
const HERE = "\u0001";

/** @typedef {{ text: string, isValue: boolean }} Said */

/**
 * The words and the values in them. Null: this panel has no words for the code.
 * @param {SaidPhrase | undefined} phrase
 * @returns {Said[] | null}
 */
export function said(phrase) {
  if (!phrase) return null;
  const { code, values = [] } = phrase;
  const name = `do_${code}`;
  const words = t(name, ...values.map((_value, index) => `${HERE}${index}${HERE}`));
  if (words === name) return null;
  return words
    .split(HERE)
    .map((text, index) => (index % 2 === 1 ? { text: values[Number(text)] ?? "", isValue: true } : { text, isValue: false }))
    .filter(({ text }) => text !== "");
}

/**
 * The sentence that is asked. English asks in the daemon's own words; other languages say both alike.
 * @param {{ ask: string, phrase?: SaidPhrase }} asked
 */
export function askWords({ ask, phrase }) {
  const words = t("language") === "en" ? null : said(phrase);
  return words ? words.map(({ text, isValue }) => (isValue ? `“${text}”` : text)).join("") : ask;
}
