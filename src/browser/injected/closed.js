/*
 * Closed shadow roots, as passed to us by the browser.
 *
 * Owns the root of each element, and the list of elements that may have one. Changes nothing in the page.
 */

/** @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/* True once a closed root is known in this document. */
let hasClosedRoots = false;
/* Elements that were listed already. */
const askedForRoot = new WeakSet();
/* A longer list would only delay the first snapshot of a page. */
const MOST_SUSPECTS = 200;
/* Elements that may have a shadow root besides custom elements (DOM standard, attachShadow). */
const PLAIN_HOSTS = new Set(['article', 'aside', 'div', 'footer', 'header', 'main', 'nav', 'p', 'section', 'span']);

/** The element's shadow root, open or closed. @param {Element} element */
const shadowOf = (element) => dom.shadowRoot(element) ?? closedRoots.get(element) ?? null;

/* Lists elements that may have a closed root, each once. → an array, or undefined if there are none */
function listSuspects() {
  const found = findSuspects(document, []);
  return found.length > 0 ? found : undefined;
}

/**
 * Returns true if an element that a walk reaches shows that a closed root must be asked for, its parent's included.
 * @param {Element} element
 * @param {string} tag
 * @param {number} shown
 */
function showsSuspect(element, tag, shown) {
  if (shown === GONE) {
    const parent = dom.parentElement(element);
    return parent !== null && PLAIN_HOSTS.has(dom.localName(parent)) && isNewSuspect(parent);
  }
  return (tag.includes('-') || (PLAIN_HOSTS.has(tag) && !dom.firstChild(element))) && isNewSuspect(element);
}

/** @param {Element} element */
const isNewSuspect = (element) => !askedForRoot.has(element) && !shadowOf(element) && !isOwnHost(element) && isSuspect(element);

/**
 * Finds elements that may have a closed root: defined custom elements, empty elements that have a size nevertheless, and
 * elements whose children are not drawn because no slot takes them.
 * @param {Tree} root
 * @param {Element[]} found
 */
function findSuspects(root, found) {
  const walker = dom.createTreeWalker(document, root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node && found.length < MOST_SUSPECTS; node = walker.nextNode()) {
    if (isOwnHost(node)) continue;
    const inner = shadowOf(node);
    if (inner) findSuspects(inner, found);
    else if (!askedForRoot.has(node) && isSuspect(node)) {
      askedForRoot.add(node);
      found.push(node);
    }
  }
  return found;
}

/** Returns true if a closed root must be asked for. @param {Tree} root @returns {boolean} */
function hasSuspects(root) {
  const walker = dom.createTreeWalker(document, root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const inner = shadowOf(node);
    if (inner ? hasSuspects(inner) : isNewSuspect(node)) return true;
  }
  return false;
}

/** @param {Element} element */
function isSuspect(element) {
  const tag = dom.localName(element);
  if (tag.includes('-')) return dom.matches(element, ':defined');
  if (!PLAIN_HOSTS.has(tag)) return false;
  const first = dom.firstElementChild(element);
  // An element outside of what is drawn has no style.
  if (first) return !dom.checkVisibility(first) && getComputedStyle(first).display === '' && rendering(element) === SHOWN;
  return !dom.firstChild(element) && dom.clientHeight(element) > 0 && dom.clientWidth(element) > 0;
}

/**
 * Returns the innermost target of an event: outside of a closed root, the event names only the root's host.
 * @param {Event} event
 * @returns {Element}
 */
function innerTarget(event) {
  /** @type {any} */
  let target = event.composedPath()[0];
  while (closedRoots.has(target)) {
    const root = /** @type {ShadowRoot} */ (closedRoots.get(target));
    const inner = event instanceof MouseEvent ? dom.elementFromPoint(root, event.clientX, event.clientY) : dom.activeElement(root);
    if (!inner || inner === target) break;
    target = inner;
  }
  return target;
}

/** @param {Element} element @param {ShadowRoot} root */
function showClosedRoot(element, root) {
  closedRoots.set(element, root);
  hasClosedRoots = true;
}
