/**
 * Cuts growing Markdown into finished blocks. Pure.
 *
 * A block that was given out never changes: only the tail grows. It knows just enough Markdown to see where a
 * block ends (CommonMark 0.31, block structure); what a block means is the renderer's work. A block that becomes
 * too long to be drawn at once is given out in pieces, each of which is Markdown by itself.
 */

/** Behind a fence of backticks is no other one: that is code within a line. */
const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {2}|\t)/;
/** A table's second line. */
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?\n$/;

/** Code, lists and tables are cut at the next line or item once they are so long: a screen or two. In UTF-16 units. */
export const PIECE = 4000;
/** A cut in running text is seen: it comes later. A line that is longer is cut within. */
const LONGEST = 2 * PIECE;
/** So long may a list grow without an item that it could be cut at. */
const ENDLESS = 4 * PIECE;
/** A longer head is not said again with each piece; neither is what can't be one looked at any further. */
const LONGEST_HEAD = 500;
/** Where running text is cut: after a sentence, else between two words; always before a letter, which begins no marker. */
const AFTER_SENTENCE = /[.!?…。！？]["'”’)\]]*\s*(?=\p{L})/gu;
const BETWEEN_WORDS = /\s(?=\p{L})/gu;

/**
 * @typedef {object} Block
 * @property {string} source  Markdown that stands by itself
 * @property {boolean} goesOn  it is a further piece of the block before
 * @property {boolean} glued  … which was cut within a line
 */

export class BlockSplitter {
  #partial = "";
  #block = "";
  #inList = false;
  /** A list had a blank line: the next line tells whether it goes on. */
  #listMayEnd = false;
  /** The marker that ends the open fence. */
  #fence = "";
  /** What a further piece of the block begins with: its fence's first line, a table's head. */
  #head = "";
  /** Where in the block the open fence begins. */
  #fenceAt = 0;
  /** How far the lines of a piece that was cut out of a list are indented. */
  #indent = 0;
  #goesOn = false;
  #glued = false;

  /**
   * @param {string} text  what came since the last call
   * @returns {Block[]}  the blocks that are finished by it, without the blank lines between them
   */
  feed(text) {
    /** @type {Block[]} */
    const finished = [];
    let from = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", from)) {
      this.#partial += text.slice(from, end + 1);
      this.#cutLines(finished);
      this.#line(this.#partial, finished);
      this.#partial = "";
      from = end + 1;
    }
    this.#partial += text.slice(from);
    this.#cutLines(finished);
    return finished;
  }

  /** The block that still grows. @returns {Block} */
  get tail() {
    return { source: this.#block + this.#partial, goesOn: this.#goesOn, glued: this.#glued };
  }

  /** @param {string} line  with its newline @param {Block[]} finished */
  #line(line, finished) {
    if (this.#fence) return this.#inFence(line, finished);
    if (line.trim() === "") return this.#blank(line, finished);
    if (this.#listMayEnd && !ITEM.test(line) && !INDENTED.test(line)) this.#close(finished);
    this.#listMayEnd = false;
    const fence = FENCE.exec(line) ?? (this.#inList ? FENCE.exec(line.trimStart()) : null);
    if (fence) {
      if (!this.#inList) this.#close(finished);
      this.#fence = fence[1] ?? "";
      this.#indent = this.#inList ? line.length - line.trimStart().length : 0;
      this.#head = line.length > LONGEST_HEAD ? `${this.#fence}\n` : line.trimStart();
      this.#fenceAt = this.#block.length;
      this.#block += line;
    } else if (HEADING.test(line)) {
      this.#close(finished);
      this.#block = line;
      this.#close(finished);
    } else {
      if (this.#mayCutBefore(line)) this.#cut("", finished);
      if (this.#block === "") this.#inList = ITEM.test(line);
      else if (!this.#inList && this.#head === "" && isTableHead(this.#block) && isDelimiter(line)) this.#head = this.#block + line;
      this.#block += line;
    }
  }

  /** Whether the block has become long and this line can begin a piece. @param {string} line */
  #mayCutBefore(line) {
    const { length } = this.#block;
    if (this.#inList) return length >= ENDLESS || (length >= PIECE && /^\S/.test(line) && ITEM.test(line));
    return length >= (this.#head ? PIECE : LONGEST);
  }

  /** @param {string} line @param {Block[]} finished */
  #inFence(line, finished) {
    const text = line.trim();
    const closes = text.length >= this.#fence.length && text === (this.#fence[0] ?? "").repeat(text.length);
    if (!closes && this.#block.length - this.#fenceAt >= PIECE) this.#cutCode(finished);
    this.#block += this.#inList ? line : withoutIndent(line, this.#indent);
    if (!closes) return;
    this.#fence = "";
    if (this.#inList) this.#head = "";
    else this.#close(finished);
  }

  /** @param {string} line @param {Block[]} finished */
  #blank(line, finished) {
    if (this.#inList) {
      this.#block += line;
      this.#listMayEnd = true;
    } else {
      this.#close(finished);
    }
  }

  /** Lines without an end are given out as if they had ended. @param {Block[]} finished */
  #cutLines(finished) {
    while (this.#partial.length > LONGEST) {
      const at = this.#fence ? whole(this.#partial, PIECE) : cutAt(this.#partial);
      const line = `${this.#partial.slice(0, at)}\n`;
      this.#partial = this.#partial.slice(at);
      this.#line(line, finished);
      if (this.#fence) this.#cutCode(finished);
      else if (this.#block !== "") this.#cut("", finished);
      this.#glued = this.#fence !== "";
    }
  }

  /** The code goes on in another piece; out of a list, since only there a line can begin a piece. @param {Block[]} finished */
  #cutCode(finished) {
    const indent = this.#inList ? " ".repeat(this.#indent) : "";
    this.#inList = false;
    this.#fenceAt = 0;
    this.#cut(indent + this.#fence, finished);
  }

  /** The block goes on in another piece. @param {string} end  what its source lacks to stand by itself @param {Block[]} finished */
  #cut(end, finished) {
    const head = this.#head;
    const fence = this.#fence;
    const indent = this.#indent;
    this.#block += end;
    this.#close(finished);
    this.#block = head;
    this.#head = head;
    this.#fence = fence;
    this.#indent = indent;
    this.#goesOn = true;
  }

  /** @param {Block[]} finished */
  #close(finished) {
    if (this.#block.trim() !== "") finished.push({ source: this.#block.trimEnd(), goesOn: this.#goesOn, glued: this.#glued });
    this.#block = "";
    this.#head = "";
    this.#indent = 0;
    this.#inList = false;
    this.#listMayEnd = false;
    this.#goesOn = false;
    this.#glued = false;
  }
}

/** Whether a block is one line that can be a table's first. @param {string} block */
function isTableHead(block) {
  return block.length <= LONGEST_HEAD && block.includes("|") && block.indexOf("\n") === block.length - 1;
}

/** @param {string} line */
function isDelimiter(line) {
  return line.length <= LONGEST_HEAD && DELIMITER.test(line);
}

/** @param {string} line @param {number} indent */
function withoutIndent(line, indent) {
  return indent === 0 ? line : line.slice(Math.min(indent, line.length - line.trimStart().length, line.length - 1));
}

/** A place that splits no character. @param {string} text @param {number} at */
function whole(text, at) {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at;
}

/** Where a line that is too long is cut. @param {string} line */
function cutAt(line) {
  const first = line.slice(0, LONGEST);
  for (const place of [AFTER_SENTENCE, BETWEEN_WORDS]) {
    const last = [...first.matchAll(place)].at(-1);
    if (last && last.index > PIECE) return last.index + last[0].length;
  }
  return whole(line, LONGEST);
}
