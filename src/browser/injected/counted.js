/*
 * The part of the page beyond the snapshot's limit: counted line by line, but not read.
 *
 * Owns the placeholder nodes. They replace real nodes so that the same rules turn them into lines (rows are joined,
 * depths kept); their names and texts are marks that only show that there would be one.
 */

const MARK = 'x';

/**
 * Like `makeNode`, for a placeholder node.
 * @param {Element} element
 * @param {string} tag
 * @param {string} role
 * @param {LineNode} parent
 * @param {Flags} flags
 * @param {Walk} walk
 */
function countedNode(element, tag, role, parent, flags, walk) {
  if (holdsFrame(element, tag)) {
    // If only controls are listed, a frame has no line.
    return walk.interactive
      ? null
      : put(parent, { kind: 'f', counted: true, role: 'iframe', name: MARK, properties: '', kids: [], mute: true }, walk);
  }
  const isInteractive = INTERACTIVE.has(role);
  if (!isInteractive && (parent.leaf || (walk.interactive && !groupsParts(element, role)))) return null;
  const isNamed = hasLabel(element);
  if (!role || role === 'none') {
    const reachable = dom.hasAttribute(element, 'tabindex') && dom.tabIndex(element) >= 0;
    return isNamed || reachable ? put(parent, counted(element, 'generic', isNamed, false, flags, walk), walk) : null;
  }
  if (hasNoLine(element, role)) return null;
  const fromContent = !isNamed && NAMED_BY_CONTENT.has(role) && !isValueControl(element) && saysSomething(element);
  return put(parent, counted(element, role, isNamed, fromContent, flags, walk), walk);
}

/**
 * @param {Element} element
 * @param {string} role
 * @param {boolean} isNamed
 * @param {boolean} fromContent
 * @param {Flags} flags
 * @param {Walk} walk
 */
function counted(element, role, isNamed, fromContent, flags, walk) {
  const leaf = LEAF_ROLES.has(role);
  // Other content of a node matters only if bare structure is left out.
  const named = isNamed || (fromContent && role !== 'row') || (walk.compact && STRUCTURAL.has(role) && isNamedByMarkup(element, role));
  const disabled = flags.disabled || isNativelyDisabled(element);
  return {
    kind: 'e',
    counted: true,
    role,
    name: named ? MARK : '',
    properties: walk.compact && (STRUCTURAL.has(role) || CELLS.has(role)) ? propertiesOf(element, role, disabled) : '',
    disabled,
    value: null,
    kids: [],
    fresh: true,
    mute: (fromContent && role !== 'row') || walk.interactive || leaf,
    leaf,
    fromContent,
  };
}

/** Returns true for a cell whose name is its content, which has lines of its own. @param {LineNode} cell */
const isOnlyItsKids = (cell) => cell.fromContent && !cell.hasText && !cell.properties && cell.kids.length > 0;

/** @param {Element} element */
const hasLabel = (element) => dom.hasAttributes(element) && (!!ariaLabel(element) || labellersOf(element).length > 0);

/** @param {Element} element @param {string} role */
const isNamedByMarkup = (element, role) =>
  !UNNAMED.has(role) &&
  (!!dom.getAttribute(element, 'title')?.trim() ||
    (NAMED_BY_CHILD.has(tagOf(element)) &&
      Array.from(dom.children(element)).some(
        (child) => tagOf(child) !== 'label' && namesAnother(child, tagOf(child)) && dom.textContent(child)?.trim(),
      )));

/**
 * Returns true if the element contains text, or something that counts as text. Stops at the first.
 * @param {Element} element
 */
function saysSomething(element) {
  const first = dom.firstChild(element);
  if (first && dom.nodeType(first) === Node.TEXT_NODE && /\S/.test(dom.textContent(first) ?? '')) return true;
  const walker = dom.createTreeWalker(document, element, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (/\S/.test(dom.textContent(walker.currentNode) ?? '')) return true;
  return dom.querySelector(element, '[alt]:not([alt=""]), [aria-label], [title], input, select, slot') !== null;
}
