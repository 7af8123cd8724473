/**
 * Cuts growing Markdown into finished blocks. Pure.
 *
 * A block that was given out never changes: only the tail grows. It knows just enough Markdown to see where a
 * block ends (CommonMark 0.31, block structure); what a block means is the renderer's work.
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {2}|\t)/;

export class BlockSplitter {
  #partial = "";
  #block = "";
  #inList = false;
  /** A list had a blank line: the next line tells whether it goes on. */
  #listMayEnd = false;
  /** The marker that ends the open fence. */
  #fence = "";

  /**
   * @param {string} text  what came since the last call
   * @returns {string[]}  the blocks that are finished by it, without the blank lines between them
   */
  feed(text) {
    /** @type {string[]} */
    const finished = [];
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#line(this.#partial + text.slice(from, end + 1), finished);
      this.#partial = "";
      from = end + 1;
    }
    this.#partial += text.slice(from);
    return finished;
  }

  /** The block that still grows. */
  get tail() {
    return this.#block + this.#partial;
  }

  /** @param {string} line  with its newline @param {string[]} finished */
  #line(line, finished) {
    if (this.#fence) return this.#inFence(line, finished);
    if (line.trim() === "") return this.#blank(line, finished);
    if (this.#listMayEnd && !ITEM.test(line) && !INDENTED.test(line)) this.#close(finished);
    this.#listMayEnd = false;
    const fence = FENCE.exec(line) ?? (this.#inList ? FENCE.exec(line.trimStart()) : null);
    if (fence) {
      if (!this.#inList) this.#close(finished);
      this.#fence = fence[1] ?? "";
      this.#block += line;
    } else if (HEADING.test(line)) {
      this.#close(finished);
      this.#block = line;
      this.#close(finished);
    } else {
      if (this.#block === "") this.#inList = ITEM.test(line);
      this.#block += line;
    }
  }

  /** @param {string} line @param {string[]} finished */
  #inFence(line, finished) {
    this.#block += line;
    const text = line.trim();
    const closes = text.length >= this.#fence.length && text === (this.#fence[0] ?? "").repeat(text.length);
    if (!closes) return;
    this.#fence = "";
    if (!this.#inList) this.#close(finished);
  }

  /** @param {string} line @param {string[]} finished */
  #blank(line, finished) {
    if (this.#inList) {
      this.#block += line;
      this.#listMayEnd = true;
    } else {
      this.#close(finished);
    }
  }

  /** @param {string[]} finished */
  #close(finished) {
    if (this.#block.trim() !== "") finished.push(this.#block.trimEnd());
    this.#block = "";
    this.#inList = false;
    this.#listMayEnd = false;
  }
}
