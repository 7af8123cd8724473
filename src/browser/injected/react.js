/*
 * React's components: where their elements are. Another script, which runs in the page's own world, reads the components
 * themselves (`page_react.js`): React keeps them on the elements, and only that world sees it.
 *
 * Owns the way from an element to its path in the document and back. A path is the places among the children, from the root element on.
 */

/**
 * Returns the path of an element; null in a shadow tree.
 * @param {Target} target
 * @returns {Refusal | { path: number[] | null }}
 */
function pathOf(target) {
  const resolved = resolveOne(target);
  if (!resolved.element) return resolved;
  if (dom.getRootNode(resolved.element) !== document) return { path: null };
  const path = [];
  for (let at = resolved.element, parent = dom.parentElement(at); parent; at = parent, parent = dom.parentElement(at)) {
    path.unshift(Array.prototype.indexOf.call(dom.children(parent), at));
  }
  return { path };
}

/** Returns the element on a path; undefined if there is none. @param {number[]} path @returns {Element | undefined} */
const elementOnPath = (path) =>
  path.reduce((/** @type {Element | undefined} */ at, place) => (at ? dom.children(at)[place] : undefined), dom.documentElement(document));

/** Returns the numbers of the elements at these paths; 0 where there is none. @param {(number[] | null)[]} paths */
function numbersAt(paths) {
  const number = (/** @type {number[] | null} */ path) => {
    const element = path && elementOnPath(path);
    return element ? numberOf(element) : 0;
  };
  return { document: DOCUMENT_ID, numbers: paths.map(number) };
}
