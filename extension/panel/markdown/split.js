/**
 * Splits growing Markdown into finished blocks. Pure.
 *
 * An emitted block never changes: only the tail grows. Knows just enough Markdown to find where a block ends
 * (CommonMark 0.31, block structure); the renderer decides what a block means. Emits a block that becomes too long to
 * draw at once in pieces, each valid Markdown by itself.
 */

/** No backtick may follow a fence of backticks: that is inline code. */
const FENCE = /^ {0,3}(`{3,}(?!.*`)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {2}|\t)/;
/** The second line of a table. */
const DELIMITER = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\r?\n$/;

/** Code, lists and tables longer than this, a screen or two, are cut at the next line or item. In UTF-16 units. */
export const PIECE = 4000;
/** A cut in running text is visible, so it comes later. A line that is longer is cut within. */
const LONGEST = 2 * PIECE;
/** The longest a list may grow without an item at which it can be cut. */
const ENDLESS = 4 * PIECE;
/** A longer header is not repeated with each piece; a longer line is not examined as a header. */
const LONGEST_HEAD = 500;
/**
 * Where running text is cut: after a sentence, or else between two words; always before a letter, which starts no
 * marker.
 */
const AFTER_SENTENCE = /[.!?…。！？]["'”’)\]]*\s*(?=\p{L})/gu;
const BETWEEN_WORDS = /\s(?=\p{L})/gu;

/**
 * @typedef {object} Block
 * @property {string} source  Markdown that is complete by itself
 * @property {boolean} goesOn  it is a further piece of the previous block
 * @property {boolean} glued  … and the cut between them is within a line
 */

export class BlockSplitter {
  #partial = "";
  #block = "";
  #inList = false;
  /** The list had a blank line, so the next line decides whether it continues. */
  #listMayEnd = false;
  /** The marker that ends the open fence. */
  #fence = "";
  /** The start of each further piece of the block: its fence's first line, or a table's header. */
  #head = "";
  /** The offset in the block at which the open fence starts. */
  #fenceAt = 0;
  /** The indentation of the lines in a piece that was cut out of a list. */
  #indent = 0;
  #goesOn = false;
  #glued = false;

  /**
   * @param {string} text  the text since the last call
   * @returns {Block[]}  the blocks that this text finishes, without the blank lines between them
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

  /** The block that is still growing. @returns {Block} */
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

  /** Returns whether the block is long and this line can start a piece. @param {string} line */
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

  /** Emits unfinished overlong lines as if they had ended. @param {Block[]} finished */
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

  /**
   * Continues the code in another piece, outside the list, because only there can a line start a piece.
   * @param {Block[]} finished
   */
  #cutCode(finished) {
    const indent = this.#inList ? " ".repeat(this.#indent) : "";
    this.#inList = false;
    this.#fenceAt = 0;
    this.#cut(indent + this.#fence, finished);
  }

  /**
   * Continues the block in another piece.
   * @param {string} end  what its source lacks to be complete
   * @param {Block[]} finished
   */
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

/** Returns whether a block is one line that can be a table's header. @param {string} block */
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

/** Returns a nearby offset that splits no character. @param {string} text @param {number} at */
function whole(text, at) {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at;
}

/** Returns where to cut an overlong line. @param {string} line */
function cutAt(line) {
  const first = line.slice(0, LONGEST);
  for (const place of [AFTER_SENTENCE, BETWEEN_WORDS]) {
    const last = [...first.matchAll(place)].at(-1);
    if (last && last.index > PIECE) return last.index + last[0].length;
  }
  return whole(line, LONGEST);
}
