/*
 * The text of a subtree in one call of the engine's own `innerText`, where that is known to be the same.
 *
 * Owns the proof: without its white space the text equals `textContent`, so nothing in the subtree is hidden, left out,
 * transformed or put elsewhere. Everything else is for `readText` to walk.
 */

/* Elements whose text the engine reads in another way than `readText`, although both hold the same letters. */
const READ_OTHERWISE = 'svg text, select, textarea, object, video, audio, canvas, iframe, slot, math';
/* Below this many characters a walk costs less than the proof. */
const SHORT_TEXT = 2000;
/* A failed proof costs as much as a walk over its text. This many characters in failed proofs are enough for one page. */
const MOST_FAILED = 4;

/* One pass over a page. */
class PlainText {
  #left;

  constructor(root) {
    this.#left = (root.textContent?.length ?? 0) * MOST_FAILED;
  }

  /* → the lines of a block's text, trimmed, empty ones dropped; null if they must be walked for */
  linesOf(element) {
    const content = element.textContent;
    if (content.length < SHORT_TEXT || content.length > this.#left) return null;
    this.#left -= content.length;
    if (!(element instanceof HTMLElement) || element.querySelector(READ_OTHERWISE) || holdsRoot(element)) return null;
    const shown = element.innerText;
    if (!sameLetters(shown, content)) return null;
    this.#left += content.length;
    return shown.split('\n').map(squeeze).filter(Boolean);
  }
}

/* Whether an element or one inside it has a shadow root that we know. */
function holdsRoot(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT);
  for (let node = element; node; node = walker.nextNode()) if (node.shadowRoot) return true;
  return hasClosedRoots && element.querySelector('*') !== null;
}

/* Whether two texts are the same but for their white space. */
function sameLetters(one, other) {
  let at = 0;
  for (let index = 0; index < one.length; index += 1) {
    const letter = one.charCodeAt(index);
    if (isSpace(letter)) continue;
    while (isSpace(other.charCodeAt(at))) at += 1;
    if (other.charCodeAt(at) !== letter) return false;
    at += 1;
  }
  while (at < other.length) {
    if (!isSpace(other.charCodeAt(at))) return false;
    at += 1;
  }
  return true;
}

/* Space, tab, line feed, form feed and carriage return: what HTML collapses. */
const isSpace = (letter) => letter === 32 || (letter >= 9 && letter <= 13 && letter !== 11);
