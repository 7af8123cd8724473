/**
 * The context of a message: the parts of the page as one text, and the composer's attachments. Pure.
 *
 * It travels as the page's `selection`: the daemon passes it to the agent as page content, never as an instruction.
 * @import { Picked } from "../../protocol.js"
 * @import { Held } from "../view/attachments.js"
 * @import { Unsent } from "./outbox.js"
 */

/**
 * @typedef {object} Context
 * @property {"page" | "selection" | "element"} kind
 * @property {string} label  on the chip
 * @property {string} detail  a shorter text beside it
 * @property {string} text  for the agent
 */

/** More of a page is not sent: the agent can read the rest with its tools. */
const LONGEST = 20_000;

/** @param {string} text */
function cut(text) {
  // Half of a surrogate pair is not valid text.
  return text.length > LONGEST ? `${text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** @param {string} text @returns {Context} */
export function selectionContext(text) {
  const words = text.trim().replace(/\s+/g, " ");
  return { kind: "selection", label: `“${words.slice(0, 60)}${words.length > 60 ? "…" : ""}”`, detail: "", text: cut(text.trim()) };
}

/** @param {{ title: string, url: string }} page @param {string} text @returns {Context} */
export function pageContext({ title, url }, text) {
  return { kind: "page", label: title || url, detail: "", text: cut(text.trim()) };
}

/** @param {Picked} picked @returns {Context} */
export function elementContext({ ref, role, name, selector, url, html }) {
  return {
    kind: "element",
    label: selector,
    detail: ref,
    text: `${ref}: ${role}${name ? ` “${name}”` : ""}, ${selector} in ${url}\n${html}`,
  };
}

const HEADS = { page: "Text of the page", selection: "Selected text", element: "Picked element" };

/**
 * Joins them into one text; null if there are none. A single selection stays as it is.
 * @param {Context[]} contexts
 */
export function joined(contexts) {
  const [only] = contexts;
  if (!only) return null;
  if (contexts.length === 1 && only.kind === "selection") return only.text;
  return contexts.map(({ kind, text }) => `${HEADS[kind]}:\n${text}`).join("\n\n");
}

/** Returns what was to go with a message, in the composer's form. @param {Unsent} message @returns {Held[]} */
export function heldOf({ attachments, page }) {
  return [
    ...(page?.selection ? [selectionContext(page.selection)] : []),
    ...attachments.map((attachment) =>
      attachment.path
        ? { kind: /** @type {const} */ ("shot"), attachment }
        : { kind: /** @type {const} */ ("picture"), attachment, bytes: bytesOf(attachment.data ?? "") },
    ),
  ];
}

/**
 * Adds an item: it replaces an earlier one of the same kind, except for pictures and elements.
 * @param {Held[]} held
 * @param {Held} one
 * @returns {Held[]}
 */
export function withHeld(held, one) {
  const many = one.kind === "picture" || one.kind === "shot" || one.kind === "element";
  return [...(many ? held : held.filter(({ kind }) => kind !== one.kind)), one];
}

/** Joins two texts of one composer, the earlier one first. @param {string} earlier @param {string} later */
export function joinedText(earlier, later) {
  return [earlier, later].filter((text) => text.trim() !== "").join("\n\n");
}

/** Returns the number of bytes that a Base64 text encodes. @param {string} data */
export function bytesOf(data) {
  return Math.floor(data.length * 0.75);
}
