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
  for (let at = element; at && at !== root; at = dom.parentElement(at)) {
    const tag = tagOf(at);
    if (!(at instanceof HTMLElement)) continue;
    if (tag !== 'br' && !NOT_READ.has(tag) && !isOwnHost(at) && isWalkedBlock(at)) return at;
  }
  return null;
}

/** @param {HTMLElement} root */
function elementsReadOtherwise(root) {
  const found = [...dom.querySelectorAll(root, `[${OWN_HOST}]`)].filter(isOwnHost);
  if (dom.shadowRoot(root)) found.push(root);
  const all = dom.getElementsByTagName(root, '*');
  const { length } = all;
  for (let at = 0; at < length; at += 1) {
    const element = all[at];
    if (dom.shadowRoot(element) || (READ_OTHERWISE.has(dom.localName(element)) && isReadOtherwise(element))) found.push(element);
  }
  return found;
}

/** @param {Element} element */
function isReadOtherwise(element) {
  const tag = tagOf(element);
  if (dom.checkVisibility(element, VISIBILITY)) {
    if (tag === 'br') return false;
    if (tag !== 'svg') return true;
    // A drawing without text counts only if it breaks the line.
    return dom.querySelector(element, 'text, foreignObject') !== null || !getComputedStyle(element).display.startsWith('inline');
  }
  // The engine reads the options of a list even in a closed <details>.
  if (tag === 'select') return true;
  // The walk breaks the line even at a `<br>` that is not displayed.
  return tag === 'br' ? rendering(parentOf(element)) !== GONE : rendering(element) !== GONE;
}

/** Returns the parent element of a node that has one. @param {Node} node */
const parentOf = (node) => /** @type {HTMLElement} */ (dom.parentElement(node));

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
  /* Replacements of parts of the engine's text: [from, to, text, node], in order. */
  #edits = /** @type {[number, number, string, Node][]} */ ([]);
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
    this.#text = ` ${dom.innerText(root)}`.slice(1);
    this.#walker = dom.createTreeWalker(
      document,
      root,
      walked.size > 0 ? NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT : NodeFilter.SHOW_TEXT,
    );
  }

  /* Returns the text, or null if everything must be walked. */
  read() {
    const whole = this.#walked.size === 0 ? wholeText(this.#root, this.#content, this.#text) : null;
    if (whole !== null) return whole;
    for (let node = this.#walker.nextNode(); node; node = this.#walker.nextNode()) {
      if (dom.nodeType(node) === Node.TEXT_NODE) {
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
        this.#edits.push([begin, end, letters, node]);
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
    while (dom.parentElement(hidden) !== this.#root && rendering(parentOf(hidden)) === GONE) hidden = parentOf(hidden);
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
    for (let block = blockAround(dom.parentElement(node), this.#root); block; block = blockAround(dom.parentElement(block), this.#root)) {
      if (rendering(block) === GONE) continue;
      while (this.#nodes.length > 0 && dom.contains(block, this.#nodes[this.#nodes.length - 1])) {
        this.#nodes.pop();
        this.#end = this.#starts.pop() ?? 0;
      }
      if (this.#walk(/** @type {HTMLElement} */ (block))) return true;
    }
    return false;
  }

  /** Replaces the engine's text of a block with the walk's lines. @param {HTMLElement} block */
  #walk(block) {
    const end = this.#afterLetters(dom.innerText(block));
    if (end < 0) return false;
    // Several at one place may follow each other: the engine has no text of what `content-visibility` skips.
    while (this.#edits.length > 0 && dom.contains(block, this.#edits[this.#edits.length - 1][3])) this.#edits.pop();
    this.#edits.push([this.#end, end, `\n${walkText(block, null)}\n`, block]);
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
    /** @type {Node} */
    let last = element;
    for (let at = dom.lastChild(last); at; at = dom.lastChild(at)) last = at;
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
