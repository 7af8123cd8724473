/**
 * The result of `inspect`, in the shapes that the panel draws. Pure.
 *
 * Reads the command's data. Omits missing values and never guesses them.
 */

/**
 * @typedef {{ name: string, value: string, important: boolean, overridden: boolean }} Declaration
 *
 * @typedef {object} Rule  the strongest first
 * @property {string} selector
 * @property {number[] | null} specificity  ids, classes, types
 * @property {"page" | "inline" | "user-agent"} origin
 * @property {string[]} conditions  `@media …`, `@layer …`
 * @property {string} source  `cart.css:88`
 * @property {Declaration[]} declarations
 *
 * @typedef {object} Box  lengths in CSS pixels: top, right, bottom, left
 * @property {number} width
 * @property {number} height
 * @property {number[]} padding
 * @property {number[]} border
 * @property {number[]} margin
 *
 * @typedef {object} Inspection
 * @property {string} element
 * @property {Rule[]} rules
 * @property {Box | null} box
 * @property {Map<string, string>} computed
 */

/** @param {unknown} value */
const list = (value) => (Array.isArray(value) ? value : []);

/** @param {any} data  of `inspect` @returns {Inspection} */
export function readInspection(data) {
  const rules = list(data?.rules).map((rule) => ({
    selector: String(rule.selector ?? ""),
    specificity: Array.isArray(rule.specificity) ? rule.specificity : null,
    origin: rule.origin ?? "page",
    conditions: list(rule.conditions),
    source: rule.source ?? "",
    declarations: list(rule.declarations),
  }));
  const box = data?.box
    ? { ...data.box, padding: list(data.box.padding), border: list(data.box.border), margin: list(data.box.margin) }
    : null;
  const computed = new Map(Object.entries(data?.computed ?? {}).sort(([a], [b]) => a.localeCompare(b)));
  return { element: String(data?.element ?? ""), rules, box, computed };
}

/**
 * Returns the rules of the page, which are shown first; the browser's own rules are folded.
 * @param {Inspection} inspection
 */
export function pageRules({ rules }) {
  return rules.filter(({ origin }) => origin !== "user-agent");
}

/** @param {Rule[]} rules */
export function overriddenCount(rules) {
  const all = rules.flatMap(({ declarations }) => declarations);
  return { overridden: all.filter(({ overridden }) => overridden).length, all: all.length };
}

/**
 * Splits the computed values into those that a rule of the page has set, and all others.
 * @param {Inspection} inspection
 */
export function computedParts(inspection) {
  const names = new Set(pageRules(inspection).flatMap(({ declarations }) => declarations.map(({ name }) => name)));
  const isSet = (/** @type {string} */ name) => names.has(name) || [...names].some((each) => name.startsWith(`${each}-`));
  const entries = [...inspection.computed];
  return { set: entries.filter(([name]) => isSet(name)), others: entries.filter(([name]) => !isSet(name)) };
}

/** Returns the winning declarations as CSS. @param {Inspection} inspection @param {string} selector */
export function asCss(inspection, selector) {
  const lines = pageRules(inspection)
    .flatMap(({ declarations }) => declarations.filter(({ overridden }) => !overridden))
    .map(({ name, value, important }) => `  ${name}: ${value}${important ? " !important" : ""};`);
  return `${selector} {\n${lines.join("\n")}\n}`;
}

/** Formats a length: `12`, `12.5`. @param {number} length */
export function pixels(length) {
  return String(Math.round((length ?? 0) * 100) / 100 + 0);
}

const COLOUR = /^(#[0-9a-f]{3,8}|(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\([^()]*\))$/i;

/** Returns the colour that a value names, for its swatch; empty if it is not a colour. @param {string} value */
export function colourOf(value) {
  return COLOUR.test(value.trim()) ? value.trim() : "";
}
