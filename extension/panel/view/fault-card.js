/**
 * A fault in the conversation: what happened, the next step, and a button for it.
 * @import { Fault } from "../../protocol.js"
 */
import { worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { card } from "./card.js";
import { commandLine, h, icon } from "./dom.js";

/**
 * @param {Fault} fault
 * @param {{ label: string, main?: boolean, onclick: () => void }[]} remedies
 */
export function faultCard(fault, remedies) {
  const { message, hint, command } = worded(fault);
  return card("div", { class: "card--danger" }, { picture: "alert", words: message }, [
    hint && h("p", { class: "card__text" }, hint),
    command && commandLine(command),
    remedies.length > 0 &&
      h(
        "div",
        { class: "card__actions" },
        ...remedies.map(({ label, main, onclick }) =>
          h(
            "button",
            { class: main ? "button button--solid" : "button", type: "button", onclick },
            main ? null : icon("retry"),
            label || t("retry"),
          ),
        ),
      ),
  ]);
}
