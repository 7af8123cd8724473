/**
 * When the letters before the caret were pressed: a letter that comes late, since the page had the keyboard for a moment
 * or the panel was busy, finds its place among them.
 *
 * Owns the times of the last letters that stand in a row. Anything but typing a letter forgets them. All times are those
 * of the key presses: an `input` event has the time at which it was handled.
 */

/** A key that comes later than this is not sorted in. */
const KEPT = 64;

export class TypedTimes {
  /** In order. @type {number[]} */ #times = [];
  /** Of the key whose letter comes next. @type {number | null} */ #pressed = null;

  /** A key that may put in a letter. @param {KeyboardEvent} event  of the field */
  key({ timeStamp }) {
    this.#pressed = performance.timeOrigin + timeStamp;
  }

  /** How many of the letters before this one were pressed after it. @param {InputEvent} event  of the field */
  input({ inputType, data, timeStamp }) {
    const at = this.#pressed ?? performance.timeOrigin + timeStamp;
    this.#pressed = null;
    if (inputType !== "insertText" || data?.length !== 1) {
      this.#times = [];
      return 0;
    }
    const later = this.since(at);
    this.note(at);
    return later;
  }

  /** A letter was put in that was pressed then. @param {number} at */
  note(at) {
    const index = this.#times.length - this.since(at);
    this.#times = this.#times.toSpliced(index, 0, at).slice(-KEPT);
  }

  /** The caret went elsewhere. */
  forget() {
    this.#times = [];
  }

  /** How many letters before the caret were pressed after that. @param {number} at */
  since(at) {
    return this.#times.filter((time) => time > at).length;
  }
}
