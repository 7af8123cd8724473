/*
 * Texts compared letter by letter, whatever white space they have, and lines tidied.
 *
 * Owns what white space is and which comparison is cheap. Knows elements only by their text and style; `engine_text` decides what a
 * difference means.
 */

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
  for (const { textContent } of dom.querySelectorAll(root, 'script, style')) shown = shown.replace(textContent ?? '', () => '');
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
