/*
 * Detects whether a drag is the browser's own drag and drop, and whether the page reacts to it.
 *
 * Owns the listener for one `dragstart` and the watch of what moves. The daemon sends the input of the drag.
 */

/* The page is done with a move when nothing has changed for this long: some libraries look every 50 ms. */
const MOVES_QUIET_MS = 120;
const MOVES_LIMIT_MS = 1000;
/* These may show a drag without a change of the document. */
const DRAWS = new Set(['canvas', 'iframe', 'frame', 'video', 'embed', 'object']);

/** @type {DragEvent | null} */
let dragStart = null;
/* The element that was pressed. */
/** @type {Element | null} */
let pressedOn = null;
/** @param {Event} event */
const rememberPress = (event) => {
  pressedOn = innerTarget(event);
};
/** @param {DragEvent} event */
const rememberDrag = (event) => {
  dragStart = event;
};

/* The last drag moved nothing and may have selected text, which the browser would drag in place of the element. */
let hasSelected = false;

/* Starts to watch. Each listener fires once, which is enough for one drag; the page's own listeners run after ours. */
function watchDrag() {
  if (hasSelected) getSelection()?.removeAllRanges();
  hasSelected = false;
  dragStart = null;
  pressedOn = null;
  addEventListener('pointerdown', rememberPress, { capture: true, once: true });
  removeEventListener('dragstart', rememberDrag, { capture: true });
  addEventListener('dragstart', rememberDrag, { capture: true, once: true });
  return null;
}

/* A page that prevents `dragstart` implements the drag itself. */
function dragBegan() {
  removeEventListener('dragstart', rememberDrag, { capture: true });
  return dragStart !== null && !dragStart.defaultPrevented;
}

/**
 * Returns true if a release at this point of this document would click a button, a link or another control.
 * @param {Point} point
 */
function dragClicks(point) {
  removeEventListener('pointerdown', rememberPress, { capture: true });
  return isClick(pressedOn, elementAt(point));
}

/** @type {{ observer: MutationObserver; changedAt: number; moved: boolean; end: () => void } | null} */
let moves = null;

/** Returns true from the first move of a drag to its end. */
const isDragging = () => moves !== null;

/**
 * Starts to watch what a drag of this element moves: the element itself, what is around and beside it, and what is added
 * to the page.
 * @param {Place} place
 */
function watchMoves(place) {
  moves?.end();
  const source = heldElement(place);
  const parent = source && composedParent(source);
  const draws = DRAWS.has(tagOf(pressedOn ?? source ?? dom.documentElement(document)));
  /** @param {Node} target */
  const isNear = (target) =>
    target === dom.body(document) ||
    (!!source && (composedContains(source, target) || composedContains(target, source))) ||
    (!!parent && composedParent(target) === parent);
  const observer = new MutationObserver((changes) => {
    if (!moves) return;
    moves.changedAt = performance.now();
    moves.moved ||= changes.some(({ target }) => isNear(target));
  });
  /** A slider has no change of the document. @param {Event} event */
  const onInput = (event) => {
    if (moves && event.isTrusted) moves.moved = true;
  };
  addEventListener('input', onInput, { capture: true });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
  for (let root = source ? dom.getRootNode(source) : undefined; root && root !== document; root = root.host && dom.getRootNode(root.host)) {
    observer.observe(/** @type {Node} */ (/** @type {unknown} */ (root)), { subtree: true, childList: true, attributes: true });
  }
  const end = () => {
    observer.disconnect();
    removeEventListener('input', onInput, { capture: true });
  };
  moves = { observer, changedAt: performance.now(), moved: draws, end };
  return null;
}

/* Waits until the page is done with the last move. → whether anything moved */
async function movesSettled() {
  const deadline = performance.now() + MOVES_LIMIT_MS;
  const since = performance.now();
  while (moves && performance.now() < deadline && performance.now() - Math.max(moves.changedAt, since) < MOVES_QUIET_MS) await nextFrame();
  const moved = moves?.moved ?? true;
  hasSelected = !moved;
  moves?.end();
  moves = null;
  return moved;
}

/** @type {{ changed: boolean; dropped: boolean; end: () => void } | null} */
let drop = null;

/**
 * Starts to watch what a drop on this element does.
 * @param {Place} place
 */
function expectDrop(place) {
  drop?.end();
  const target = heldElement(place);
  const observer = new MutationObserver(() => {
    if (drop) drop.changed = true;
  });
  /** @type {MutationObserverInit} */
  const all = { subtree: true, childList: true, attributes: true, characterData: true };
  observer.observe(document, all);
  for (let root = target ? dom.getRootNode(target) : undefined; root && root !== document; root = root.host && dom.getRootNode(root.host)) {
    observer.observe(/** @type {Node} */ (/** @type {unknown} */ (root)), all);
  }
  /** @param {Event} event */
  const onDrop = (event) => {
    if (drop && event.isTrusted) drop.dropped = true;
  };
  addEventListener('drop', onDrop, { capture: true });
  const end = () => {
    observer.disconnect();
    removeEventListener('drop', onDrop, { capture: true });
  };
  drop = { changed: DRAWS.has(tagOf(target ?? dom.documentElement(document))), dropped: false, end };
  return null;
}

/** Ends that watch. → whether the page changed, and whether it accepted a drop of the browser's */
function dropOutcome() {
  const { changed, dropped } = drop ?? { changed: true, dropped: true };
  drop?.end();
  drop = null;
  return { changed, dropped };
}
