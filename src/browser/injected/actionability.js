/*
 * Waits until an element is actionable, and finds the point for the action.
 *
 * Owns Playwright's conditions (attached, visible, stable, enabled, editable, receives events). Sends no input itself:
 * the daemon does, with trusted events.
 */

/* The number of matches that an error lists. */
const LISTED_MATCHES = 4;
/* After a scroll event the page may still move for this long (a smooth scroll sends one event per frame). */
const SCROLL_SETTLES_MS = 100;
/* Without any event, conditions are checked again after this many frames: style changes send no event. */
const FRAMES_BETWEEN_LOOKS = 6;
/* Replaces a frame in a tab that is not drawn. */
const FRAME_FALLBACK_MS = 50;
/* A busy machine may take this long to draw a frame of an animation. */
const ANIMATED_FRAME_MS = 500;

let lastScroll = -Infinity;
listenLastingly(
  'scroll',
  () => {
    lastScroll = performance.now();
  },
  { capture: true, passive: true },
);

/* Resolves to true if a frame was drawn, to false after the fallback time. */
const nextFrame = (fallback = FRAME_FALLBACK_MS) =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), fallback);
    requestAnimationFrame(() => {
      clearTimeout(timer);
      resolve(true);
    });
  });

/** Resolves after a possible change, after a few frames, or at the deadline. @param {number} deadline */
async function change(deadline) {
  let changed = false;
  const observer = new MutationObserver(() => {
    changed = true;
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (let frames = 0; frames < FRAMES_BETWEEN_LOOKS && !changed && performance.now() < deadline; frames += 1) await nextFrame();
  observer.disconnect();
}

/**
 * Returns the one element that a target names. target: {number, document?} | {selector}; → {element} or {fault:
 * 'gone'|'stale'|'missing'|'several'|'selector', message}
 * @param {Target} target
 * @returns {Resolved}
 */
function resolveOne(target) {
  if (target.number !== undefined) {
    // The frame may contain another document by now.
    if (target.document !== undefined && target.document !== DOCUMENT_ID) return { fault: 'gone', message: 'the page is another one now' };
    const element = elementOf(target.number);
    if (!element) return { fault: 'stale', message: 'the element is gone from the page' };
    return dom.isConnected(element) ? { element } : { fault: 'stale', message: 'the element left the page' };
  }
  let found;
  try {
    found = queryAll(target.selector ?? '');
  } catch (error) {
    if (error instanceof SelectorError) return { fault: 'selector', message: error.message };
    throw error;
  }
  if (found.length === 0) return { fault: 'missing', message: 'no element matches' };
  if (found.length > 1) {
    const first = found.slice(0, LISTED_MATCHES).map((/** @type {Element} */ element, i) => `  ${i + 1}. ${describeWithText(element)}`);
    if (found.length > LISTED_MATCHES) first.push(`  … ${found.length - LISTED_MATCHES} more`);
    return { fault: 'several', message: `${found.length} elements match:\n${first.join('\n')}` };
  }
  return { element: found[0] };
}

/**
 * Waits until the target meets the conditions, at most `timeout` ms. needs: subset of ['visible', 'enabled',
 * 'editable', 'stable', 'hit', 'guard' (with 'hit'), 'itself' (with 'guard')] → {ok, number, document, tag,
 * description, point?: {x, y}} or {fault, message, description?}. With 'guard', an option that is chosen rather than
 * clicked gives {ok, …, option} and sets no guard. `late`: what the page changed since it was reported.
 * @param {Target} target
 * @param {Need[]} needs
 * @param {number} timeout
 * @returns {Promise<Looked>}
 */
async function ready(target, needs, timeout) {
  listenAgain();
  const late = takeLate();
  const deadline = performance.now() + timeout;
  for (let attempt = 0; ; attempt += 1) {
    const state = await look(target, needs, attempt);
    if (state.ok || state.final || performance.now() >= deadline) return late.length > 0 ? { ...state, late } : state;
    await change(deadline);
  }
}

/**
 * Like `ready`, and calls a function of the surface in the same moment, with the element's place and the given arguments.
 * Its result is `then`.
 * @param {Target} target
 * @param {Need[]} needs
 * @param {number} timeout
 * @param {InjectedFunction} name
 * @param {unknown[]} given
 * @returns {Promise<Looked & { then?: unknown }>}
 */
async function readyThen(target, needs, timeout, name, ...given) {
  const looked = await ready(target, needs, timeout);
  if (!looked.ok) return looked;
  return { ...looked, then: await SURFACE[name]({ number: looked.number, document: looked.document }, ...given) };
}

/** @param {Target} target @param {Need[]} needs @param {number} attempt @returns {Promise<Looked>} */
async function look(target, needs, attempt) {
  const resolved = resolveOne(target);
  if (!resolved.element) {
    const isMissing = resolved.fault === 'missing';
    // It may be in a closed root that nobody has asked for yet.
    const suspects = isMissing && attempt === 0 && hasSuspects(document);
    return { ...resolved, final: suspects || !isMissing, suspects };
  }
  // A <label> itself is clicked; to fill a <label> means to fill its control.
  /** @type {Element} */
  let element = resolved.element;
  if (needs.includes('editable') && tagOf(element) === 'label' && element.control) element = element.control;
  // An editor draws its text; what takes the input is tiny or nowhere.
  const editor = codeEditorOf(element);
  if (editor && needs.includes('editable')) element = editorInput(editor) ?? element;
  if (editor && needs.includes('hit')) element = editor;
  /** @param {string} blocked @returns {Looked} */
  const no = (blocked, final = false) => ({ fault: 'blocked', message: blocked, description: describe(element), final });
  /** @returns {Looked} */
  const done = () => ({ ok: true, number: numberOf(element), document: DOCUMENT_ID, tag: tagOf(element), description: describe(element) });
  // A click on an option means choosing it, in every kind of list.
  const option = needs.includes('guard') ? optionOf(element) : null;
  if (option) return { ...done(), option };
  // The open list is drawn by the browser: no point of the page belongs to the option.
  const list = needs.includes('hit') && tagOf(element) === 'option' ? dom.closest(element, 'select') : null;
  if (list && !list.multiple && list.size <= 1)
    return no('it is an option of a list: choose it by `select`, with the list and the option', true);
  if (needs.includes('hit') && !isVisible(element)) element = visibleLabel(element) ?? element;
  if (needs.includes('visible') && !isVisible(editor ?? element)) return no('it is not visible');
  if (needs.includes('enabled') && isDisabled(enabledSubject(element))) return no('it is disabled');
  if (needs.includes('editable') && !(editor && takesEditorInput(element))) {
    const wrong = notEditable(element);
    if (wrong) return no(wrong.message, wrong.final);
  }
  if (needs.includes('stable') && !(await isStable(element))) return no('it is still moving');
  if (!needs.includes('hit')) return done();
  let hit = await hittable(element, attempt);
  if (!hit.point) {
    // The input is clipped to nothing by its style, or is behind the picture that replaces it.
    const label = visibleLabel(element);
    const beside = label ? await hittable(label, attempt) : null;
    if (!label || !beside?.point) return no(hit.blocked ?? '');
    element = label;
    hit = beside;
  }
  if (needs.includes('itself')) {
    const taker = otherTaker(element, elementAt(/** @type {Point} */ (hit.point)));
    if (taker) return no(takenBy(taker), true);
  }
  if (needs.includes('guard')) setGuard(element, needs.includes('itself'));
  return { ...done(), point: hit.point };
}

/**
 * Returns the label that users click instead of a checkbox or radio button that is hidden by its style.
 * @param {Element} element
 */
function visibleLabel(element) {
  if (tagOf(element) !== 'input' || !['checkbox', 'radio'].includes(element.type)) return null;
  return Array.from(element.labels ?? []).find(isVisible) ?? null;
}

/**
 * Returns the element whose disabled state counts: the control around an icon, or the control of a label.
 * @param {Element} element
 */
function enabledSubject(element) {
  const own = dom.closest(element, 'button, select, input, textarea, a, [role=button], [role=link]');
  return own ?? dom.closest(element, 'label')?.control ?? element;
}

/** @param {Element} element */
function notEditable(element) {
  const tag = tagOf(element);
  if (tag === 'input' && !EDITABLE_INPUTS.has(element.type)) {
    return { message: `an <input type="${element.type}"> takes no text`, final: true };
  }
  if (tag === 'select') return { message: 'it is a <select>: use select', final: true };
  const parts = Array.from(dom.querySelectorAll(element, '[role=spinbutton]'), (part) => nameOf(part, 'spinbutton'));
  if (parts.length > 1) return { message: `its parts are filled one by one: ${parts.join(', ')}`, final: true };
  if (roleOf(element) === 'slider' && tag !== 'input') {
    return { message: 'the page draws this slider itself: focus it, and press ArrowRight or ArrowLeft', final: true };
  }
  if (tag !== 'input' && tag !== 'textarea' && !dom.isContentEditable(element) && !dom.editContext(element)) {
    return { message: 'it is not an <input>, <textarea> or [contenteditable] element', final: true };
  }
  return isEditable(element) ? null : { message: 'it is read-only', final: false };
}

/**
 * Returns true if nothing moves the element; otherwise its rectangle must be the same in two frames.
 * @param {Element} element
 */
async function isStable(element) {
  const animated = isAnimated(element);
  if (performance.now() - lastScroll > SCROLL_SETTLES_MS && !animated) return true;
  const before = dom.getBoundingClientRect(element);
  // An animation moves only with frames: without one its state is unknown.
  const drawn = await nextFrame(animated ? ANIMATED_FRAME_MS : FRAME_FALLBACK_MS);
  if (!dom.isConnected(element) || (animated && !drawn)) return false;
  const after = dom.getBoundingClientRect(element);
  return before.x === after.x && before.y === after.y && before.width === after.width && before.height === after.height;
}

/** @param {Element} element */
function isAnimated(element) {
  for (const animation of dom.getAnimations(document)) {
    if (animation.playState !== 'running') continue;
    const moved = /** @type {KeyframeEffect | null} */ (animation.effect)?.target;
    if (moved && composedContains(moved, element)) return true;
  }
  return false;
}

/** @type {ScrollLogicalPosition[]} */
const SCROLL_BLOCKS = ['center', 'end', 'start', 'nearest'];

/**
 * Scrolls the element into view if necessary, and finds a point of it that receives pointer events.
 * @param {Element} element
 * @param {number} attempt
 * @returns {Promise<{ point: Point; blocked?: undefined } | { point?: undefined; blocked: string }>}
 */
async function hittable(element, attempt) {
  let point = attempt === 0 ? pointOf(element) : null;
  if (point && hitBlocker(element, point) === null) return { point };
  scrollIntoView(element, SCROLL_BLOCKS[attempt % SCROLL_BLOCKS.length]);
  point = pointOf(element);
  if (!point) {
    // A scroll in another process takes effect a moment later.
    await nextFrame();
    point = pointOf(element);
  }
  if (!point) return { blocked: 'it is outside of the viewport' };
  const blocker = hitBlocker(element, point);
  return blocker === null ? { point } : { blocked: blocker };
}

/** @param {Element} element @param {ScrollLogicalPosition} [block] */
function scrollIntoView(element, block = 'center') {
  const boxed = boxOf(element);
  if (boxed) {
    dom.scrollIntoView(boxed, { behavior: 'instant', block, inline: block === 'nearest' ? 'nearest' : 'center' });
    return;
  }
  // Text without a box of its own: only the page can be scrolled to it.
  const [text] = rectanglesOf(element);
  if (text) scrollBy({ top: text.top - innerHeight / 2, behavior: 'instant' });
}

/**
 * Returns the element, or for `display: contents` the first element in it that has a box.
 * @param {Element} element
 * @returns {Element | null}
 */
function boxOf(element) {
  if (tagOf(element) === 'area') return pictureOf(element);
  if (dom.getClientRects(element).length) return element;
  for (const child of composedChildren(element)) if (dom.nodeType(child) === Node.ELEMENT_NODE && isVisible(child)) return boxOf(child);
  return null;
}

/**
 * Returns the rectangles of an element, or of its content if it has none.
 * @param {Element} element
 * @returns {DOMRectList}
 */
function rectanglesOf(element) {
  const own = dom.getClientRects(element);
  if (own.length) return own;
  const range = dom.createRange(document);
  for (const child of composedChildren(element)) {
    if (dom.nodeType(child) === Node.ELEMENT_NODE ? isVisible(child) : textIsVisible(child)) {
      range.selectNode(child);
      const inner = dom.nodeType(child) === Node.ELEMENT_NODE ? rectanglesOf(child) : range.getClientRects();
      if (inner.length) return inner;
    }
  }
  return own;
}

/**
 * Returns the rectangle around all that an element draws.
 * @param {Element} element
 * @returns {DOMRect}
 */
function drawnBox(element) {
  if (dom.getClientRects(element).length || tagOf(element) === 'area') return dom.getBoundingClientRect(element);
  const range = dom.createRange(document);
  /** @type {DOMRect[]} */
  const parts = Array.from(composedChildren(element)).flatMap((child) => {
    if (dom.nodeType(child) === Node.ELEMENT_NODE) return isVisible(child) ? [drawnBox(child)] : [];
    range.selectNode(child);
    return Array.from(range.getClientRects());
  });
  const shown = parts.filter(({ width, height }) => width > 0 && height > 0);
  if (shown.length === 0) return dom.getBoundingClientRect(element);
  const [left, top] = [Math.min(...shown.map((part) => part.left)), Math.min(...shown.map((part) => part.top))];
  const [right, bottom] = [Math.max(...shown.map((part) => part.right)), Math.max(...shown.map((part) => part.bottom))];
  return new DOMRect(left, top, right - left, bottom - top);
}

/**
 * Returns the middle of the visible part of the element's first rectangle, in CSS pixels of this frame's viewport.
 * @param {Element} element
 * @returns {Point | null}
 */
function pointOf(element) {
  if (tagOf(element) === 'area') return pointOfArea(element);
  for (const box of rectanglesOf(element)) {
    const left = Math.max(box.left, 0);
    const right = Math.min(box.right, innerWidth);
    const top = Math.max(box.top, 0);
    const bottom = Math.min(box.bottom, innerHeight);
    if (right - left > 0.5 && bottom - top > 0.5) return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }
  return null;
}

/**
 * Returns the innermost element at a point, through open shadow roots, ignoring our own host.
 * @param {Point} given
 * @returns {Element | null}
 */
function elementAt({ x, y }) {
  /** @type {Element | null} */
  let at = null;
  /** @type {Tree | null} */
  let root = document;
  for (;;) {
    let found = dom.elementsFromPoint(root, x, y).find((element) => !isOwnHost(element));
    // That list omits `display: contents` elements, although their text receives the event.
    const top = dom.elementFromPoint(root, x, y);
    if (top && found && top !== found && composedParent(top) === found && getComputedStyle(top).display === 'contents') found = top;
    if (!found || found === at) return at;
    at = found;
    root = shadowOf(found);
    if (!root) return at;
  }
}

/**
 * Returns null if the element receives the event at this point, else the reason it does not.
 * @param {Element} element
 * @param {Point} point
 */
function hitBlocker(element, point) {
  const hit = elementAt(point);
  if (!hit) return 'it is outside of the viewport';
  return takesEventsOf(element, hit) || letsDragThrough(element, hit) ? null : missReason(element, hit);
}

/**
 * Explains why `hit` receives an event in place of the element. An element around it does not cover it.
 * @param {Element} element
 * @param {Element} hit
 */
function missReason(element, hit) {
  if (getComputedStyle(element).pointerEvents === 'none') return 'it takes no pointer events (pointer-events: none)';
  if (composedClosest(element, (at) => dom.inert(at) || isTurnedOff(at))) return 'the page has turned it off (inert)';
  if (composedContains(hit, element)) return `its middle is clipped: a click there reaches ${describe(hit)}, which is around it`;
  return `it is covered by ${describe(coverOf(element, hit))}`;
}

/**
 * Returns true for an item that lets events through to its list while something is dragged: the list decides where it is
 * dropped.
 * @param {Element} element
 * @param {Element} hit
 */
const letsDragThrough = (element, hit) =>
  isDragging() && composedContains(hit, element) && getComputedStyle(element).pointerEvents === 'none';

/**
 * Returns true if an event at `hit` counts for `element`: inside it, in the button or link that contains it, or on its
 * label.
 * @param {Element} element
 * @param {Element} hit
 */
function takesEventsOf(element, hit) {
  if (composedContains(element, hit) || (tagOf(element) === 'area' && hit === pictureOf(element))) return true;
  const control =
    dom.isContentEditable(element) || dom.matches(element, 'input, textarea, select')
      ? null
      : dom.closest(element, 'button, a, [role=button], [role=link]');
  if (control && composedContains(control, hit)) return true;
  const label = composedClosest(hit, (/** @type {Element} */ at) => tagOf(at) === 'label');
  return !!label && (label.control === element || composedContains(label, element));
}

/**
 * Returns the outermost ancestor of `hit` that does not contain `element`: the element that covers it.
 * @param {Element} element
 * @param {Element} hit
 */
function coverOf(element, hit) {
  let cover = hit;
  for (let /** @type {Element | null} */ at = hit; at && !composedContains(at, element); at = composedParent(at)) cover = at;
  return cover;
}
