/*
 * Shadow roots that the page has closed, as the browser has shown them to us.
 *
 * Owns which root belongs to which element, and which elements may still hold one. Changes nothing in the page.
 */

/** @type {WeakMap<Element, ShadowRoot>} */
const closedRoots = new WeakMap();
/* Whether this document has one that we know. */
let hasClosedRoots = false;
/* Elements that were asked about. */
const askedForRoot = new WeakSet();
/* More at once would only delay the first snapshot of a page. */
const MOST_SUSPECTS = 200;
/* What may hold a root besides custom elements (DOM standard, attachShadow). */
const PLAIN_HOSTS = new Set(['article', 'aside', 'div', 'footer', 'header', 'main', 'nav', 'p', 'section', 'span']);

/** The element's shadow root, open or closed. @param {Element} element */
const shadowOf = (element) => element.shadowRoot ?? closedRoots.get(element) ?? null;

/**
 * Elements that may hold a closed root: defined custom elements, and empty ones that are drawn all the same.
 * → an array, or undefined where there are none
 * @param {Tree} [root]
 * @param {Element[]} [found]
 * @returns {Element[] | undefined}
 */
function listSuspects(root = document, found = []) {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node && found.length < MOST_SUSPECTS; node = walker.nextNode()) {
    if (isOwnHost(node)) continue;
    const inner = shadowOf(node);
    if (inner) listSuspects(inner, found);
    else if (!askedForRoot.has(node) && isSuspect(node)) {
      askedForRoot.add(node);
      found.push(node);
    }
  }
  return found.length > 0 ? found : undefined;
}

/** @param {Element} element */
function isSuspect(element) {
  const tag = element.localName;
  if (tag.includes('-')) return element.matches(':defined');
  return PLAIN_HOSTS.has(tag) && !element.firstChild && element.clientHeight > 0 && element.clientWidth > 0;
}

/** What an event is really about: outside of a closed root it names only the root's host. @param {Event} event @returns {Element} */
function innerTarget(event) {
  /** @type {any} */
  let target = event.composedPath()[0];
  while (closedRoots.has(target)) {
    const root = /** @type {ShadowRoot} */ (closedRoots.get(target));
    const inner = event instanceof MouseEvent ? root.elementFromPoint(event.clientX, event.clientY) : root.activeElement;
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
