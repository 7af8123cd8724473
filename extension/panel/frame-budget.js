/**
 * Limits how much is drawn in one frame: the rest waits for the next frames, so that no frame is late.
 *
 * Owns the budget of each frame and the queue of waiting work. Callers state the weight of their work.
 */
import { oncePerFrame } from "./frame.js";

export class FrameBudget {
  #left;
  /** @type {(() => void)[]} */ #waiting = [];
  /** @type {{ weight: number, go: () => void }[]} */ #line = [];
  /** Requests a frame only if the last one drew something, or if work waits. */
  #next = oncePerFrame(() => this.#frame());

  /** @param {number} share  the budget of one frame, in the callers' own unit */
  constructor(share) {
    this.share = share;
    this.#left = share;
  }

  /** Takes up to the wanted amount from this frame's budget. @param {number} wanted @returns {number} */
  take(wanted) {
    const granted = Math.min(wanted, Math.max(0, this.#left));
    if (granted > 0) this.#spend(granted);
    return granted;
  }

  /** Runs the work in the next frame. @param {() => void} work */
  later(work) {
    this.#waiting.push(work);
    this.#next();
  }

  /** Takes the weight if this frame has room for it and no work waits. @param {number} weight @returns {boolean} */
  now(weight) {
    if (this.#line.length > 0 || this.#left <= 0) return false;
    this.#spend(weight);
    return true;
  }

  /**
   * Resolves when there is room: immediately, or in one of the next frames.
   * @param {number} weight
   * @returns {Promise<void>}
   */
  turn(weight) {
    return new Promise((resolve) => {
      this.#line.push({ weight, go: resolve });
      this.#serve();
    });
  }

  #frame() {
    this.#left = this.share;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const work of waiting) work();
    this.#serve();
  }

  #serve() {
    // Work heavier than a whole frame runs alone.
    while (this.#left > 0) {
      const first = this.#line.shift();
      if (!first) return;
      this.#spend(first.weight);
      first.go();
    }
    this.#next();
  }

  /** @param {number} weight */
  #spend(weight) {
    this.#left -= weight;
    this.#next();
  }
}
