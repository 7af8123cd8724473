/*
 * Elements that react to the pointer without an ARIA role: by their cursor, a handler, a tab index, or as an entry of a list.
 *
 * Owns the choice of elements and the reason that their line shows. Never builds the lines of a snapshot.
 */

/* element → what React, or a listener of the page, handles on it. */
/** @type {WeakMap<Element, string[]>} */
const handledBy = new WeakMap();

/**
 * Remembers the elements on which React, or a listener, handles pointer events: by their paths, because only the page's own world sees it.
 * @param {[number[], string[]][]} found
 */
function noteHandled(found) {
  for (const [path, reasons] of found) {
    const element = elementOnPath(path);
    if (element)
      handledBy.set(
        element,
        reasons.filter((reason) => POINTER_REASONS.has(reason)),
      );
  }
}
const POINTER_REASONS = new Set(['onclick', 'double click', 'right click', 'draggable']);

/**
 * Notes elements that react to the pointer without an ARIA role.
 * @param {Element} element
 * @param {boolean} isInteractive
 * @param {Flags} flags
 * @param {Walk} walk
 */
function noteCursor(element, isInteractive, flags, walk) {
  if (isInteractive) return flags.control ? flags : { ...flags, pointer: true, control: true };
  /** @type {string[]} */
  const reasons = [];
  const pointer = getComputedStyle(element).cursor === 'pointer';
  // The cursor is inherited: only the outermost element with it is the one to click.
  if (pointer && !flags.pointer) reasons.push('cursor:pointer');
  if (dom.hasAttribute(element, 'onclick')) reasons.push('onclick');
  if (dom.hasAttribute(element, 'ondblclick')) reasons.push('double click');
  if (dom.hasAttribute(element, 'oncontextmenu')) reasons.push('right click');
  if (dom.getAttribute(element, 'draggable') === 'true') reasons.push('draggable');
  const handled = handledBy.get(element);
  if (handled) reasons.push(...handled.filter((reason) => !reasons.includes(reason)));
  if (dom.hasAttribute(element, 'tabindex') && dom.tabIndex(element) >= 0) reasons.push('tabindex');
  // An entry of a list that is clickable as a whole, or that floats over the page: a dropdown without ARIA.
  if (!reasons.length && !flags.control && (pointer || isFloatingEntry(element, walk)) && isEntry(element, walk))
    reasons.push('popover-child');
  if (reasons.length && tagOf(element) !== 'label' && isVisible(element)) {
    const text =
      clip(squeeze(dom.textContent(element) ?? ''), 80) || ariaLabel(element) || squeeze(dom.getAttribute(element, 'title') ?? '');
    walk.cursorNodes.push([0, numberOf(element), 'c', reasons.join(', '), text, '', ''].join('\t'));
  }
  return pointer === flags.pointer ? flags : { ...flags, pointer };
}

/**
 * Returns true for one of several similar siblings that has text of its own and no refs inside.
 * @param {Element} element
 * @param {Walk} walk
 */
function isEntry(element, walk) {
  const parent = dom.parentElement(element);
  if (!parent) return false;
  let alike = walk.alike.get(parent);
  if (alike === undefined) {
    const kin = Array.from(dom.children(parent));
    alike = kin.length > 1 && kin.every((other) => dom.localName(other) === dom.localName(element));
    walk.alike.set(parent, alike);
  }
  return (
    alike &&
    /\S/.test(dom.textContent(element) ?? '') &&
    !dom.querySelector(element, 'a, button, input, select, textarea, [onclick], [tabindex]')
  );
}

/** @param {Element} element @param {Walk} walk */
const isFloatingEntry = (element, walk) =>
  (tagOf(element) === 'li' || dom.hasAttribute(element, 'data-value') || dom.hasAttribute(element, 'data-option')) &&
  isInFloating(composedParent(element), walk);

/**
 * Returns true if the element or one around it floats. Only entries ask: reading the position of every element takes
 * as long as the rest of the snapshot.
 * @param {Element | null} element
 * @param {Walk} walk
 */
function isInFloating(element, walk) {
  const chain = [];
  let found = false;
  for (let at = element; at; at = composedParent(at)) {
    const known = walk.floating.get(at);
    found = known ?? isFloating(at);
    chain.push(at);
    if (found || known !== undefined) break;
  }
  for (const at of chain) walk.floating.set(at, found);
  return found;
}

/** Returns true for a box over the page, as dropdowns and popovers are. @param {Element} element */
function isFloating(element) {
  if (dom.hasAttribute(element, 'popover')) return true;
  const { position, zIndex } = getComputedStyle(element);
  return (position === 'absolute' || position === 'fixed') && Number(zIndex) > 0;
}
