/**
 * Several approvals of one turn that wait at once, as one card: which belong together, and what the card says. Pure.
 * @import { ApprovalItem, Item } from "./entries.js"
 */
import { askWords } from "../../shared/said.js";
import { t } from "../../shared/i18n.js";

/** Fewer are cards of their own. */
const GROUP_FROM = 2;

/** Those that one card asks about: acts on elements of one site. Empty where each has its own. @param {readonly Item[]} items @returns {ApprovalItem[]} */
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

/** Whether it sends a form, pays, orders or deletes. @param {ApprovalItem["ask"]} ask */
export function isSubmit({ action }) {
  return action?.submits === true || action?.scope === "submit";
}

/** It goes on in the middle of a sentence. @param {string} text */
function lowerFirst(text) {
  return text.charAt(0).toLocaleLowerCase() + text.slice(1);
}

/** “Fill 6 fields”, and what is done then. @param {readonly ApprovalItem[]} asks @returns {{ main: string, then: string }} */
export function headlineOf(asks) {
  const sends = asks.filter(({ ask }) => isSubmit(ask));
  const rest = asks.filter(({ ask }) => !isSubmit(ask));
  const only = rest.length === 1 && rest[0] ? askWords(rest[0].ask) : "";
  const main = only || (rest.every(({ ask }) => ask.action?.text != null) ? t("groupFill", rest.length) : t("groupActions", rest.length));
  const then = sends.length === 1 && sends[0] ? askWords(sends[0].ask) : sends.length > 1 ? t("groupActions", sends.length) : "";
  return rest.length > 0 ? { main, then: lowerFirst(then) } : { main: then, then: "" };
}
