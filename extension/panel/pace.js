/**
 * How much is drawn in one frame: what is more waits for the next ones, so that no frame is late.
 *
 * Owns the share of each frame and the line of those who wait. Counts what its users say that their work weighs.
 */
import { oncePerFrame } from "./frame.js";

export class Pace {
  #left;
  /** @type {(() => void)[]} */ #waiting = [];
  /** @type {{ weight: number, go: () => void }[]} */ #line = [];
  /** A frame is asked for only where something was drawn in the one before, or waits. */
  #next = oncePerFrame(() => this.#frame());

  /** @param {number} share  what one frame draws, in the users' own unit */
  constructor(share) {
    this.share = share;
    this.#left = share;
  }

  /** Takes up to so much of what is left of this frame. @param {number} wanted @returns {number} */
  take(wanted) {
    const granted = Math.min(wanted, Math.max(0, this.#left));
    if (granted > 0) this.#spend(granted);
    return granted;
  }

  /** Does it in the next frame. @param {() => void} work */
  later(work) {
    this.#waiting.push(work);
    this.#next();
  }

  /** Takes its weight, if this frame has room for it and nobody waits. @param {number} weight @returns {boolean} */
  now(weight) {
    if (this.#line.length > 0 || this.#left <= 0) return false;
    this.#spend(weight);
    return true;
  }

  /** Resolves when there is room: at once, or in one of the next frames. @param {number} weight @returns {Promise<void>} */
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
    // What weighs more than a whole frame goes alone.
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
