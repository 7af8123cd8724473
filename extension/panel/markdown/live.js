/**
 * A block of Markdown while it grows: plain nodes, drawn by appending.
 *
 * Owns the nodes of one unfinished block. Never redraws existing nodes: each character is appended once its meaning is
 * decided, so no marker appears and then vanishes. The finished block replaces it. Knows headings, lists, fences,
 * quotes and rules; `live-inline.js` handles inline Markdown.
 * @import { Mark } from "./live-inline.js"
 */
import { h } from "../view/dom.js";
import { LiveInline } from "./live-inline.js";

/** The start of a line that may still turn out to be a marker. */
const MAY_BE_MARKER = /^(?:#{0,6}|[-*+]|\d{1,9}[.)]?|>|`{1,3}|~{1,3}|`{3,}[^`]*|~{3,}.*|([-*_])(?: *\1)*)$/;
const MARKER = /^(?:(#{1,6}) |([-*+]) |(\d{1,9})[.)] |(>) ?)$/;
const FENCE = /^(`{3,}|~{3,})\s*(\S*)[^`]*$/;
const RULE = /^([-*_])(?: *\1){2,} *$/;
/** A longer undecided line start is text. */
const LONGEST_MARKER = 200;
/** A line with more indentation is code or a continuation, except in a list. */
const MOST_INDENT = 3;

export class LiveBlock {
  /** The part of the block that is drawn. */
  #source = "";
  /** The undecided characters at the start of a line. */
  #lineStart = "";
  #atLineStart = true;
  /** The marker that ends the open fence. */
  #fence = "";
  /** The indentation of the open fence, which its lines share. */
  #fenceIndent = 0;
  /** The open lists, outermost first. @type {{ list: HTMLElement, indent: number }[]} */ #lists = [];
  /** @type {HTMLElement | null} */ #line = null;
  /** @type {HTMLElement} */ #place;
  /** @type {Text | null} */ #text = null;
  /** Characters to append at once: one DOM change per piece, not per character. */
  #pending = "";
  #caret = h("span", { class: "caret", "aria-hidden": "true" });
  #inline = new LiveInline({
    open: (mark) => this.#nest(mark),
    close: () => this.#leave(),
    text: (text) => this.#append(text),
    task: (checked) => this.#task(checked),
  });

  constructor() {
    this.element = h("div", { class: "live-block" });
    this.#place = this.element;
  }

  /** Draws the new text. @param {string} source  the whole block so far */
  grow(source) {
    // A block that became too long is cut, and ends before text that is already drawn.
    if (this.#source.slice(source.length).trim() !== "") this.#clear();
    this.#caret.remove();
    for (const char of source.slice(this.#source.length)) this.#put(char);
    this.#source = source;
    this.#flush();
    (this.#line ?? this.element).append(this.#caret);
  }

  #clear() {
    this.#source = "";
    this.#lineStart = "";
    this.#atLineStart = true;
    this.#fence = "";
    this.#lists = [];
    this.#line = null;
    this.#place = this.element;
    this.#text = null;
    this.#pending = "";
    this.#inline.begin(false);
    this.element.replaceChildren();
  }

  /** Finishes the block: no more text comes. */
  end() {
    if (this.#atLineStart && this.#lineStart) this.#wholeLine(this.#lineStart);
    if (!this.#fence) this.#inline.end();
    this.#flush();
    this.#caret.remove();
  }

  /** @param {string} char */
  #put(char) {
    if (!this.#atLineStart) return char === "\n" ? this.#newLine() : this.#character(char);
    if (char === "\n") {
      const line = this.#lineStart;
      if (!this.#wholeLine(line)) this.#newLine();
      return;
    }
    this.#lineStart += char;
    const { bare, indent } = this.#bare;
    if (this.#fence) {
      if (!isBeginning(bare, this.#fence)) this.#flushLineStart();
      return;
    }
    const marker = indent > MOST_INDENT && this.#lists.length === 0 ? null : MARKER.exec(bare);
    if (marker) this.#open(marker, indent);
    else if (this.#lineStart.length > LONGEST_MARKER || !MAY_BE_MARKER.test(bare)) this.#flushLineStart();
  }

  /** The line's start without its indentation. */
  get #bare() {
    const bare = this.#lineStart.trimStart();
    return { bare, indent: this.#lineStart.length - bare.length };
  }

  /**
   * Handles a line that ended before it was decided: a fence, a rule, a blank or a very short line.
   * @param {string} line
   * @returns {boolean} whether it was a fence or a rule
   */
  #wholeLine(line) {
    const bare = line.trim();
    if (this.#fence ? isBeginning(bare, this.#fence) && bare.length >= this.#fence.length : FENCE.test(bare)) {
      this.#lineStart = "";
      this.#flush();
      this.#fence = this.#fence ? "" : (FENCE.exec(bare)?.[1] ?? "");
      this.#fenceIndent = line.length - line.trimStart().length;
      if (this.#fence) this.#begin(h("code", {}), h("pre", { class: "live-block__code" }), this.#item(line));
      else this.#line = null;
      return true;
    }
    if (!this.#fence && RULE.test(bare)) {
      this.#lineStart = "";
      // Below a paragraph it makes that a heading.
      if (!this.#line) this.#begin(h("hr", {}));
      this.#line = null;
      return true;
    }
    this.#flushLineStart();
    return false;
  }

  /** Returns the list item that an indented line belongs to. @param {string} line */
  #item(line) {
    const item = /^\s/.test(line) ? this.#lists.at(-1)?.list.lastElementChild : null;
    return item instanceof HTMLElement ? item : this.element;
  }

  /** @param {RegExpExecArray} marker @param {number} indent */
  #open([, heading, bullet, number], indent) {
    this.#lineStart = "";
    this.#atLineStart = false;
    if (heading) return this.#begin(h(heading.length === 1 ? "h2" : "h3", {}));
    if (!bullet && !number) return this.#begin(h("blockquote", {}));
    while (this.#lists.length > 1 && (this.#lists.at(-1)?.indent ?? 0) > indent) this.#lists.pop();
    const tag = bullet ? "ul" : "ol";
    const open = this.#lists.at(-1);
    const within = open && indent > open.indent + 1 ? open.list.lastElementChild : null;
    if (!within && open?.list.localName === tag && open.list.parentElement?.lastElementChild === open.list)
      return this.#begin(h("li", {}), open.list);
    const list = h(tag, {});
    if (number && number !== "1") list.style.counterReset = `item ${Number(number) - 1}`;
    if (!within) this.#lists.pop();
    const place = within ?? this.#lists.at(-1)?.list.lastElementChild ?? this.element;
    this.#lists.push({ list, indent });
    this.#begin(h("li", {}), list, /** @type {HTMLElement} */ (place));
  }

  /**
   * @param {HTMLElement} line
   * @param {HTMLElement} [parent]
   * @param {HTMLElement} [place]  the container of the parent
   */
  #begin(line, parent, place = this.element) {
    this.#flush();
    if (parent) {
      parent.append(line);
      if (!parent.parentElement) place.append(parent);
    } else {
      this.element.append(line);
    }
    this.#line = line;
    this.#place = line;
    this.#text = null;
    this.#inline.begin(line.localName === "li");
  }

  #flushLineStart() {
    const text = this.#lineStart;
    this.#lineStart = "";
    this.#atLineStart = false;
    if (this.#fence) return this.#append(text.slice(Math.min(this.#fenceIndent, text.length - text.trimStart().length)));
    if (!this.#line && text.trim() !== "") this.#begin(h("p", {}));
    for (const char of this.#line && this.#lists.length > 0 ? text.trimStart() : text) this.#inline.put(char);
  }

  #newLine() {
    this.#atLineStart = true;
    if (this.#fence) return this.#append("\n");
    if (this.#line?.localName === "p" || this.#line?.localName === "li") {
      // A soft break: the next line continues here unless a marker opens another block.
      this.#inline.put("\n");
    } else {
      this.#inline.end();
      this.#flush();
      this.#line = null;
    }
  }

  /** @param {string} char */
  #character(char) {
    if (this.#fence) this.#append(char);
    else this.#inline.put(char);
  }

  /** @param {Mark} mark */
  #nest(mark) {
    if (!this.#line) this.#begin(h("p", {}));
    this.#flush();
    const child = mark === "link" ? h("span", { class: "live-block__link" }) : h(mark, {});
    this.#place.append(child);
    this.#place = child;
    this.#text = null;
  }

  #leave() {
    this.#flush();
    this.#place = this.#place.parentElement ?? this.element;
    this.#text = null;
  }

  /** @param {boolean} checked */
  #task(checked) {
    this.#flush();
    this.#line?.classList.add("task");
    this.#place.append(h("input", { type: "checkbox", disabled: true, checked }));
    this.#text = null;
  }

  /** @param {string} text */
  #append(text) {
    if (!this.#line) this.#begin(h("p", {}));
    this.#pending += text;
  }

  #flush() {
    const text = this.#pending;
    this.#pending = "";
    if (text === "") return;
    if (this.#text) {
      this.#text.appendData(text);
    } else {
      this.#text = document.createTextNode(text);
      this.#place.append(this.#text);
    }
  }
}

/** Returns whether a line's start may become the closing fence. @param {string} bare @param {string} fence */
function isBeginning(bare, fence) {
  return bare === (fence[0] ?? "").repeat(bare.length);
}
