/**
 * When the letters before the caret were pressed. A letter that arrives late, because the page had the keyboard for a
 * moment or the panel was busy, is inserted where it belongs.
 *
 * Owns the times of the last consecutive letters. Anything but typing a letter clears them. All times are those of the
 * key presses: an `input` event carries the time at which it was handled.
 */

/** How many letters are kept: a key that arrives after more than these is not sorted in. */
const KEPT = 64;

export class TypedTimes {
  /** The times of the last letters, in order. @type {number[]} */ #times = [];
  /** The time of the key whose letter comes next. @type {number | null} */ #pressed = null;

  /** Records a key that may insert a letter. @param {KeyboardEvent} event  of the field */
  key({ timeStamp }) {
    this.#pressed = performance.timeOrigin + timeStamp;
  }

  /** Returns how many of the letters before this one were pressed after it. @param {InputEvent} event  of the field */
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

  /** Records a letter that was inserted and the time of its key press. @param {number} at */
  note(at) {
    const index = this.#times.length - this.since(at);
    this.#times = this.#times.toSpliced(index, 0, at).slice(-KEPT);
  }

  /** Forgets the times, because the caret moved. */
  forget() {
    this.#times = [];
  }

  /** Returns how many letters before the caret were pressed after that time. @param {number} at */
  since(at) {
    return this.#times.filter((time) => time > at).length;
  }
}
