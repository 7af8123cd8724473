/*
 * The composed tree: what is rendered where, across open shadow roots and slots.
 *
 * Owns reading the page's structure and visibility. Never changes the page, never knows of roles.
 * Every file of this folder is one part of a single function body (see `script.rs`): its names are
 * private to our isolated world.
 */

/* Our own elements in the page: neither walked, read, hit nor waited for. */
const OWN_HOST = 'data-gstack';

/* How an element takes part in the page. */
const SHOWN = 2; // it and its content are there
const UNSEEN = 1; // `visibility: hidden`: its descendants may be visible all the same
const GONE = 0; // not rendered, and nothing in it is

/* Elements that never show content of their own. */
// biome-ignore format: a list of words
const NEVER_SHOWN = new Set([
  'script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'source', 'track', 'param', 'col', 'colgroup',
  'datalist',
]);

/* Elements that are part of a line of text unless a style says otherwise. */
// biome-ignore format: a list of words
const INLINE = new Set([
  'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd', 'label', 'mark',
  'q', 'ruby', 'rb', 'rt', 's', 'samp', 'slot', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr',
]);

/* Without a prototype the browser finds at once which of its options are not there: this is asked for every element. */
const VISIBILITY = Object.assign(Object.create(null), { visibilityProperty: true });

/** @param {string} text */
const squeeze = (text) =>
  text
    .replace(/[\s\u0000-\u001f]+/g, ' ')
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .trim();

/** @param {Element} element */
const tagOf = (element) => element.localName;

/** A page may write the attribute too: what it writes into such an element is read all the same. @param {Element} element */
const isOwnHost = (element) => element.localName === 'div' && !element.firstChild && element.hasAttribute(OWN_HOST);

/** SHOWN, UNSEEN or GONE. Asks for a computed style only where the quick answer is no. @param {Element} element @returns {0 | 1 | 2} */
function rendering(element) {
  if (element.checkVisibility(VISIBILITY)) return SHOWN;
  const tag = tagOf(element);
  if (tag === 'area') {
    const map = element.closest('map');
    const image = map?.name ? element.getRootNode().querySelector(`img[usemap="#${CSS.escape(map.name)}"]`) : null;
    return image ? rendering(image) : GONE;
  }
  const style = getComputedStyle(element);
  if (style.display === 'none') return GONE;
  // Neither an option of a closed <select> nor `display: contents` has a box of its own.
  if (style.display === 'contents' || tag === 'option' || tag === 'optgroup' || tag === 'slot') {
    return style.visibility === 'visible' ? SHOWN : UNSEEN;
  }
  return element.checkVisibility() ? UNSEEN : GONE;
}

/*
 * Listeners of the window that every action relies on. `document.open` (a page that rewrites itself, `load-html`) takes
 * all listeners away and keeps the document, so they are put back: at once when the document's content was replaced, and
 * before each action. Adding one that is there already does nothing.
 */
/** @type {[string, (event: any) => void, AddEventListenerOptions][]} */
const lastingListeners = [];

/** @param {string} type @param {(event: any) => void} listener @param {AddEventListenerOptions} options */
function listenLastingly(type, listener, options) {
  lastingListeners.push([type, listener, options]);
  addEventListener(type, listener, options);
}

function listenAgain() {
  for (const [type, listener, options] of lastingListeners) addEventListener(type, listener, options);
}

new MutationObserver(listenAgain).observe(document, { childList: true });

/** The parent in the composed tree: a slotted node's is its slot, a shadow root's is its host. @param {{ readonly assignedSlot?: Element | null; readonly parentNode: ParentNode | null }} node @returns {Element | null} */
function composedParent(node) {
  if (node.assignedSlot) return node.assignedSlot;
  const parent = node.parentNode;
  if (!parent) return null;
  if (parent.nodeType === Node.DOCUMENT_FRAGMENT_NODE) return parent.host ?? null;
  return parent.nodeType === Node.ELEMENT_NODE ? /** @type {Element} */ (parent) : null;
}

/** @param {Node} ancestor @param {Node | null} node */
function composedContains(ancestor, node) {
  for (let at = node; at; at = composedParent(at)) if (at === ancestor) return true;
  return false;
}

/**
 * The first element up the composed tree, from `element` itself on, for which `test` holds.
 * @param {Element | null} element
 * @param {(element: Element) => boolean} test
 */
function composedClosest(element, test) {
  for (let at = element; at; at = composedParent(at)) if (at.nodeType === Node.ELEMENT_NODE && test(at)) return at;
  return null;
}

/** Child nodes as they are rendered. Returns something iterable. @param {Element} element */
const composedChildren = (element) => /** @type {Iterable<AnyNode>} */ (otherChildren(element) ?? element.childNodes);

/** The same where they are others than the element's own; null where they are these. @param {Element} element */
function otherChildren(element) {
  const shadow = shadowOf(element);
  if (shadow) return shadow.childNodes;
  if (tagOf(element) !== 'slot') return null;
  const assigned = element.assignedNodes();
  return assigned.length ? assigned : null;
}

/** Calls `visit` with the document and each open shadow root in it, outermost first. @param {(root: Tree) => unknown} visit @param {Tree} [from] */
function eachRoot(visit, from = document) {
  visit(from);
  const walker = document.createTreeWalker(from, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.shadowRoot && !isOwnHost(node)) eachRoot(visit, node.shadowRoot);
  }
}

/** Rendered, not `visibility: hidden`, and of some size: what a person could see. @param {Element} element @returns {boolean} */
function isVisible(element) {
  const tag = tagOf(element);
  if (tag === 'option' || tag === 'optgroup') {
    const select = element.closest('select');
    return !!select && isVisible(select);
  }
  if (rendering(element) !== SHOWN) return false;
  if (!element.checkVisibility(VISIBILITY)) {
    // `display: contents`: visible when something in it is.
    for (const child of composedChildren(element)) {
      if (child.nodeType === Node.ELEMENT_NODE ? isVisible(child) : textIsVisible(child)) return true;
    }
    return false;
  }
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0;
}

/** @param {AnyNode} node */
function textIsVisible(node) {
  if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) return false;
  const range = document.createRange();
  range.selectNode(node);
  const box = range.getBoundingClientRect();
  return box.width > 0 && box.height > 0;
}

/** An element as an error names it: `<div class="cover">`. @param {Element} element */
function describe(element) {
  let text = `<${tagOf(element)}`;
  for (const name of ['id', 'class', 'type', 'name', 'role', 'aria-label']) {
    const value = element.getAttribute(name);
    if (value?.trim()) text += ` ${name}="${clip(squeeze(value).replaceAll('"', "'"), 60)}"`;
  }
  return `${text}>`;
}

/** The same with the beginning of its text, for lists of candidates. @param {Element} element */
function describeWithText(element) {
  const text = clip(squeeze(element.textContent ?? ''), 40);
  return text && !NEVER_SHOWN.has(tagOf(element)) ? `${describe(element)} “${text}”` : describe(element);
}

/** @param {string} text @param {number} length */
function clip(text, length) {
  if (text.length <= length) return text;
  let end = length - 1;
  // Never between the halves of a surrogate pair.
  const unit = text.charCodeAt(end - 1);
  if (unit >= 0xd800 && unit <= 0xdbff) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** What an exception says. @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
