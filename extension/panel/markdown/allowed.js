/**
 * The elements, attributes and links that an answer may contain. Creates every element of a finished answer.
 *
 * An answer repeats what an agent read in pages that we do not trust. Its source is never parsed as HTML, and a name or
 * value from its parser that is not listed here does not reach the document.
 */
import { LINK_SCHEMES } from "../../shared/constants.js";

const ELEMENTS = new Set(
  "p br hr h1 h2 h3 h4 h5 h6 blockquote ul ol li pre code em strong del a table thead tbody tr th td input".split(" "),
);
const LANGUAGE = /^[\w+#.-]{1,32}$/;
/** A column's alignment as a class of ours. Every other cell aligns to the start of its text. */
const SIDES = new Map([
  ["right", "num"],
  ["center", "middle"],
]);

/**
 * The facts about an element, in Markdown terms.
 * @typedef {{ href?: string, language?: string, start?: string | number | null, side?: string, checked?: boolean }} Facts
 */

/**
 * Returns the address of a link as the browser resolves it, or null if links must not lead there. Relative addresses
 * have no base here.
 * @param {string} address
 */
export function linkTo(address) {
  if (!URL.canParse(address)) return null;
  const { protocol, href } = new URL(address);
  return LINK_SCHEMES.includes(protocol.slice(0, -1)) ? href : null;
}

/**
 * Returns an element, or null if it is not allowed.
 * @param {string} name
 * @param {Facts} facts
 * @param {Pick<Document, "createElement">} make
 * @returns {HTMLElement | null}
 */
export function elementOf(name, facts, make) {
  if (!ELEMENTS.has(name)) return null;
  const attributes = attributesOf(name, facts);
  if (name === "a" && attributes.length === 0) return null;
  const element = make.createElement(name);
  for (const [attribute, value] of attributes) element.setAttribute(attribute, value);
  return element;
}

/** @param {string} name @param {Facts} facts @returns {[string, string][]} */
function attributesOf(name, { href, language, start, side, checked }) {
  /** @type {[string, string][]} */
  const kept = [];
  if (name === "a") {
    const address = href === undefined ? null : linkTo(href);
    if (address !== null) kept.push(["href", address], ["target", "_blank"], ["rel", "noreferrer"]);
  } else if (name === "code") {
    if (language && LANGUAGE.test(language)) kept.push(["class", `language-${language}`]);
  } else if (name === "ol") {
    if (start != null && /^\d{1,9}$/.test(String(start))) kept.push(["start", String(start)]);
  } else if (name === "th" || name === "td") {
    const kind = SIDES.get(side ?? "");
    if (kind) kept.push(["class", kind]);
  } else if (name === "input") {
    // A task list's checkbox is read-only.
    kept.push(["type", "checkbox"], ["disabled", ""]);
    if (checked) kept.push(["checked", ""]);
  }
  return kept;
}
