/**
 * Several approvals of one turn that wait at the same time, as one card: which belong together, and the card's text.
 * Pure.
 * @import { ApprovalItem, Item } from "./entries.js"
 * @import { Said } from "../../shared/said.js"
 */
import { midSentence } from "../../shared/i18n.js";
import { askParts, sentence, value } from "../../shared/said.js";

/** Fewer approvals get a card each. */
const GROUP_FROM = 2;

/**
 * Returns the approvals that one card covers: actions on elements of one site. Empty if each gets its own card.
 * @param {readonly Item[]} items
 * @returns {ApprovalItem[]}
 */
export function grouped(items) {
  const open = /** @type {ApprovalItem[]} */ (
    items.filter(
      (item) =>
        item.kind === "approval" &&
        !item.done &&
        item.ask.kind === "act" &&
        item.ask.action?.element &&
        item.ask.choices.includes("allow-once"),
    )
  );
  const alike = open.filter(({ ask }) => ask.site === open[0]?.ask.site);
  return alike.length >= GROUP_FROM ? alike : [];
}

/** Returns whether the action submits a form, pays, orders or deletes. @param {ApprovalItem["ask"]} ask */
export function isSubmit({ action }) {
  return action?.submits === true || action?.scope === "submit";
}

/** Returns the parts for the middle of a sentence. @param {Said[]} parts @returns {Said[]} */
function continued([first, ...rest]) {
  return first ? [{ ...first, text: midSentence(first.text) }, ...rest] : [];
}

/**
 * Returns the card's headline: “Fill 6 fields, then click “Place order””.
 * @param {readonly ApprovalItem[]} asks
 * @returns {Said[]}
 */
export function headlineOf(asks) {
  const sends = asks.filter(({ ask }) => isSubmit(ask));
  const rest = asks.filter(({ ask }) => !isSubmit(ask));
  const main = several(rest);
  const then = several(sends);
  if (rest.length === 0) return then;
  return sends.length === 0 ? main : sentence("groupThen", main, continued(then));
}

/**
 * Describes one action in its own words, several by their number: texts for fields, or actions.
 * @param {readonly ApprovalItem[]} asks
 * @returns {Said[]}
 */
function several(asks) {
  if (asks.length === 1 && asks[0]) return askParts(asks[0].ask);
  const count = [value(String(asks.length))];
  return asks.every(({ ask }) => ask.action?.text != null) ? sentence("groupFill", count) : sentence("groupActions", count);
}
