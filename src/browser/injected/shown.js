/*
 * What a page shows if it has no text: a picture, a drawing, other documents, nothing yet.
 *
 * Owns the counts. Never reads a word of the page.
 */

const LAID_OUT = { contentVisibilityAuto: true };

/** Returns the number of style sheets that scripts made, in the document and its shadow trees. */
function adoptedSheets() {
  let count = 0;
  eachRoot((root) => {
    count += dom.adoptedStyleSheets(root).length;
  });
  return count;
}

/** Returns the number of elements whose content the browser does not lay out, because of `content-visibility: auto`. */
function skippedParts() {
  /** @type {Set<Element>} */
  const parts = new Set();
  eachElement((element) => {
    const parent = dom.parentElement(element);
    if (!parent || parts.has(parent) || dom.checkVisibility(element, LAID_OUT) || !dom.checkVisibility(element)) return;
    if (dom.checkVisibility(parent, LAID_OUT)) parts.add(parent);
  });
  return parts.size;
}

/** Returns true if the document has a size and shows text in it. */
function showsAnyText() {
  const body = dom.body(document);
  return innerWidth > 1 && innerHeight > 1 && body !== null && /\S/.test(dom.innerText(body));
}

/** Returns what there is beside text, and whether the document is still loading. */
function readShown() {
  const count = (/** @type {string} */ selector) => Array.from(dom.querySelectorAll(document, selector)).filter(isVisible).length;
  const body = dom.body(document);
  const isReadable = body !== null && /\S/.test(dom.innerText(body));
  return {
    kind: dom.contentType(document),
    loading: dom.readyState(document) === 'loading',
    frames: count('iframe, frame, object, embed'),
    drawings: count('canvas, svg'),
    pictures: count('img'),
    videos: count('video'),
    readable: isReadable,
    hidden: !isReadable && /\S/.test(dom.textContent(body ?? dom.documentElement(document)) ?? ''),
  };
}
