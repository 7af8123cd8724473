/*
 * Detects whether a drag is the browser's own drag and drop.
 *
 * Owns the listener for one `dragstart`. The daemon sends the input of the drag.
 */

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

/* Starts to watch. Each listener fires once, which is enough for one drag; the page's own listeners run after ours. */
function watchDrag() {
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
