/**
 * The behaviour of every menu: opens at its button, moves by arrow keys, closes on Escape or a click elsewhere. Owns
 * the behaviour; the caller owns the items.
 */

export class Menu {
  /**
   * @param {HTMLElement} button  has `aria-haspopup`
   * @param {HTMLElement} element
   * @param {() => void} draw  fills the menu each time it opens
   */
  constructor(button, element, draw) {
    this.button = button;
    this.element = element;
    this.draw = draw;
    element.hidden = true;
    button.setAttribute("aria-expanded", "false");
    button.addEventListener("click", () => (this.isOpen ? this.close() : this.open()));
    button.addEventListener("keydown", (event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      this.open();
    });
    element.addEventListener("keydown", (event) => this.#key(event));
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !element.contains(target) && !button.contains(target)) this.close(false);
    });
    document.addEventListener("focusin", ({ target }) => {
      if (target instanceof Node && !element.contains(target) && !button.contains(target)) this.close(false);
    });
  }

  get isOpen() {
    return !this.element.hidden;
  }

  open() {
    // Visible first: a hidden field cannot take the focus.
    this.element.hidden = false;
    this.button.setAttribute("aria-expanded", "true");
    this.draw();
    if (this.element.contains(document.activeElement)) return;
    (this.#items.find((item) => item.matches('[aria-checked="true"], [aria-current="true"]')) ?? this.#items[0])?.focus();
  }

  /** @param {boolean} [refocus]  returns the focus to the button */
  close(refocus = true) {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    if (refocus) this.button.focus();
  }

  get #items() {
    const items = /** @type {NodeListOf<HTMLElement>} */ (this.element.querySelectorAll("button, summary"));
    return [...items].filter(
      (item) => !(item instanceof HTMLButtonElement && item.disabled) && item.tabIndex >= 0 && item.checkVisibility(),
    );
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // Home and End belong to a text field that is being edited.
    if (event.isComposing || (event.target instanceof HTMLInputElement && (event.key === "Home" || event.key === "End"))) return;
    const items = this.#items;
    const at = items.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    const to = { ArrowDown: (at + 1) % items.length, ArrowUp: (at - 1 + items.length) % items.length, Home: 0, End: items.length - 1 }[
      event.key
    ];
    if (to !== undefined) {
      event.preventDefault();
      items[to]?.focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    }
  }
}
