/*
 * The composed tree: the rendered structure, across open shadow roots and slots.
 *
 * Owns reading the page's structure and visibility. Never changes the page, never knows about roles. Every file of this
 * folder is one part of a single function body (see `injection.rs`): its names are private to our isolated world.
 */

/* Our own elements in the page: never walked, read, hit or waited for. */
const OWN_HOST = 'data-gstack';

/* The rendering of an element. */
const SHOWN = 2; // rendered, with its content
const UNSEEN = 1; // `visibility: hidden`: its descendants may still be visible
const GONE = 0; // not rendered, nor anything in it

/* Elements that never show their content. */
// biome-ignore format: a list of words
const NEVER_SHOWN = new Set([
  'script', 'style', 'noscript', 'template', 'head', 'meta', 'link', 'title', 'base', 'source', 'track', 'param', 'col', 'colgroup',
  'datalist', 'defs', 'symbol', 'clipPath', 'mask', 'pattern', 'marker', 'desc', 'metadata', 'selectedcontent',
]);

/* Inline elements, unless a style overrides it. */
// biome-ignore format: a list of words
const INLINE = new Set([
  'a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'ins', 'kbd', 'label', 'mark',
  'q', 'ruby', 'rb', 'rt', 's', 'samp', 'slot', 'small', 'span', 'strike', 'strong', 'sub', 'sup', 'time', 'tt', 'u', 'var', 'wbr',
]);

/* Without a prototype the browser looks up missing options faster: this object is used for every element. */
const VISIBILITY = Object.assign(Object.create(null), { visibilityProperty: true });

/** @param {string} text */
const squeeze = (text) =>
  text
    .replace(/[\s\u0000-\u001f]+/g, ' ')
    .replace(/[\u200b\u2060\ufeff]/g, '')
    .trim();

/** @param {Element} element */
const tagOf = (element) => dom.localName(element);

/**
 * Returns true for our host. A page may set the attribute too: an element with content is read regardless.
 * @param {Element} element
 */
const isOwnHost = (element) => dom.localName(element) === 'div' && !dom.firstChild(element) && dom.hasAttribute(element, OWN_HOST);

/**
 * Returns SHOWN, UNSEEN or GONE. Reads the computed style only if the fast check fails.
 * @param {Element} element
 * @returns {0 | 1 | 2}
 */
function rendering(element) {
  if (dom.checkVisibility(element, VISIBILITY)) return SHOWN;
  const tag = tagOf(element);
  if (tag === 'area') {
    const picture = pictureOf(element);
    return picture ? rendering(picture) : GONE;
  }
  const style = getComputedStyle(element);
  if (style.display === 'none') return GONE;
  // An option of a closed <select>, what is in it, and `display: contents` have no box of their own.
  if (style.display === 'contents' || tag === 'option' || tag === 'optgroup' || tag === 'slot' || dom.closest(element, 'option')) {
    return style.visibility === 'visible' ? SHOWN : UNSEEN;
  }
  return dom.checkVisibility(element) ? UNSEEN : GONE;
}

/*
 * Window listeners that every action relies on. `document.open` (a page that rewrites itself, `load-html`) removes all
 * listeners and keeps the document, so they are added again: at once when the document's content was replaced, and
 * before each action. Adding a present listener has no effect.
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

/**
 * Returns the parent in the composed tree: the slot of a slotted node, the host of a shadow root.
 * @param {object} node
 * @returns {Element | null}
 */
function composedParent(node) {
  const slot = dom.assignedSlot(node);
  if (slot) return slot;
  const parent = dom.parentNode(node);
  if (!parent) return null;
  if (dom.nodeType(parent) === Node.DOCUMENT_FRAGMENT_NODE) return parent.host ?? null;
  return dom.nodeType(parent) === Node.ELEMENT_NODE ? /** @type {Element} */ (parent) : null;
}

