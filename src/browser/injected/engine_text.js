/*
 * The text of a page from a single call of the engine's own `innerText`, checked against the page's text nodes.
 *
 * Owns the check: every text node must be in the engine's text, letter by letter and gap by gap, or not be displayed. A
 * block that fails the check, or that contains elements which the engine reads in another way than the walk, is walked
 * instead. The walk (`walkText`) is the reference: it decides wherever the two could differ.
 */

/* Elements whose text the engine reads in another way than the walk, if they are rendered. */
// biome-ignore format: a list of words
const READ_OTHERWISE = new Set([
  'select', 'textarea', 'object', 'video', 'audio', 'canvas', 'iframe', 'frame', 'slot', 'math', 'svg', 'br', 'style', 'script', 'noscript',
  'title', 'datalist', 'ruby',
]);
/* Below this many characters a walk is cheaper than the check. */
const SHORT_TEXT = 2000;

/**
 * Returns true for space, tab, line feed, form feed and carriage return: the white space that HTML collapses.
 * @param {number} letter
 */
const isSpace = (letter) => letter === 32 || (letter >= 9 && letter <= 13 && letter !== 11);

/** Returns the position of the first letter at or after `at`, or the length. @param {string} text @param {number} at */
function skipSpace(text, at) {
  let next = at;
  while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
  return next;
}

/**
 * Returns the text of a block as `walkText` would, or null if only the walk can determine it.
 * @param {Element} root
 * @param {string} content  its `textContent`
 */
function engineText(root, content) {
  if (!(root instanceof HTMLElement) || hasClosedRoots || NOT_READ.has(tagOf(root)) || isOwnHost(root) || !isWalkedBlock(root)) return null;
  if (rendering(root) !== SHOWN) return null;
  const walked = new Set();
  for (const element of elementsReadOtherwise(root)) {
    const block = blockAround(element, root);
    if (!block) return null;
    walked.add(block);
  }
  return new EngineText(root, content, walked).read();
}

/** Returns true if the walk starts a new line at the start and end of an element. @param {Element} element */
function isWalkedBlock(element) {
  const { display } = getComputedStyle(element);
  return (
    display !== 'inline' &&
    display !== 'contents' &&
    display !== 'table-cell' &&
    !display.startsWith('inline') &&
    !display.startsWith('ruby')
  );
}

/**
 * Returns the nearest block below `root` that contains an element, or is that element; null if there is none.
 * @param {Element | null} element
 * @param {HTMLElement} root
 */
function blockAround(element, root) {
  for (let at = element; at && at !== root; at = at.parentElement) {
    const tag = tagOf(at);
    if (tag !== 'br' && !NOT_READ.has(tag) && !isOwnHost(at) && isWalkedBlock(at)) return at;
  }
  return null;
}

/** @param {HTMLElement} root */
function elementsReadOtherwise(root) {
  const found = [...root.querySelectorAll(`[${OWN_HOST}]`)].filter(isOwnHost);
  if (root.shadowRoot) found.push(root);
  const all = root.getElementsByTagName('*');
  const { length } = all;
  for (let at = 0; at < length; at += 1) {
    const element = all[at];
    if (element.shadowRoot || (READ_OTHERWISE.has(element.localName) && isReadOtherwise(element))) found.push(element);
  }
  return found;
}

/** @param {Element} element */
function isReadOtherwise(element) {
  const tag = tagOf(element);
  if (element.checkVisibility(VISIBILITY)) {
    if (tag === 'br') return false;
    if (tag !== 'svg') return true;
    // A drawing without text counts only if it breaks the line.
    return element.querySelector('text, foreignObject') !== null || !getComputedStyle(element).display.startsWith('inline');
  }
  // The engine reads the options of a list even in a closed <details>.
  if (tag === 'select') return true;
  // The walk breaks the line even at a `<br>` that is not displayed.
  return tag === 'br' ? rendering(parentOf(element)) !== GONE : rendering(element) !== GONE;
}

