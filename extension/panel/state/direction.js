/**
 * Which way a text runs. Pure.
 */

/** A letter of a script that runs from right to left, and any letter. */
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Samaritan}\p{Script=Mandaic}\p{Script=Adlam}]/u;

/** By its first letter; null while it has none. @param {string} text @returns {"ltr" | "rtl" | null} */
export function directionOf(text) {
  const letter = LETTER.exec(text)?.[0];
  if (letter === undefined) return null;
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}
