/**
 * The strip over a conversation from the history: its agent, and the button to continue it here.
 * @import { ConversationInfo } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { h, icon } from "./dom.js";

/**
 * @param {HTMLElement} strip
 * @param {ConversationInfo | null} info  null while the tab's own conversation is visible
 * @param {{ back: () => void, goOn: (info: ConversationInfo) => void }} actions
 */
export function drawReading(strip, info, { back, goOn }) {
  const drawn = info ? `${info.conversationId} ${info.title}` : "";
  if ((strip.dataset.drawn ?? "") === drawn) return;
  strip.dataset.drawn = drawn;
  strip.hidden = info === null;
  strip.replaceChildren(
    ...(info
      ? [
          icon("history"),
          h("span", { class: "grow truncate", title: info.title }, info.title || t("untitled")),
          h("button", { class: "button", type: "button", "aria-label": t("backToTab"), title: t("backToTab"), onclick: back }, t("back")),
          h("button", { class: "button button--solid", type: "button", onclick: () => goOn(info) }, t("goOnHere")),
        ]
      : []),
  );
}
