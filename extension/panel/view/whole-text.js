/**
 * A text that must be read exactly: hidden characters are named, long runs of blanks are counted. Owns the nodes;
 * `state/revealed.js` decides what is hidden.
 * @import { Said } from "../../shared/said.js"
 */
import { t } from "../../shared/i18n.js";
import { revealed } from "../state/revealed.js";
import { h } from "./dom.js";

/** @param {string} text @returns {Node[]} */
export function wholeText(text) {
  // biome-ignore lint/suspicious/useIterableCallbackReturn: the kinds below are all there are; `tsc` checks that
  return revealed(text).flatMap((part) => {
    switch (part.kind) {
      case "text":
        return [document.createTextNode(part.text)];
      case "hidden":
        return [mark(part.name)];
      case "spaces":
        return [mark(t("spacesCount", part.count))];
      case "lines":
        return [mark(t("linesCount", part.count)), document.createTextNode("\n")];
    }
  });
}

/**
 * Draws a sentence. Its values are revealed too, and cannot change the direction of our own words.
 * @param {Said[]} parts
 */
export function wholeSentence(parts) {
  return parts.map(({ text, isValue }) => (isValue ? h("bdi", {}, ...wholeText(text)) : text));
}

/** @param {string} words */
function mark(words) {
  return h("mark", { class: "unseen" }, `⟨${words}⟩`);
}
