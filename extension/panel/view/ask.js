/**
 * The common behaviour of cards that wait for a person: open while the turn waits, one line once answered, answered
 * only once. Owns the open/answered state; subclasses draw the card and the line. `answer-guard.js` decides when a
 * card can be answered.
 */
import { AnswerGuard } from "./answer-guard.js";
import { h } from "./dom.js";

/** The part of a card that counts as the whole. */
const SEEN = 0.6;

/** @template {{ done: object | null }} Item */
export class Ask {
  /** @type {"" | "open" | "answered"} */ #drawn = "";
  #sent = false;
  /** @type {HTMLElement | null} */ #card = null;
  /** @type {AnswerGuard | null} */ #guard = null;

  constructor() {
    this.element = h("div", {});
  }

  /** @param {Item} item @param {boolean} live  the turn is still running */
  update(item, live) {
    const drawn = live && !item.done ? "open" : "answered";
    if (this.#drawn === drawn) return;
    this.#drawn = drawn;
    this.#guard?.end();
    this.#card = drawn === "open" ? this.card(item) : null;
    this.element.replaceChildren(this.#card ?? this.line(item));
    // The focus goes to the card, not to a button, so that a key meant for something else decides nothing.
    this.#card?.setAttribute("tabindex", "-1");
    this.#guard = this.#card && new AnswerGuard(this.#card, () => this.deciding);
  }

  /** Whether it waits for the person. */
  get asks() {
    return this.#drawn === "open" && !this.#sent;
  }

  /** Whether a digit key chooses now. */
  get takesNumbers() {
    return this.asks && (this.#guard?.takesNumbers ?? false);
  }

  /** Whether the person sees most of the card, or as much of it as fits. A card behind a drawer is not in view. */
  get isInView() {
    const view = this.#card?.closest("#conversation, #clients")?.getBoundingClientRect();
    const box = this.#card?.getBoundingClientRect();
    if (!view || !box || box.height === 0) return false;
    const seen = Math.min(box.bottom, view.bottom) - Math.max(box.top, view.top);
    return seen >= Math.min(box.height, view.height) * SEEN;
  }

  /** The request in a few words, for a line that leads to the card. @returns {(Node | string)[]} */
  get title() {
    return [];
  }

  /** Names what happens to the request if the person writes something else instead. @returns {string} */
  get insteadWords() {
    return "";
  }

  /** Refuses the request, because the person writes something else instead. @abstract @returns {Promise<void>} */
  refuse() {
    throw new Error("a subclass does it");
  }

  /** Shows more at the end of the card. @param {HTMLElement} more */
  append(more) {
    if (more.parentElement !== this.#card) this.#card?.append(more);
  }

  /** Scrolls to the card and gives it the focus. */
  show() {
    this.#card?.scrollIntoView({ block: "nearest" });
    this.focus();
  }

  /** The deciding buttons. @returns {HTMLButtonElement[]} */
  get deciding() {
    return [];
  }

  focus() {
    this.#card?.focus({ preventScroll: true });
  }

  /**
   * Sends an answer, once; the buttons are disabled until it arrives.
   * @param {() => Promise<void>} answer
   * @param {boolean} [more]  the card stays open for the rest
   */
  async send(answer, more = false) {
    if (this.#sent) return;
    this.#sent = true;
    const open = [...this.element.querySelectorAll("button")].filter(({ disabled }) => !disabled);
    for (const button of open) button.disabled = true;
    try {
      await answer();
      if (!more) return;
      this.#sent = false;
      for (const button of open) button.disabled = false;
    } catch {
      // The request failed; the card stays and can be answered again.
      this.#sent = false;
      for (const button of open) button.disabled = false;
    }
  }

  /** @abstract @param {Item} _item @returns {HTMLElement} */
  card(_item) {
    throw new Error("a subclass draws it");
  }

  /** Draws the line that remains. @abstract @param {Item} _item @returns {HTMLElement} */
  line(_item) {
    throw new Error("a subclass draws it");
  }
}
