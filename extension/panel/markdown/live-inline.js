/**
 * Inline Markdown that is still growing: `code`, **strong**, *emphasis*, ~~deleted~~ and links.
 *
 * Owns the decision what a character means, and holds back characters that are still ambiguous, so that no marker or
 * address appears and then vanishes. Draws nothing: it reports starts, ends and text to its caller.
 */

/** A longer label, or a longer address in angle brackets, is plain text. */
const LONGEST_LABEL = 200;
const LONGEST_ADDRESS = 2000;
const SPECIAL = /[\\`*_~[!<\n]/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const LABEL = /^!?\[((?:[^[\]\\]|\\.|\[[^[\]]*\])*)\]/s;
const ADDRESS = /^<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*)>/;
const MAY_BE_ADDRESS = /^<(?:[A-Za-z][A-Za-z0-9+.-]{0,31}(?::[^\s<>]*)?)?$/;

/**
 * @typedef {"code" | "strong" | "em" | "del" | "link"} Mark
 * @typedef {{ open: (mark: Mark) => void, close: () => void, text: (text: string) => void, task: (checked: boolean) => void }} Out
 */

export class LiveInline {
  #held = "";
  /** The last decided character. */
  #before = " ";
  /** @type {{ mark: Mark, marker: string }[]} */ #open = [];
  /** The number of open brackets in a link's destination, and how many of its characters were omitted. */
  #depth = 0;
  #left = 0;
  /** At the start of a list item: a task checkbox may follow. */
  #mayBeTask = false;

  /** @param {Out} out @param {boolean} [links]  false within a link, which cannot contain another one */
  constructor(out, links = true) {
    this.out = out;
    this.links = links;
  }

  /** Starts another line with nothing open. @param {boolean} isItem */
  begin(isItem) {
    this.#held = "";
    this.#before = " ";
    this.#open = [];
    this.#depth = 0;
    this.#mayBeTask = isItem;
  }

  /** @param {string} char */
  put(char) {
    if (this.#depth > 0) return this.#skip(char);
    this.#held += char;
    this.#decide(false);
  }

  /** Decides everything that is held: no more text comes. */
  end() {
    this.#decide(true);
  }

  /** @param {boolean} ended */
  #decide(ended) {
    while (this.#held !== "" && this.#depth === 0) {
      const taken = this.#take(this.#held, ended);
      if (taken === 0) return;
      this.#before = this.#held[taken - 1] ?? " ";
      this.#held = this.#held.slice(taken);
      this.#mayBeTask = false;
    }
  }

  /** @param {string} held @param {boolean} ended @returns {number}  how many of them are decided now */
  #take(held, ended) {
    const first = held[0] ?? "";
    if (this.#open.at(-1)?.mark === "code") return first === "`" ? this.#codeEnd(held, ended) : this.#text(held, held.search(/`/));
    switch (first) {
      case "\\":
        return held.length === 1 && !ended ? 0 : this.#escape(held);
      case "`":
        return this.#code(held, ended);
      case "*":
      case "_":
      case "~":
        return this.#emphasis(held, first, ended);
      case "!":
        return held.length === 1 && !ended ? 0 : held[1] === "[" ? this.#link(held, ended) : this.#text(held, 1);
      case "[":
        return this.#link(held, ended);
      case "<":
        return this.#address(held, ended);
      case "\n":
        this.out.text(" ");
        return 1;
      default:
        return this.#text(held, held.search(SPECIAL));
    }
  }

  /** @param {string} held @param {number} length  -1: all of it */
  #text(held, length) {
    const text = length === -1 ? held : held.slice(0, length);
    this.out.text(text.replaceAll("\n", " "));
    return text.length;
  }

  /** @param {string} held */
  #escape(held) {
    const next = held[1] ?? "";
    if (next === "\n") this.out.text(" ");
    else if (next && PUNCTUATION.test(next)) this.out.text(next);
    else return this.#text(held, 1);
    return 2;
  }

  /** @param {string} held @param {boolean} ended */
  #code(held, ended) {
    const marker = runOf(held);
    if (marker.length === held.length) return ended ? this.#text(held, -1) : 0;
    this.#begin("code", marker);
    return marker.length;
  }

  /** @param {string} held @param {boolean} ended */
  #codeEnd(held, ended) {
    const run = runOf(held);
    if (run.length === held.length && !ended) return 0;
    if (run === this.#open.at(-1)?.marker) this.#end();
    else this.out.text(run);
    return run.length;
  }

  /**
   * Applies CommonMark's flanking rules, but assumes that every opener is closed later.
   * @param {string} held
   * @param {string} char
   * @param {boolean} ended
   */
  #emphasis(held, char, ended) {
    const run = runOf(held);
    if (run.length === held.length && !ended) return 0;
    const [before, after] = [this.#before, held[run.length] ?? " "];
    const [spaceBefore, spaceAfter] = [/\s/.test(before), /\s/.test(after)];
    const [markBefore, markAfter] = [PUNCTUATION.test(before), PUNCTUATION.test(after)];
    const opens = !spaceAfter && (!markAfter || spaceBefore || markBefore);
    const closes = !spaceBefore && (!markBefore || spaceAfter || markAfter);
    let left = run.length;
    for (let top = this.#open.at(-1); closes && top && top.marker[0] === char && top.marker.length <= left; top = this.#open.at(-1)) {
      left -= top.marker.length;
      this.#end();
    }
    // A single marker within a word is more often arithmetic or part of a name.
    const mayOpen = opens && left <= 3 && ((left === 2 && char !== "_") || spaceBefore || markBefore);
    if (left > 0 && !mayOpen) this.out.text(char.repeat(left));
    else if (char === "~" && left > 0) this.#begin("del", char.repeat(left));
    else {
      if (left >= 2) this.#begin("strong", char.repeat(2));
      if (left % 2 === 1) this.#begin("em", char);
    }
    return run.length;
  }

  /** @param {string} held @param {boolean} ended */
  #link(held, ended) {
    const [all = "", label = ""] = LABEL.exec(held) ?? [];
    if (!all || !this.links) return !ended && this.links && held.length <= LONGEST_LABEL ? 0 : this.#text(held, 1);
    const next = held[all.length];
    if (next === undefined && !ended) return 0;
    if (this.#mayBeTask && /^[ xX]$/.test(label) && next === " ") {
      this.out.task(label !== " ");
      return all.length + 1;
    }
    if (next !== "(") return this.#text(held, 1);
    if (held[0] === "!") this.out.text(label);
    else this.#linked(label);
    this.#depth = 1;
    this.#left = 0;
    return all.length + 1;
  }

  /** @param {string} label */
  #linked(label) {
    this.out.open("link");
    const within = new LiveInline(this.out, false);
    for (const char of label) within.put(char);
    within.end();
    for (let open = within.#open.length; open > 0; open -= 1) this.out.close();
    this.out.close();
  }

  /** Skips a link's destination up to its end. @param {string} char */
  #skip(char) {
    this.#left += 1;
    if (char === "(") this.#depth += 1;
    if (char === ")" || char === "\n" || this.#left > LONGEST_ADDRESS) this.#depth -= char === ")" ? 1 : this.#depth;
    this.#before = char;
  }

  /** @param {string} held @param {boolean} ended */
  #address(held, ended) {
    const [all, address] = ADDRESS.exec(held) ?? [];
    if (!all || !address || !this.links)
      return !ended && this.links && held.length < LONGEST_ADDRESS && MAY_BE_ADDRESS.test(held) ? 0 : this.#text(held, 1);
    this.out.open("link");
    this.out.text(address);
    this.out.close();
    return all.length;
  }

  /** @param {Mark} mark @param {string} marker */
  #begin(mark, marker) {
    this.#open.push({ mark, marker });
    this.out.open(mark);
  }

  #end() {
    this.#open.pop();
    this.out.close();
  }
}

/** Returns the run of equal characters at the start. @param {string} held */
function runOf(held) {
  let length = 1;
  while (held[length] === held[0]) length += 1;
  return held.slice(0, length);
}
