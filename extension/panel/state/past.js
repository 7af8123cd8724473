/**
 * All past conversations as the history lists them: by day, with the text that a search found. Pure.
 * @import { ConversationInfo } from "../../protocol.js"
 */
import { groupedBy } from "./grouped.js";

/** Noon is half a day after midnight: a daylight saving change moves midnight, but never noon's date. */
const HALF_DAY_MS = 12 * 3_600_000;

/** @param {number} at */
const midnight = (at) => new Date(at).setHours(0, 0, 0, 0);

/**
 * Returns the day of a moment, relative to now.
 * @param {number} at
 * @param {number} now
 * @returns {"today" | "yesterday" | "earlier"}
 */
export function dayOf(at, now) {
  const today = midnight(now);
  if (midnight(at) === today) return "today";
  return midnight(today - HALF_DAY_MS) === midnight(at) ? "yesterday" : "earlier";
}

/**
 * Groups conversations with messages by the midnight that starts their day, newest first.
 * @param {ConversationInfo[]} found
 * @returns {[number, ConversationInfo[]][]}
 */
export function byDay(found) {
  const said = found.filter(({ head }) => head > 0).toSorted((a, b) => b.updatedAt - a.updatedAt);
  return groupedBy(said, ({ updatedAt }) => midnight(updatedAt));
}

/**
 * Splits an excerpt where the searched words occur.
 * @param {string} text
 * @param {string} search
 * @returns {{ text: string, hit: boolean }[]}
 */
export function marked(text, search) {
  const wanted = search.trim().toLowerCase();
  const low = text.toLowerCase();
  // A letter whose lower case is longer would shift the hits, so nothing is highlighted.
  if (!wanted || low.length !== text.length) return [{ text, hit: false }];
  const parts = [];
  let from = 0;
  for (let at = low.indexOf(wanted); at !== -1; at = low.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), hit: false });
    parts.push({ text: text.slice(at, at + wanted.length), hit: true });
    from = at + wanted.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), hit: false });
  return parts;
}

/**
 * Returns the folders that were worked in, newest first, each once.
 * @param {ConversationInfo[]} conversations
 * @param {string} current  left out
 * @param {number} most
 */
export function foldersOf(conversations, current, most) {
  const newest = conversations.toSorted((a, b) => b.updatedAt - a.updatedAt).map(({ folder }) => folder);
  return [...new Set(newest)].filter((folder) => folder && folder !== current).slice(0, most);
}
