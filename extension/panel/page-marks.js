/**
 * The person's choice of the marks in pages where an agent works. Owns the key `marks` in `chrome.storage.local`; the
 * background reads it.
 */
import { MARKS_KEY, marksOf } from "../shared/marks-choice.js";

/** @typedef {import("../shared/marks-choice.js").Marks} Marks */

/** @returns {Promise<Marks>} */
export async function readMarks() {
  return marksOf((await chrome.storage.local.get(MARKS_KEY))[MARKS_KEY]);
}

/** @param {Marks} marks */
export function setMarks(marks) {
  void chrome.storage.local.set({ [MARKS_KEY]: marks });
}
