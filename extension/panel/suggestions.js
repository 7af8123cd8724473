/**
 * Suggestions for the page in view: what a person could ask here, and the evidence for it.
 *
 * Owns the choice (pure) and the read of the page: a single read of a few counts in the extension's isolated world. It
 * leaves nothing behind, and its result never leaves the panel. Runs only while the panel is empty.
 */

/**
 * @typedef {object} PageFacts
 * @property {number} fields  visible fields that a person fills
 * @property {number} words
 * @property {number} links
 * @property {number} rows  of the largest table
 * @property {number} loadMs  0 while unknown
 *
 * @typedef {object} Suggestion
 * @property {string} icon
 * @property {string} say  the name of its catalogue message, which is shown, and sent unless `sends` is set
 * @property {string} [sends]  text that the built-in agent understands; it knows English only
 * @property {[string, string | number] | []} evidence  the name of a catalogue message and its value
 */
import { decimal } from "./format.js";

/** A page that takes longer to load is slow enough to suggest asking why. */
const SLOW_MS = 2500;
/** Fewer words do not need a summary. */
const LONG_WORDS = 250;
/** How many suggestions are shown. */
const SHOWN = 4;

/**
 * Chooses the suggestions.
 * @param {PageFacts | null} facts  null if the page cannot be read
 * @returns {Suggestion[]}
 */
export function suggest(facts) {
  /** @type {Suggestion[]} */
  const found = [];
  if (facts && facts.fields > 1) found.push({ icon: "form", say: "suggestFill", evidence: ["factFields", facts.fields] });
  if (facts && facts.rows > 3) found.push({ icon: "copy", say: "suggestTable", evidence: ["factRows", facts.rows] });
  if (facts && facts.loadMs > SLOW_MS)
    found.push({ icon: "gauge", say: "suggestSlow", evidence: ["factLoad", decimal(facts.loadMs / 1000, 1)] });
  if (facts && facts.words > LONG_WORDS) found.push({ icon: "text", say: "suggestSummary", evidence: ["factWords", facts.words] });
  // Nothing more is known, but any page with text can be asked about.
  /** @type {Suggestion[]} */
  const general =
    facts && facts.words > 0
      ? [
          { icon: "alert", say: "suggestConsole", evidence: [] },
          { icon: "message", say: "suggestExplain", evidence: [] },
          { icon: "search", say: "suggestAccess", evidence: [] },
        ]
      : [];
  return [...found, ...general].slice(0, SHOWN);
}

/**
 * Returns what the built-in commands can do with this page. `sends` must be a sentence that the built-in agent
 * understands.
 * @param {PageFacts | null} facts
 * @returns {Suggestion[]}
 */
export function suggestPlain(facts) {
  if (!facts) return [];
  /** @type {(Suggestion | false)[]} */
  const all = [
    facts.words > 0 && { icon: "text", say: "plainRead", sends: "Read the page", evidence: ["plainReadCommand", ""] },
    facts.fields > 0 && { icon: "form", say: "plainForms", sends: "List the fields of this form", evidence: ["factFields", facts.fields] },
    facts.links > 0 && { icon: "globe", say: "plainLinks", sends: "List the links", evidence: ["factLinks", facts.links] },
    { icon: "alert", say: "plainConsole", sends: "Show the errors in the console", evidence: ["plainConsoleCommand", ""] },
    { icon: "camera", say: "plainShot", sends: "Take a screenshot", evidence: ["plainShotCommand", ""] },
  ];
  return all.filter((one) => one !== false).slice(0, SHOWN);
}

/** Reads the counts. Runs in the page's isolated world, so it must be self-contained. @returns {PageFacts} */
function look() {
  const fields = [...document.querySelectorAll("input, select, textarea")].filter(
    (field) =>
      !(field instanceof HTMLInputElement && /^(?:hidden|submit|button|image|reset|search)$/.test(field.type)) &&
      field.getClientRects().length > 0,
  );
  const [load] = performance.getEntriesByType("navigation");
  return {
    fields: fields.length,
    words: (document.body?.innerText.match(/\S+/g) ?? []).length,
    links: [...document.links].filter((link) => link.getClientRects().length > 0).length,
    rows: Math.max(0, ...[...document.querySelectorAll("table")].map(({ rows }) => rows.length)),
    loadMs: load instanceof PerformanceNavigationTiming ? load.loadEventEnd : 0,
  };
}

/** @param {number} tabId @returns {Promise<PageFacts | null>} */
export async function pageFacts(tabId) {
  try {
    const [answer] = await chrome.scripting.executeScript({ target: { tabId }, func: look });
    return answer?.result ?? null;
  } catch {
    // Extensions cannot access the browser's own pages and the Web Store.
    return null;
  }
}
