/**
 * A block of Markdown while it grows: light text, drawn by appending.
 *
 * Owns the nodes of one unfinished block. What stands is never drawn again: each character goes to the end.
 * It knows headings, list items, fences, quotes, `code` and **strong**; the finished block replaces it.
 */
import { h } from "../view/dom.js";

/** The beginning of a line that may yet turn out to be a marker. */
const MAY_BE_MARKER = /^ {0,3}(?:#{0,6}|[-*+]|\d{1,9}[.)]?|>|`{1,3}|~{1,3}|`{3,}[^`]*|~{3,}.*)$/;
const MARKER = /^ {0,3}(?:(#{1,6}) |([-*+]) |(\d{1,9})[.)] |(>) ?)$/;
const FENCE_LINE = /^ {0,3}(?:`{3,}|~{3,})\s*(\S*).*\n$/;

export class LiveBlock {
  /** What of the block is drawn. */
  #source = "";
  /** The characters of a line's beginning that are not decided yet. */
  #lineStart = "";
  #atLineStart = true;
  #inFence = false;
  #star = false;
  /** @type {HTMLElement | null} */ #line = null;
  /** @type {HTMLElement} */ #inline;
  /** @type {Text | null} */ #text = null;
  /** Characters that go to the end of the text at once: one change of the document a piece, not one a letter. */
  #pending = "";
  #caret = h("span", { class: "caret", "aria-hidden": "true" });

  constructor() {
    this.element = h("div", { class: "live-block" });
    this.#inline = this.element;
  }

  /** Draws what is new. @param {string} source  all of the block so far */
  grow(source) {
    // A block that became too long ends before what was drawn of it.
    if (this.#source.slice(source.length).trim() !== "") this.#clear();
    for (const char of source.slice(this.#source.length)) this.#put(char);
    this.#source = source;
    this.#flush();
    (this.#line ?? this.element).append(this.#caret);
  }

  #clear() {
    this.#source = "";
    this.#lineStart = "";
    this.#atLineStart = true;
    this.#inFence = false;
    this.#star = false;
    this.#line = null;
    this.#inline = this.element;
    this.#text = null;
    this.#pending = "";
    this.element.replaceChildren();
  }

  /** The block will not grow any more. */
  end() {
    if (this.#lineStart) this.#flushLineStart();
    this.#flush();
    this.#caret.remove();
  }

  /** @param {string} char */
  #put(char) {
    if (!this.#atLineStart) return char === "\n" ? this.#newLine() : this.#character(char);
    this.#lineStart += char;
    if (char === "\n") return this.#wholeLine();
    const marker = this.#inFence ? null : MARKER.exec(this.#lineStart);
    if (marker) return this.#open(marker);
    if (this.#inFence ? !/^ {0,3}[`~]*$/.test(this.#lineStart) : !MAY_BE_MARKER.test(this.#lineStart)) this.#flushLineStart();
  }

  /** A line ended before it was decided: a fence, a blank or a very short one. */
  #wholeLine() {
    const line = this.#lineStart;
    const fence = FENCE_LINE.exec(line);
    if (fence) {
      this.#lineStart = "";
      this.#flush();
      this.#inFence = !this.#inFence;
      if (this.#inFence) this.#begin(h("code", {}), h("pre", { class: "live-block__code" }));
      else this.#line = null;
      return;
    }
    this.#lineStart = line.slice(0, -1);
    this.#flushLineStart();
    this.#newLine();
  }

  /** @param {RegExpExecArray} marker */
  #open([, heading, bullet, number]) {
    this.#lineStart = "";
    this.#atLineStart = false;
    if (heading) return this.#begin(h(heading.length === 1 ? "h2" : "h3", {}));
    if (bullet || number) {
      const tag = bullet ? "ul" : "ol";
      const last = this.element.lastElementChild;
      const list = last instanceof HTMLElement && last.localName === tag ? last : h(tag, {});
      if (number && list !== last && number !== "1") list.style.counterReset = `item ${Number(number) - 1}`;
      return this.#begin(h("li", {}), list);
    }
    this.#begin(h("blockquote", {}));
  }

  /** @param {HTMLElement} line @param {HTMLElement} [parent] */
  #begin(line, parent) {
    this.#flush();
    if (parent) {
      parent.append(line);
      this.element.append(parent);
    } else {
      this.element.append(line);
    }
    this.#line = line;
    this.#inline = line;
    this.#text = null;
  }

  #flushLineStart() {
    const text = this.#lineStart;
    this.#lineStart = "";
    this.#atLineStart = false;
    if (!this.#line && text.trim() !== "") this.#begin(h("p", {}));
    for (const char of text) this.#character(char);
  }

  #newLine() {
    if (!this.#inFence) this.#flush();
    this.#star = false;
    this.#atLineStart = true;
    if (this.#inFence) {
      this.#append("\n");
    } else if (this.#line?.localName === "p" || this.#line?.localName === "li") {
      // A soft break: the next line goes on here unless a marker opens another one.
      this.#inline = this.#line;
      this.#text = null;
      this.#append(" ");
    } else {
      this.#line = null;
    }
  }

  /** @param {string} char */
  #character(char) {
    if (this.#inFence) return this.#append(char);
    const inCode = this.#inline.localName === "code";
    if (char === "`") return this.#toggle("code");
    if (char === "*" && !inCode) {
      if (this.#star) {
        this.#star = false;
        return this.#toggle("strong");
      }
      this.#star = true;
      return;
    }
    if (this.#star) {
      this.#star = false;
      this.#append("*");
    }
    this.#append(char);
  }

  /** @param {"code" | "strong"} tag */
  #toggle(tag) {
    this.#flush();
    this.#text = null;
    if (this.#inline.localName === tag) {
      this.#inline = this.#inline.parentElement ?? this.element;
    } else {
      const child = h(tag, {});
      this.#inline.append(child);
      this.#inline = child;
    }
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
      this.#caret.remove();
      this.#inline.append(this.#text);
    }
  }
}
