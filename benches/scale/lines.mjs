/*
 * Reads the lines of `agent.mjs` out of an answer that grows: when each was said, when it came here, and how long the
 * agent's call took. Never guesses: a line that does not fit is an error.
 */

const LINE = /<([\d.]+) ([^>]*)>/;
const now = () => performance.timeOrigin + performance.now();

export class Lines {
  #rest = '';
  /** `{ wait, call }` of each line, in ms; `call` is null without a call. */
  all = [];
  failures = [];

  /** Takes a part of the answer. @param {string} text @param {number} at  when it came, in ms since 1970 */
  take(text, at = now()) {
    this.#rest += text;
    for (let found = LINE.exec(this.#rest); found; found = LINE.exec(this.#rest)) {
      this.#rest = this.#rest.slice(found.index + found[0].length);
      const [, said, call] = found;
      if (call.startsWith('failed')) this.failures.push(call);
      this.all.push({ wait: at - Number(said), call: /^[\d.]+$/.test(call) ? Number(call) : null });
    }
  }

  clear() {
    this.all = [];
  }

  waits() {
    return this.all.map(({ wait }) => wait);
  }

  /** Returns the times of the agent's calls; fails if one of them failed. */
  calls() {
    if (this.failures.length > 0) throw new Error(`an agent's call: ${this.failures[0]}`);
    return this.all.map(({ call }) => call).filter((call) => call !== null);
  }
}
