/**
 * The text that an agent wants to type, in a card: all of it in sight, and the person may write another one.
 *
 * Owns the field. What is sent with the answer is `changed`: null while the text is the agent's.
 */
import { t } from "../../shared/i18n.js";
import { h } from "./dom.js";

export class AskedText {
  /** @param {string} text @param {string} label @param {() => void} onChange */
  constructor(text, label, onChange) {
    this.text = text;
    // Grows with its text: what runs is in sight. A line break in a field of one line would press Enter.
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

  /** Null: as the agent wants it. @returns {string | null} */
  get changed() {
    const { value } = this.field;
    return value === this.text ? null : value;
  }
}
