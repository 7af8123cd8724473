/**
 * A short message at the bottom with at most one action. Owns its time on screen.
 */
import { t } from "../../shared/i18n.js";
import { h, iconButton } from "./dom.js";

/** Long enough to read two lines; the toast stays while it is hovered or focused. */
const STAYS_MS = 6000;

export class Toast {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  #held = false;

  /** @param {HTMLElement} element  has `role="status"` */
  constructor(element) {
    this.element = element;
    element.addEventListener("pointerenter", () => clearTimeout(this.#timer));
    element.addEventListener("focusin", () => clearTimeout(this.#timer));
    for (const type of ["pointerleave", "focusout"]) element.addEventListener(type, () => this.#start());
  }

  /** @param {string} words @param {{ label: string, onclick: () => void }} [action] */
  show(words, action) {
    this.#held = false;
    this.element.replaceChildren(
      h("span", { class: "grow truncate", title: words }, words),
      ...(action
        ? [
            h(
              "button",
              {
                class: "button button--quiet",
                type: "button",
                onclick: () => {
                  action.onclick();
                  this.hide();
                },
              },
              action.label,
            ),
          ]
        : []),
      iconButton("cross", t("close"), () => this.hide(), "icon-button icon-button--small"),
    );
    this.element.hidden = false;
    this.#start();
  }

  /**
   * Like `show`, but stays until `hide` is called.
   * @param {string} words
   * @param {{ label: string, onclick: () => void }} action
   */
  hold(words, action) {
    this.show(words, action);
    clearTimeout(this.#timer);
    this.#held = true;
  }

  hide() {
    this.#held = false;
    clearTimeout(this.#timer);
    this.element.hidden = true;
  }

  #start() {
    clearTimeout(this.#timer);
    if (this.#held) return;
    this.#timer = setTimeout(() => this.hide(), STAYS_MS);
  }
}
