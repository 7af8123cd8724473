/**
 * The panel's only clock: seconds while a turn runs in sight, and one moment at which a rule ends.
 *
 * Owns both timers; with nothing running and no rule there is none.
 */

/** A step's and a footer's seconds move. */
const SECOND_MS = 1000;
/** A timer can't wait longer than this. */
const LONGEST_MS = 2 ** 31 - 1;

export class Clock {
  /** @type {ReturnType<typeof setInterval> | undefined} */ #seconds;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #moment;
  /** @type {number | null} */ #until = null;

  /** @param {{ tick: (now: number) => void, due: () => void }} listeners */
  constructor({ tick, due }) {
    this.tick = tick;
    this.due = due;
  }

  /** @param {boolean} seconds  whether seconds are shown @param {number | null} until  a moment to tell of */
  run(seconds, until) {
    if (seconds && this.#seconds === undefined) {
      this.#seconds = setInterval(() => {
        if (!document.hidden) this.tick(Date.now());
      }, SECOND_MS);
    } else if (!seconds && this.#seconds !== undefined) {
      clearInterval(this.#seconds);
      this.#seconds = undefined;
    }
    if (until === this.#until) return;
    this.#until = until;
    clearTimeout(this.#moment);
    if (until !== null)
      this.#moment = setTimeout(
        () => {
          this.#until = null;
          this.due();
        },
        Math.min(Math.max(0, until - Date.now()), LONGEST_MS),
      );
  }
}