/** Returns the parent element of a node that has one. @param {Node} node */
const parentOf = (node) => /** @type {HTMLElement} */ (node.parentElement);

/* Reads one block. */
class EngineText {
  #root;
  #content;
  /* Blocks that are walked instead. */
  #walked;
  #text;
  /* The end of the last letter that was found. */
  #end = 0;
  /* True if the page has white space after that letter. */
  #gap = false;
  /* True if a line may start here in any case. */
  #free = true;
  /* Replacements of parts of the engine's text: [from, to, text], in order. */
  #edits = /** @type {[number, number, string][]} */ ([]);
  /* The nodes found and the end of the letter before each, for going back to the start of a block. */
  #nodes = /** @type {Node[]} */ ([]);
  #starts = /** @type {number[]} */ ([]);
  #walker;

  /** @param {HTMLElement} root @param {string} content @param {Set<Element>} walked */
  constructor(root, content, walked) {
    this.#root = root;
    this.#content = content;
    this.#walked = walked;
    // Copies the engine's string to the heap: reading letters outside of the heap is slow.
    this.#text = ` ${root.innerText}`.slice(1);
    this.#walker = document.createTreeWalker(root, walked.size > 0 ? NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT : NodeFilter.SHOW_TEXT);
  }

  /* Returns the text, or null if everything must be walked. */
  read() {
    const whole = this.#walked.size === 0 ? wholeText(this.#root, this.#content, this.#text) : null;
    if (whole !== null) return whole;
    for (let node = this.#walker.nextNode(); node; node = this.#walker.nextNode()) {
      if (node.nodeType === Node.TEXT_NODE) {
        if (!this.#find(node) && !this.#skip(node) && !this.#walkAround(node)) return null;
      } else if (this.#walked.has(node)) {
        if (rendering(node) === GONE) this.#leave(node);
        else if (!this.#walk(/** @type {any} */ (node))) return null;
      }
    }
    if (skipSpace(this.#text, this.#end) < this.#text.length) return null;
    return tidiedLines(this.#edited());
  }

  /** Returns true if a text node comes next in the engine's text. @param {Text} node */
  #find(node) {
    const { data } = node;
    const first = skipSpace(data, 0);
    if (first === data.length) {
      this.#gap ||= first > 0;
      return true;
    }
    const text = this.#text;
    const begin = skipSpace(text, this.#end);
    if (!this.#free && !this.#isSameGap(begin, this.#gap || first > 0)) return false;
    let last = data.length;
    while (isSpace(data.charCodeAt(last - 1))) last -= 1;
    const letters = first === 0 && last === data.length ? data : data.slice(first, last);
    let end = begin + letters.length;
    if (letters.includes('\n') || !text.startsWith(letters, begin)) {
      end = sameWords(letters, text, begin, parentOf(node));
      if (end < 0) {
        end = begin + letters.length;
        if (!this.#isOtherCase(letters, text.slice(begin, end), parentOf(node))) return false;
        this.#edits.push([begin, end, letters]);
      }
    }
    this.#nodes.push(node);
    this.#starts.push(this.#end);
    this.#end = end;
    this.#gap = last < data.length;
    this.#free = false;
    return true;
  }

  /**
   * Returns true if the engine and the walk put the same gap between the last letter and the next: a line break, a
   * space or nothing.
   * @param {number} begin
   * @param {boolean} gap
   */
  #isSameGap(begin, gap) {
    if (begin === this.#end) return !gap;
    if (gap) return true;
    // Only a new line or the next table cell appears without any white space in the page.
    for (let at = this.#end; at < begin; at += 1) {
      const letter = this.#text.charCodeAt(at);
      if (letter === 10 || letter === 9) return true;
    }
    return false;
  }

  /**
   * Returns true if a style only changes the case of a text: the walk keeps the case of the page.
   * @param {string} letters
   * @param {string} shown
   * @param {Element} parent
   */
  #isOtherCase(letters, shown, parent) {
    return !letters.includes('\n') && letters.toLowerCase() === shown.toLowerCase() && getComputedStyle(parent).textTransform !== 'none';
  }

  /** Skips a text that is not displayed, with the whole hidden subtree around it. @param {Text} node */
  #skip(node) {
    let hidden = parentOf(node);
    if (hidden === this.#root || rendering(hidden) !== GONE) return false;
    while (hidden.parentElement !== this.#root && rendering(parentOf(hidden)) === GONE) hidden = parentOf(hidden);
    // Hidden content of an element that itself is displayed, as in a closed <details>, still breaks the line.
    if (getComputedStyle(hidden).display !== 'none') return false;
    this.#leave(hidden);
    return true;
  }

  /**
   * Goes back to the start of the block around a node and walks it; on failure, the block around that one.
   * @param {Text} node
   */
  #walkAround(node) {
    for (let block = blockAround(node.parentElement, this.#root); block; block = blockAround(block.parentElement, this.#root)) {
      if (rendering(block) === GONE) continue;
      while (this.#nodes.length > 0 && block.contains(this.#nodes[this.#nodes.length - 1])) {
        this.#nodes.pop();
        this.#end = this.#starts.pop() ?? 0;
      }
      if (this.#walk(/** @type {HTMLElement} */ (block))) return true;
    }
    return false;
  }

  /** Replaces the engine's text of a block with the walk's lines. @param {HTMLElement} block */
  #walk(block) {
    const end = this.#afterLetters(block.innerText);
    if (end < 0) return false;
    while (this.#edits.length > 0 && this.#edits[this.#edits.length - 1][0] >= this.#end) this.#edits.pop();
    this.#edits.push([this.#end, end, `\n${walkText(block, null)}\n`]);
    this.#nodes.push(block);
    this.#starts.push(this.#end);
    this.#end = end;
    this.#free = true;
    this.#leave(block);
    return true;
  }

  /** Returns the end of these letters if they come next in the engine's text; else -1. @param {string} letters */
  #afterLetters(letters) {
    let at = this.#end;
    for (let index = 0; index < letters.length; index += 1) {
      const letter = letters.charCodeAt(index);
      if (isSpace(letter)) continue;
      at = skipSpace(this.#text, at);
      if (this.#text.charCodeAt(at) !== letter) return -1;
      at += 1;
    }
    return at;
  }

  /** Continues after an element and its subtree. @param {Node} element */
  #leave(element) {
    let last = element;
    while (last.lastChild) last = last.lastChild;
    this.#walker.currentNode = last;
  }

  #edited() {
    if (this.#edits.length === 0) return this.#text;
    const parts = [];
    let copied = 0;
    for (const [from, to, text] of this.#edits) {
      parts.push(this.#text.slice(copied, from), text);
      copied = to;
    }
    parts.push(this.#text.slice(copied));
    return parts.join('');
  }
}

/**
 * Returns the engine's text with its lines tidied if it is all of an element's text; else null.
 * @param {HTMLElement} root
 * @param {string} content  its `textContent`
 * @param {string} text
 */
function wholeText(root, content, text) {
  const dense = text.replace(/\n{2,}/g, '\n');
  // Of most pages nothing more is left to do: splitting a long text into lines takes longer than all the rest.
  const untidy = isUntidy(dense);
  const lines = untidy ? linesOf(dense).join('\n') : dense;
  if (!lines || !isAllOf(root, content, lines)) return null;
  return untidy ? tidiedLines(lines) : lines;
}

/** Returns the lines of a text that have letters, without white space around them. @param {string} text */
function linesOf(text) {
  const lines = [];
  for (const line of text.split('\n')) {
    const isTrim = !isSpace(line.charCodeAt(0)) && !isSpace(line.charCodeAt(line.length - 1));
    const trimmed = isTrim ? line : line.replace(/^[ \t\f\r]+|[ \t\f\r]+$/g, '');
    if (trimmed) lines.push(trimmed);
  }
  return lines;
}

/**
 * Returns true if these lines are all of an element's text, with white space in the same places: what `EngineText` checks node
 * by node, in a few comparisons of long strings. False says nothing: a part may only be hidden.
 * @param {HTMLElement} root
 * @param {string} content  its `textContent`
 * @param {string} lines
 */
function isAllOf(root, content, lines) {
  let shown = content;
  for (const { textContent } of root.querySelectorAll('script, style')) shown = shown.replace(textContent ?? '', () => '');
  let at = 0;
  for (let begin = 0; at >= 0 && begin < lines.length; ) {
    const end = lines.indexOf('\n', begin);
    const line = lines.slice(begin, end < 0 ? lines.length : end);
    begin += line.length + 1;
    // Only a new line or the next table cell may appear without any white space in the page.
    if (line.includes('\t')) {
      for (const cell of line.split(/[ \t\f\r]*\t[ \t\f\r]*/)) at = endOfLetters(cell, shown, at);
    } else at = endOfLetters(line, shown, at);
  }
  return at >= 0 && skipSpace(shown, at) === shown.length;
}

/**
 * Returns the end of these letters if they come next in a text, after white space or at once; -1 if others do, or if `at` is -1.
 * @param {string} letters
 * @param {string} text
 * @param {number} at
 */
function endOfLetters(letters, text, at) {
  if (at < 0) return -1;
  const begin = skipSpace(text, at);
  // The white space between words is nearly always the page's own single spaces.
  return text.startsWith(letters, begin) ? begin + letters.length : endOfWords(letters, text, begin);
}

/**
 * Returns the end of a line's words in the page's text, where white space may be longer and of another kind; -1 if they
 * differ.
 * @param {string} line
 * @param {string} content
 * @param {number} begin
 */
function endOfWords(line, content, begin) {
  let at = begin;
  for (let index = 0; index < line.length; index += 1) {
    const letter = line.charCodeAt(index);
    if (!isSpace(letter)) {
      if (content.charCodeAt(at) !== letter) return -1;
      at += 1;
      continue;
    }
    index = skipSpace(line, index) - 1;
    const next = skipSpace(content, at);
    if (next === at) return -1;
    at = next;
  }
  return at;
}

/**
 * Returns the end of a text node's words in the engine's text, with white space in the same places; -1 if they differ.
 * @param {string} words
 * @param {string} text
 * @param {number} begin
 * @param {Element} parent
 */
function sameWords(words, text, begin, parent) {
  let at = begin;
  for (let index = 0; index < words.length; index += 1) {
    const letter = words.charCodeAt(index);
    if (!isSpace(letter)) {
      if (text.charCodeAt(at) !== letter) return -1;
      at += 1;
      continue;
    }
    index = skipSpace(words, index) - 1;
    const next = skipSpace(text, at);
    // White space was removed, as between two Chinese characters, or only one of the two keeps a line break.
    if (next === at || (text.slice(at, next).includes('\n') && !keepsLineBreaks(getComputedStyle(parent)))) return -1;
    at = next;
  }
  return at;
}

/* White space other than spaces and new lines, and characters that are left out. One class: each letter is looked at once. */
const ODD = /[\u0000-\u0009\u000b-\u001f\u00a0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u2060\u3000\ufeff]/;
/* More than a single space or new line. */
const GAP = /[ \n]{2}/;
const UNTIDY = /[^\S ]|[\u0000-\u001f\u200b\u2060\ufeff]| {2}|^ | $/;

/** Returns true if squeezing a text's lines would change it. @param {string} text */
function isUntidy(text) {
  return ODD.test(text) || GAP.test(text) || isSpace(text.charCodeAt(0)) || isSpace(text.charCodeAt(text.length - 1));
}

/** Squeezes each line and drops empty ones. @param {string} text */
function tidiedLines(text) {
  if (!isUntidy(text)) return text;
  const lines = [];
  for (const line of text.split('\n')) {
    const tidy = UNTIDY.test(line) ? squeeze(line) : line;
    if (tidy) lines.push(tidy);
  }
  return lines.join('\n');
}
