/**
 * The text that an agent wants to type, fully visible in a card; the person may edit it.
 *
 * Owns the field. The answer sends `changed`: null while the text is the agent's.
 */
import { t } from "../../shared/i18n.js";
import { h } from "./dom.js";

export class AskedText {
  /** @param {string} text @param {string} label @param {() => void} onChange */
  constructor(text, label, onChange) {
    this.text = text;
    // Grows with its text, so that the text is shown as it is. In a single-line field a line break would press Enter.
    this.field = h("textarea", {
      class: "field asked-text",
      rows: "1",
      spellcheck: "false",
      "aria-label": t("textToType", label),
      oninput: () => onChange(),
    });
    this.field.value = text;
    this.field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !text.includes("\n")) event.preventDefault();
    });
    this.element = this.field;
  }

  /** The edited text; null if it is unchanged. @returns {string | null} */
  get changed() {
    const { value } = this.field;
    return value === this.text ? null : value;
  }
}
