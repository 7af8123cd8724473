/*
 * The in-page parts of check, focus, blur, select-text, drop and a click at a position.
 *
 * Owns the checks of one element around trusted input. Sends no input itself.
 */

/**
 * Returns a point of an element, at an offset in pixels from its top left corner, and scrolls it into view.
 * @param {Place} place
 * @param {number} x
 * @param {number} y
 * @returns {Refusal | { x: number; y: number }}
 */
function pointWithin(place, x, y) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  const size = dom.getBoundingClientRect(element);
  if (x >= size.width || y >= size.height) {
    return {
      fault: 'value',
      message: `it is ${Math.round(size.width)} × ${Math.round(size.height)} pixels large, and ${x},${y} lies outside`,
    };
  }
  const point = () => {
    const box = dom.getBoundingClientRect(element);
    return { x: box.left + x, y: box.top + y };
  };
  const at = point();
  if (at.x < 0 || at.y < 0 || at.x >= innerWidth || at.y >= innerHeight) {
    scrollBy({ left: at.x - innerWidth / 2, top: at.y - innerHeight / 2, behavior: 'instant' });
  }
  const blocker = hitBlocker(element, point());
  if (blocker !== null) return { fault: 'blocked', message: blocker };
  const inner = controlWithin(element, elementAt(point()));
  if (inner) return { fault: 'blocked', message: `at ${x},${y} is ${describeWithText(inner)}: name that element` };
  return point();
}

/**
 * Waits until a checkable element has the wanted state, at most `timeout` ms. → {state: 'true' | 'false' | 'mixed',
 * radio} or a fault
 * @param {Target} target
 * @param {string} wanted
 * @param {number} timeout
 */
async function checkedOf(target, wanted, timeout) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const resolved = resolveOne(target);
    if (!resolved.element) return resolved;
    const { element } = resolved;
    const control = tagOf(element) === 'label' && element.control ? element.control : element;
    const role = roleOf(control);
    const state = checkedState(control, role);
    if (!state) {
      return {
        fault: /** @type {const} */ ('kind'),
        message: 'it is not a checkbox, a radio button or a switch',
        description: describe(control),
      };
    }
    if (state === wanted) remember(control);
    if (state === wanted || performance.now() >= deadline) return { state, radio: role === 'radio' || role === 'menuitemradio' };
    await change(deadline);
  }
}

/**
 * Focuses an element. `atEnd`: moves the caret after its text. `itself`: refuses if an element inside it gets the
 * focus.
 * @param {Place} place
 * @param {boolean} atEnd
 * @param {boolean} itself
 * @returns {Refusal | { ok: true }}
 */
function focusElement(place, atEnd, itself) {
  const held = heldElement(place);
  if (!held) return { fault: 'stale', message: 'the element left the page' };
  const element = typedInto(held);
  if (itself && HOLDERS.has(tagOf(element))) return { fault: 'kind', message: takenBy(element) };
  dom.focus(element);
  const focused = focusedElement();
  if (itself && focused && focused !== element && composedContains(element, focused)) {
    /** @type {HTMLElement} */ dom.blur(focused);
    return { fault: 'kind', message: takenBy(focused), description: describe(element) };
  }
  const has = dom.activeElement(dom.getRootNode(element)) === element || dom.matches(element, ':focus-within');
  if (!has) return { fault: 'kind', message: 'it does not take the focus', description: describe(element) };
  if (atEnd) toEndOf(element);
  return { ok: true };
}

/** @param {Element} element */
function toEndOf(element) {
  const tag = tagOf(element);
  if (tag === 'input' || tag === 'textarea') {
    const field = /** @type {HTMLInputElement} */ (/** @type {unknown} */ (element));
    // Number and email fields do not let a script set the caret.
    if (field.selectionStart !== null) field.setSelectionRange(field.value.length, field.value.length);
  } else if (dom.isContentEditable(element)) {
    const selection = getSelection();
    selection?.selectAllChildren(element);
    selection?.collapseToEnd();
  }
}

/** Blurs the focused element of this document. → its description, or null */
function blurFocused() {
  const focused = focusedElement();
  if (!focused || focused === dom.body(document) || ['iframe', 'frame'].includes(tagOf(focused))) return null;
  /** @type {HTMLElement} */ dom.blur(focused);
  return describe(focused);
}

/**
 * Selects an element's text. → {characters} or a fault
 * @param {Place} place
 * @returns {Refusal | { characters: number }}
 */
function selectText(place) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  const tag = tagOf(element);
  if (tag === 'input' || tag === 'textarea') {
    dom.focus(element);
    element.select();
    return { characters: element.value.length };
  }
  if (dom.isContentEditable(element)) dom.focus(element);
  const selection = getSelection();
  selection?.selectAllChildren(element);
  return { characters: selection?.toString().length ?? 0 };
}

/* True if the page accepts the drag over it; null before the first `dragover`. */
/** @type {boolean | null} */
let takesDrop = null;
/** @param {DragEvent} event */
const noteDragOver = (event) => {
  takesDrop = event.defaultPrevented;
};

/* The page's own listeners run first: ours is the last one of the bubbling phase. */
function watchDrop() {
  endDrop();
  addEventListener('dragover', noteDragOver);
  return null;
}

/** Stops watching; returns true if the page accepted the drag over it. */
function endDrop() {
  const takes = takesDrop === true;
  takesDrop = null;
  removeEventListener('dragover', noteDragOver);
  return takes;
}
