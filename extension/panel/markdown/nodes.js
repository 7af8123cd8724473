/**
 * Turns the parser's Markdown tokens into nodes. Never parses HTML and never loads anything.
 *
 * Raw HTML becomes text, an image becomes a link to it, and a forbidden link becomes its text followed by the address.
 * @import { Token } from "../../vendor/markdown-it/markdown-it.esm.min.js"
 * @import { Facts } from "./allowed.js"
 */
import { h } from "../view/dom.js";
import { elementOf, linkTo } from "./allowed.js";
import { DEEPEST, languageOf, parse } from "./parser.js";

/** The longest address that is shown beside its text if it cannot be a link. */
const LONGEST_SHOWN = 200;
/** Parser element names that are different here. */
const NAMES = new Map([["s", "del"]]);
const TASK = /^\[([ xX])\] /;
const SIDE = /^text-align:(left|center|right)$/;

/** @typedef {Pick<Document, "createElement" | "createTextNode">} Make  the document, or its substitute in tests */
/** @typedef {{ element: HTMLElement | null, after: string }} Opened  null: omitted, its content goes to the parent */

/**
 * Returns the nodes of one block. A source that the parser cannot handle becomes plain text.
 * @param {string} source
 * @returns {Node[]}
 */
export function nodesOf(source) {
  try {
    return nodesFrom(parse(source), document);
  } catch {
    return [h("p", {}, source)];
  }
}

/** @param {Token[]} tokens @param {Make} make @returns {Node[]} */
export function nodesFrom(tokens, make) {
  const builder = new Builder(make);
  for (const token of tokens) builder.take(token);
  return builder.end();
}

class Builder {
  #make;
  /** @type {Node[]} */ #top = [];
  /** @type {Opened[]} */ #open = [];
  /** The open elements, outermost first. @type {HTMLElement[]} */ #around = [];
  #text = "";
  /** Within a link, where no other link is allowed. */
  #inLink = false;
  /** A list item started and is still empty: a task checkbox may follow. */
  #mayBeTask = false;

  /** @param {Make} make */
  constructor(make) {
    this.#make = make;
  }

  /** @returns {Node[]} */
  end() {
    while (this.#open.length > 0) this.#close();
    this.#flush();
    return this.#top;
  }

  /** @param {Token} token */
  take(token) {
    const mayBeTask = this.#mayBeTask;
    this.#mayBeTask = token.type === "list_item_open" || (mayBeTask && token.type === "paragraph_open");
    switch (token.type) {
      case "inline":
        for (const [index, child] of (token.children ?? []).entries()) {
          if (mayBeTask && index === 0 && child.type === "text") this.#task(child.content);
          else this.take(child);
        }
        return;
      case "text":
      case "text_special":
      case "html_inline":
        this.#text += token.content;
        return;
      case "softbreak":
        this.#text += "\n";
        return;
      case "html_block":
        return this.#leaf("p", {}, token.content.trimEnd());
      case "code_inline":
        return this.#leaf("code", {}, token.content);
      case "fence":
      case "code_block":
        this.#begin("pre", {});
        this.#leaf("code", { language: languageOf(token) }, token.content);
        return this.#close();
      case "image":
        this.#beginLink(String(token.attrGet("src") ?? ""), true);
        for (const child of token.children ?? []) this.take(child);
        return this.#close();
      case "link_open":
        return this.#beginLink(String(token.attrGet("href") ?? ""), token.markup !== "autolink");
    }
    // A paragraph of a tight list has no element of its own.
    if (token.hidden) return;
    if (token.nesting === 1) this.#begin(token.tag, factsOf(token));
    else if (token.nesting === -1) this.#close();
    else this.#leaf(token.tag, {}, "");
  }

  /** @param {string} text  the first of a list item */
  #task(text) {
    const [box, mark] = TASK.exec(text) ?? [];
    if (box) this.#leaf("input", { checked: mark !== " " }, "");
    this.#text += box ? text.slice(box.length - 1) : text;
  }

  /** @param {string} tag @param {Facts} facts @param {string} text */
  #leaf(tag, facts, text) {
    this.#begin(tag, facts);
    this.#text += text;
    this.#close();
  }

  /**
   * @param {string} tag
   * @param {Facts} facts
   * @param {string} [after]  text that follows if the element is not allowed
   */
  #begin(tag, facts, after = "") {
    this.#flush();
    const element = this.#around.length < DEEPEST ? elementOf(NAMES.get(tag) ?? tag, facts, this.#make) : null;
    this.#open.push({ element, after: element ? "" : after });
    if (!element) return;
    this.#add(element);
    this.#around.push(element);
  }

  /** @param {string} address @param {boolean} isNamed  whether its text differs from the address */
  #beginLink(address, isNamed) {
    if (this.#inLink) return this.#begin("", {});
    const shown = isNamed && address !== "" && address.length <= LONGEST_SHOWN && linkTo(address) === null;
    this.#begin("a", { href: address }, shown ? ` (${address})` : "");
    this.#inLink = this.#open.at(-1)?.element !== null;
  }

  #close() {
    const opened = this.#open.pop();
    if (!opened) return;
    this.#flush();
    if (opened.element) this.#around.pop();
    if (opened.element?.localName === "a") this.#inLink = false;
    this.#text += opened.after;
  }

  #flush() {
    if (this.#text === "") return;
    this.#add(this.#make.createTextNode(this.#text));
    this.#text = "";
  }

  /** @param {Node} node */
  #add(node) {
    const parent = this.#around.at(-1);
    if (parent) parent.append(node);
    else this.#top.push(node);
  }
}

/** @param {Token} token @returns {Facts} */
function factsOf(token) {
  return { start: token.attrGet("start"), side: SIDE.exec(String(token.attrGet("style") ?? ""))?.[1] };
}
