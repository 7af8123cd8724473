/**
 * The frame of all cards in the conversation: a header with an icon and the speaker, the body, and rows below a line.
 * Owns the frame; the caller owns the content.
 */
import { h, icon } from "./dom.js";

/**
 * @typedef {object} CardHead
 * @property {string} picture  of the sprite
 * @property {Node | string} words
 * @property {string | null} [id]  the header's id, so that the header can label an element
 * @property {string} [note]  a word at its end
 */

/** @param {CardHead} head */
export function cardHead({ picture, words, id = null, note }) {
  return h(
    "div",
    { class: "card__head", id },
    icon(picture),
    h("span", { class: "grow" }, words),
    note && h("span", { class: "tag" }, note),
  );
}

/**
 * @template {"div" | "form"} T
 * @param {T} tag
 * @param {import("./dom.js").Properties & { class?: string }} properties
 * @param {CardHead} head
 * @param {(Node | null | undefined | false | "")[]} body
 * @param {Node[]} [below]  full-width rows
 * @returns {HTMLElementTagNameMap[T]}
 */
export function card(tag, { class: name = "", ...properties }, head, body, below = []) {
  return h(
    tag,
    { ...properties, class: `card ${name}`.trim() },
    h("div", { class: "card__body" }, cardHead(head), ...body.map((node) => node || null)),
    below.length > 0 && h("div", { class: "card__rows" }, ...below),
  );
}