/** @param {Node} ancestor @param {Node | null} node */
function composedContains(ancestor, node) {
  for (let at = node; at; at = composedParent(at)) if (at === ancestor) return true;
  return false;
}

/**
 * Returns the first element up the composed tree, starting with `element` itself, for which `test` is true.
 * @param {Element | null} element
 * @param {(element: Element) => boolean} test
 */
function composedClosest(element, test) {
  for (let at = element; at; at = composedParent(at)) if (dom.nodeType(at) === Node.ELEMENT_NODE && test(at)) return at;
  return null;
}

/** Returns the rendered child nodes, as an iterable. @param {Element} element */
const composedChildren = (element) => /** @type {Iterable<AnyNode>} */ (otherChildren(element) ?? dom.childNodes(element));

/**
 * Returns the rendered child nodes if they differ from the element's own, else null.
 * @param {Element} element
 * @param {ShadowRoot | null} [shadow]
 */
function otherChildren(element, shadow = shadowOf(element)) {
  if (shadow) return dom.childNodes(shadow);
  if (tagOf(element) !== 'slot') return null;
  const assigned = element.assignedNodes();
  return assigned.length ? assigned : null;
}

/**
 * Calls `visit` with the document and each open shadow root in it, outermost first.
 * @param {(root: Tree) => unknown} visit
 * @param {Tree} [from]
 */
function eachRoot(visit, from = document) {
  visit(from);
  const walker = dom.createTreeWalker(document, from, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const shadow = dom.shadowRoot(node);
    if (shadow && !isOwnHost(node)) eachRoot(visit, shadow);
  }
}

/**
 * Returns true if the element is rendered, not `visibility: hidden`, and has a size.
 * @param {Element} element
 * @returns {boolean}
 */
function isVisible(element) {
  const tag = tagOf(element);
  if (tag === 'option' || tag === 'optgroup') {
    const select = dom.closest(element, 'select');
    return !!select && isVisible(select);
  }
  if (tag === 'area') {
    const picture = pictureOf(element);
    return !!picture && isVisible(picture);
  }
  if (rendering(element) !== SHOWN) return false;
  if (!dom.checkVisibility(element, VISIBILITY)) {
    // `display: contents` is visible if something in it is.
    for (const child of composedChildren(element)) {
      if (dom.nodeType(child) === Node.ELEMENT_NODE ? isVisible(child) : textIsVisible(child)) return true;
    }
    return false;
  }
  const box = dom.getBoundingClientRect(element);
  return box.width > 0 && box.height > 0;
}

/** @param {AnyNode} node */
function textIsVisible(node) {
  if (dom.nodeType(node) !== Node.TEXT_NODE || !node.data.trim()) return false;
  const range = dom.createRange(document);
  range.selectNode(node);
  const box = range.getBoundingClientRect();
  return box.width > 0 && box.height > 0;
}

/** Describes an element for error messages: `<div class="cover">`. @param {Element} element */
function describe(element) {
  let text = `<${tagOf(element)}`;
  for (const name of ['id', 'class', 'type', 'name', 'role', 'aria-label']) {
    const value = dom.getAttribute(element, name);
    if (value?.trim()) text += ` ${name}="${clip(squeeze(value).replaceAll('"', "'"), 60)}"`;
  }
  return `${text}>`;
}

/** Like `describe`, with the start of its text, for lists of candidates. @param {Element} element */
function describeWithText(element) {
  const text = clip(squeeze(dom.textContent(element) ?? ''), 40);
  return text && !NEVER_SHOWN.has(tagOf(element)) ? `${describe(element)} “${text}”` : describe(element);
}

/** @param {string} text @param {number} length */
function clip(text, length) {
  if (text.length <= length) return text;
  let end = length - 1;
  // Never cuts a surrogate pair in half.
  const unit = text.charCodeAt(end - 1);
  if (unit >= 0xd800 && unit <= 0xdbff) end -= 1;
  return `${text.slice(0, end)}…`;
}

/** Returns the message of an exception. @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));
