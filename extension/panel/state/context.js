/**
 * What goes with a message: of the page as one text, and what the composer holds. Pure.
 *
 * It travels as the page's `selection`: the daemon hands it to the agent as what a page says, never as an order.
 * @import { Picked } from "../../protocol.js"
 * @import { Held } from "../view/attachments.js"
 * @import { Unsent } from "./outbox.js"
 */

/**
 * @typedef {object} Context
 * @property {"page" | "selection" | "element"} kind
 * @property {string} label  on the chip
 * @property {string} detail  beside it, shorter
 * @property {string} text  for the agent
 */

/** More of a page than this is not sent: an agent reads on with its tools. */
const LONGEST = 20_000;

/** @param {string} text */
function cut(text) {
  // Half of a surrogate pair is not text.
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
 * All of them as one text; null for none. A selection alone stands as it is.
 * @param {Context[]} contexts
 */
export function joined(contexts) {
  const [only] = contexts;
  if (!only) return null;
  if (contexts.length === 1 && only.kind === "selection") return only.text;
  return contexts.map(({ kind, text }) => `${HEADS[kind]}:\n${text}`).join("\n\n");
}

/** What was to go with a message, as the composer holds it. @param {Unsent} message @returns {Held[]} */
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

/** With one more: the newest of a kind is the one that counts, but pictures and elements are many. @param {Held[]} held @param {Held} one @returns {Held[]} */
export function withHeld(held, one) {
  const many = one.kind === "picture" || one.kind === "shot" || one.kind === "element";
  return [...(many ? held : held.filter(({ kind }) => kind !== one.kind)), one];
}

/** Two texts of one composer, the earlier one first. @param {string} earlier @param {string} later */
export function joinedText(earlier, later) {
  return [earlier, later].filter((text) => text.trim() !== "").join("\n\n");
}

/** How many bytes Base64 stands for. @param {string} data */
export function bytesOf(data) {
  return Math.floor(data.length * 0.75);
}
