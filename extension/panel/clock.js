/**
 * The panel's only clock: seconds while a turn runs in view, and the moment at which a rule expires.
 *
 * Owns both timers. Neither runs if no turn runs and no rule is set.
 */

/** The seconds in steps and footers advance at this rate. */
const SECOND_MS = 1000;
/** The longest delay that `setTimeout` supports. */
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

  /**
   * Starts or stops the timers.
   * @param {boolean} seconds  whether seconds are shown
   * @param {number | null} until  the next moment to report
   */
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
