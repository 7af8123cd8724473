/**
 * The strip that says that the person took over the tab in view, with a place for a note and the button that hands the
 * tab back.
 *
 * Owns the note while it is written: a redraw neither clears it nor takes the focus from it. Never takes the focus by
 * itself.
 * @import { PausedTab } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { sentence, value } from "../../shared/said.js";
import { h } from "./dom.js";
import { wholeSentence } from "./whole-text.js";

/** The daemon takes no longer one. */
const LONGEST_NOTE = 2000;

export class Takeover {
  #drawn = "";
  #words = h("span", { class: "takeover__words" });
  /** @type {HTMLInputElement} */
  #note = /** @type {HTMLInputElement} */ (
    h("input", {
      class: "takeover__note",
      type: "text",
      maxlength: LONGEST_NOTE,
      placeholder: t("takeoverNote"),
      "aria-label": t("takeoverNote"),
    })
  );

  /**
   * @param {HTMLElement} element
   * @param {(note: string) => void} handBack
   */
  constructor(element, handBack) {
    this.element = element;
    const give = () => handBack(this.#note.value.trim());
    this.#note.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      give();
    });
    const button = h("button", { class: "button", type: "button", title: t("handBackMeans"), onclick: give }, t("handBack"));
    element.replaceChildren(this.#words, h("div", { class: "takeover__line" }, this.#note, button));
  }

  /** @param {PausedTab[]} paused  who waits in the tab in view */
  update(paused) {
    const drawn = paused.map(({ tabId, worker }) => `${tabId} ${worker}`).join("\n");
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const focused = this.element.contains(document.activeElement);
    this.element.hidden = drawn === "";
    if (drawn === "") {
      this.#note.value = "";
      if (focused) document.getElementById("composer")?.querySelector("textarea")?.focus();
      return;
    }
    const names = paused.map(({ worker }) => worker).join(", ");
    this.#words.replaceChildren(
      h("b", {}, t("youTookOver")),
      " ",
      h("span", {}, ...wholeSentence(sentence("takeoverWaits", [value(names)]))),
    );
  }
}
