/**
 * When the letters before the caret were typed: a letter that comes late, since the page had the keyboard for a moment,
 * finds its place among them.
 *
 * Owns the times of the last letters that stand in a row. Anything but typing a letter forgets them.
 */

/** A key that comes later than this is not sorted in. */
const KEPT = 64;

export class TypedTimes {
  /** In order. @type {number[]} */ #times = [];

  /** @param {InputEvent} event  of the field */
  input({ inputType, data, timeStamp }) {
    if (inputType !== "insertText" || data?.length !== 1) this.#times = [];
    else this.note(performance.timeOrigin + timeStamp);
  }

  /** A letter was put in that was typed then. @param {number} at */
  note(at) {
    const index = this.#times.length - this.since(at);
    this.#times = this.#times.toSpliced(index, 0, at).slice(-KEPT);
  }

  /** The caret went elsewhere. */
  forget() {
    this.#times = [];
  }

  /** How many letters before the caret were typed after that. @param {number} at */
  since(at) {
    return this.#times.filter((time) => time > at).length;
  }
}
