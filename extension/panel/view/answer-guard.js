/**
 * The delay before a card can be answered, so that a key or click meant for something else decides nothing.
 *
 * Owns one rule for all cards that wait for a person. A card is armed once it has been still, visible and unchanged for
 * a while; a held key and the second click of a double-click never decide. The card shows this state as `is-arming`,
 * and its buttons rest.
 */
import { isResting, setResting } from "./dom.js";

/** A hasty second click or Enter is faster than this, and so is the rest of a sentence being typed. */
export const ARM_MS = 700;

export class AnswerGuard {
  #armed = false;
  #place = "";
  #since = 0;
  #lastKey = -Infinity;
  #watch = new AbortController();
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #resized = new ResizeObserver(() => this.#moved());

  /** @param {HTMLElement} card @param {() => HTMLButtonElement[]} buttons  the deciding buttons */
  constructor(card, buttons) {
    this.card = card;
    this.buttons = buttons;
    const { signal } = this.#watch;
    document.addEventListener("scroll", () => this.#moved(), { capture: true, passive: true, signal });
    // A person who is typing elsewhere is not looking at the card.
    document.addEventListener(
      "keydown",
      ({ key }) => {
        if (key.length === 1 && !/^[1-9]$/.test(key)) this.#lastKey = performance.now();
      },
      { capture: true, signal },
    );
    card.addEventListener("keydown", (event) => this.#key(event), { capture: true, signal });
    card.addEventListener("click", (event) => this.#click(event), { capture: true, signal });
    this.#begin();
    // Content above the card grows, and the panel is resized.
    for (let one = /** @type {HTMLElement | null} */ (card); one; one = one.parentElement) this.#resized.observe(one);
  }

  /** Whether a digit key decides now. */
  get takesNumbers() {
    return this.#isArmed && performance.now() - this.#lastKey >= ARM_MS;
  }

  /** Stops arming: the card is answered. */
  end() {
    clearTimeout(this.#timer);
    this.#watch.abort();
    this.#resized.disconnect();
  }

  /** A card that moved within the last frame, before any listener ran, is not armed either. */
  get #isArmed() {
    if (this.#armed && this.#place !== placeOf(this.card)) this.#begin();
    return this.#armed;
  }

  #begin() {
    this.#armed = false;
    this.#place = placeOf(this.card);
    this.#since = performance.now();
    this.card.classList.add("is-arming");
    // Restarts the line along the card's edge.
    for (const animation of this.card.getAnimations({ subtree: true })) animation.currentTime = 0;
    for (const button of this.buttons()) setResting(button, true);
    this.#wait();
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.max(0, ARM_MS - (performance.now() - this.#since)));
  }

  #look() {
    const place = placeOf(this.card);
    // A card behind a drawer is invisible; arming starts when it is shown.
    if (place === "") return;
    if (place !== this.#place) return this.#begin();
    this.#armed = true;
    this.card.classList.remove("is-arming");
    for (const button of this.buttons()) setResting(button, false);
  }

  #moved() {
    if (this.card.isConnected && this.#place !== placeOf(this.card)) this.#begin();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const activates = event.key === "Enter" || event.key === " ";
    const onCard = event.target === this.card;
    if (activates && (onCard || event.repeat)) event.preventDefault();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const button = event.target instanceof Element ? event.target.closest("button") : null;
    if (!button || !this.buttons().includes(/** @type {HTMLButtonElement} */ (button))) return;
    if (this.#isArmed && event.detail <= 1 && !isResting(/** @type {HTMLButtonElement} */ (button))) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}

/** Returns the card's position in the panel; empty if it is not visible. @param {HTMLElement} card */
function placeOf(card) {
  if (!card.isConnected || !card.checkVisibility()) return "";
  const { x, y, width, height } = card.getBoundingClientRect();
  return [x, y, width, height].map(Math.round).join();
}
