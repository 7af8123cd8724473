/**
 * The direction of a text. Pure.
 */

/** A letter of a right-to-left script, or any letter. */
const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Samaritan}\p{sc=Mandaic}\p{sc=Adlam}]/u;

/**
 * Returns the direction of the first letter; null if there is no letter.
 * @param {string} text
 * @returns {"ltr" | "rtl" | null}
 */
export function directionOf(text) {
  const letter = LETTER.exec(text)?.[0];
  if (letter === undefined) return null;
  return RIGHT_TO_LEFT.test(letter) ? "rtl" : "ltr";
}
