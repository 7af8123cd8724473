/**
 * The panel's copy of the activity log. Pure.
 *
 * Owns the order, the filter and the groups of entries. A finished entry replaces the entry that announced its start.
 * @import { ActivityEntry } from "../../protocol.js"
 */

/** The daemon keeps the same number. */
const MOST = 1000;

/** @typedef {{ entries: ActivityEntry[], gap: boolean }} ActivityLog  oldest first; `gap`: older ones were dropped */

/** @type {ActivityLog} */
export const EMPTY_LOG = { entries: [], gap: false };

/** @param {ActivityLog} log @param {ActivityEntry} entry @returns {ActivityLog} */
export function withEntry(log, entry) {
  const at = log.entries.findLastIndex(({ id }) => id <= entry.id);
  const entries = [...log.entries];
  if (entries[at]?.id === entry.id) entries[at] = entry;
  else entries.splice(at + 1, 0, entry);
  return { ...log, entries: entries.slice(-MOST) };
}

/** @param {ActivityEntry} entry */
function failed({ outcome }) {
  return outcome === "failed" || outcome === "unknown";
}

/** @param {ActivityLog} log */
export function failures(log) {
  return log.entries.filter(failed).length;
}

/**
 * Returns the entries that match the filter: each of its words occurs somewhere in the line.
 * @param {ActivityLog} log
 * @param {string} filter
 * @param {boolean} onlyFailed
 */
export function matching(log, filter, onlyFailed) {
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return log.entries.filter((entry) => {
    if (onlyFailed && !failed(entry)) return false;
    const line = `${entry.source} ${entry.command} ${entry.args.join(" ")} ${entry.result ?? ""}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
}

/**
 * Groups consecutive entries of one source.
 * @param {ActivityEntry[]} entries
 * @returns {{ source: string, entries: ActivityEntry[] }[]}
 */
export function bySource(entries) {
  /** @type {{ source: string, entries: ActivityEntry[] }[]} */
  const groups = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.source === entry.source) last.entries.push(entry);
    else groups.push({ source: entry.source, entries: [entry] });
  }
  return groups;
}
