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
/** The total size of a message's context, in bytes of UTF-8. The daemon passes at most 16 KiB on to an agent. */
const LARGEST = 16 * 1024;

/** @param {string} text */
function cut(text) {
  // Half of a surrogate pair is not valid text.
  return text.length > LONGEST ? `${text.slice(0, LONGEST).replace(/[\uD800-\uDBFF]$/, "")}…` : text;
}

/** @param {string} text @returns {Context} */
export function selectionContext(text) {
  const words = text.trim().replace(/\s+/g, " ");
  return { kind: "selection", label: `${words.slice(0, 60)}${words.length > 60 ? "…" : ""}`, detail: "", text: cut(text.trim()) };
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
const HEAD = new RegExp(`^(${Object.values(HEADS).join("|")}):\\n`);

/**
 * Joins them into one text; null if there are none. A single selection stays as it is. A long part gives way, so that
 * all of them reach the agent.
 * @param {Context[]} contexts
 */
export function joined(contexts) {
  const [only] = contexts;
  if (!only) return null;
  if (contexts.length === 1 && only.kind === "selection") return only.text;
  const heads = contexts.map(({ kind }) => `${HEADS[kind]}:\n`);
  const texts = shared(
    contexts.map(({ text }) => text),
    LARGEST - sizeOf(heads.join("")) - 2 * contexts.length,
  );
  return texts.map((text, index) => heads[index] + text).join("\n\n");
}

const encoder = new TextEncoder();
/** @param {string} text */
const sizeOf = (text) => encoder.encode(text).length;

/**
 * Shortens the longest texts until all of them together have at most `bytes`.
 * @param {string[]} texts
 * @param {number} bytes
 */
function shared(texts, bytes) {
  const bySize = texts.map((text, index) => ({ text, index, size: sizeOf(text) })).toSorted((one, other) => one.size - other.size);
  const result = [...texts];
  let left = bytes;
  for (const [place, { text, index, size }] of bySize.entries()) {
    const share = Math.floor(left / (bySize.length - place));
    if (size > share) result[index] = beginning(text, share);
    left -= Math.min(size, share);
  }
  return result;
}

/** Returns the beginning of a text with an ellipsis, at most `bytes` of UTF-8. @param {string} text @param {number} bytes */
function beginning(text, bytes) {
  const { read } = encoder.encodeInto(text, new Uint8Array(Math.max(0, bytes - sizeOf("…"))));
  return `${text.slice(0, read)}…`;
}

/**
 * Returns the parts of a joined text, to show them one by one.
 * @param {string} text  as `joined` made it
 * @returns {{ kind: Context["kind"], text: string }[]}
 */
export function partsOf(text) {
  if (text === "") return [];
  if (!HEAD.test(text)) return [{ kind: "selection", text }];
  const kinds = /** @type {Context["kind"][]} */ (Object.keys(HEADS));
  return text.split(new RegExp(`\n\n(?=(?:${Object.values(HEADS).join("|")}):\n)`)).map((part) => {
    const head = HEAD.exec(part)?.[1];
    return { kind: kinds.find((kind) => HEADS[kind] === head) ?? "selection", text: part.replace(HEAD, "") };
  });
}

/**
 * Returns the part in the composer's form. A picked element's first line says where it is.
 * @param {{ kind: Context["kind"], text: string }} part
 * @returns {Context}
 */
function contextOf({ kind, text }) {
  if (kind === "selection") return selectionContext(text);
  const [first = ""] = text.split("\n", 1);
  return { kind, label: first.slice(0, 60), detail: "", text };
}

/**
 * Returns what was to go with a message, in the composer's form.
 * @param {Pick<Unsent, "attachments" | "page">} message
 * @returns {Held[]}
 */
export function heldOf({ attachments, page }) {
  return [
    ...partsOf(page?.selection ?? "").map(contextOf),
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
