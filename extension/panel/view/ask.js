/**
 * What the cards have in common that ask a person: open while the turn waits, one line once it is answered, answered once.
 * Owns the state of the asking; the card and the line are drawn by its heirs.
 */
import { h } from "./dom.js";

/** @template {{ done: object | null }} Item */
export class Ask {
  /** @type {"" | "open" | "answered"} */ #drawn = "";
  #sent = false;

  constructor() {
    this.element = h("div", {});
  }

  /** @param {Item} item @param {boolean} live  the turn still runs */
  update(item, live) {
    const drawn = live && !item.done ? "open" : "answered";
    if (this.#drawn === drawn) return;
    this.#drawn = drawn;
    this.element.replaceChildren(drawn === "open" ? this.card(item) : this.line(item));
  }

  /** Whether it waits for the person. */
  get asks() {
    return this.#drawn === "open" && !this.#sent;
  }

  /** Sends an answer, once; while it is on its way nothing can be pressed. @param {() => Promise<void>} answer */
  async send(answer) {
    if (this.#sent) return;
    this.#sent = true;
    const open = [...this.element.querySelectorAll("button")].filter(({ disabled }) => !disabled);
    for (const button of open) button.disabled = true;
    try {
      await answer();
    } catch {
      // The way broke; the card stays and can be answered again.
      this.#sent = false;
      for (const button of open) button.disabled = false;
    }
  }

  /** @abstract @param {Item} _item @returns {HTMLElement} */
  card(_item) {
    throw new Error("drawn by the heir");
  }

  /** What is left of it. @abstract @param {Item} _item @returns {HTMLElement} */
  line(_item) {
    throw new Error("drawn by the heir");
  }
}
