/*
 * Whether a drag is the browser's own.
 *
 * Owns the watch for one `dragstart`. The drag itself is input, which the daemon sends.
 */

/** @type {DragEvent | null} */
let dragStart = null;
/* What the button went down on. */
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

/* From now on. Once is enough for one drag; the page's own listeners decide after ours. */
function watchDrag() {
  dragStart = null;
  pressedOn = null;
  addEventListener('pointerdown', rememberPress, { capture: true, once: true });
  removeEventListener('dragstart', rememberDrag, { capture: true });
  addEventListener('dragstart', rememberDrag, { capture: true, once: true });
  return null;
}

/* A page that prevents it drags by itself. */
function dragBegan() {
  removeEventListener('dragstart', rememberDrag, { capture: true });
  return dragStart !== null && !dragStart.defaultPrevented;
}

/**
 * Whether letting go at this point of this document would be a click, on a button, a link or the like.
 * @param {Point} point
 */
function dragClicks(point) {
  removeEventListener('pointerdown', rememberPress, { capture: true });
  return isClick(pressedOn, elementAt(point));
}
