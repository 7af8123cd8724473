/*
 * What a person can reach now: what lies over the page, what has the focus, what is in view.
 *
 * Owns the order in which a snapshot that is cut lists the page. Never lists anything itself.
 */

/* Points of the window that are looked at, in each direction. */
const SAMPLES = 8;
/* A part of the page may be a little larger than the window. */
const PART_OF_WINDOW = 1.5;
/* What holds more than this part of the page's elements is the page. */
const BULK = 0.5;
const OVER_PAGE = ':modal, :popover-open, [aria-modal="true"]';

/** Returns true for an element that is drawn over the page. @param {Element} element */
function liesOver(element) {
  if (dom.matches(element, OVER_PAGE)) return true;
  const { position, zIndex } = getComputedStyle(element);
  return position === 'fixed' || (position === 'absolute' && Number(zIndex) > 0);
}

/**
 * Returns the parts of the page to list first, none inside an earlier one: what lies over the page, what has the focus, what is in
 * view, each in document order.
 * @returns {Element[]}
 */
function partsInReach() {
  const total = dom.getElementsByTagName(dom.documentElement(document), '*').length;
  const isBulk = (/** @type {Element} */ element) => dom.getElementsByTagName(element, '*').length > total * BULK;
  const page = new Set([dom.documentElement(document), dom.body(document)]);
  /** @type {Element[][]} */
  const [over, focused, seen] = [[], [], []];
  /** The outermost element over the page around this one. @param {Element | null} from */
  const overlayAround = (from) => {
    let found = null;
    for (let at = from; at && !page.has(/** @type {HTMLElement} */ (at)); at = composedParent(at)) {
      if (dom.nodeType(at) === Node.ELEMENT_NODE && liesOver(at) && !isBulk(at)) found = at;
    }
    return found;
  };
  /** The largest part of the page around this element that the window can show. @param {Element | null} from */
  const partAround = (from) => {
    let part = from;
    for (let at = part && composedParent(part); at && !page.has(/** @type {HTMLElement} */ (at)); at = composedParent(at)) {
      if (dom.getBoundingClientRect(at).height > innerHeight * PART_OF_WINDOW || isBulk(at)) break;
      part = at;
    }
    return part && !page.has(/** @type {HTMLElement} */ (part)) ? part : null;
  };
  for (const element of dom.querySelectorAll(document, OVER_PAGE)) if (isVisible(element)) over.push(element);
  const held = focusedElement();
  const atStart = scrollY < innerHeight / 2;
  if (held && held !== dom.body(document)) focused.push(overlayAround(held) ?? partAround(held) ?? held);
  for (let row = 0; row < SAMPLES; row += 1) {
    for (let column = 0; column < SAMPLES; column += 1) {
      const at = elementAt({ x: ((column + 0.5) * innerWidth) / SAMPLES, y: ((row + 0.5) * innerHeight) / SAMPLES });
      const overlay = overlayAround(at);
      if (overlay) over.push(overlay);
      else if (!atStart && at) {
        const part = partAround(at);
        if (part) seen.push(part);
      }
    }
  }
  const groups = [over, focused, seen].map((group) => inDocumentOrder(new Set(group)));
  /** @type {Element[]} */
  const parts = [];
  const isHidden = (/** @type {Element} */ element) =>
    !!composedClosest(element, (at) => dom.getAttribute(at, 'aria-hidden') === 'true' || dom.inert(at) || isOwnHost(at));
  for (const element of groups.flat()) {
    if (!parts.some((part) => composedContains(part, element)) && !isHidden(element)) parts.push(element);
  }
  return parts;
}
