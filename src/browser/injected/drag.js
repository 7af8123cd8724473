/*
 * Whether a drag is the browser's own.
 *
 * Owns the watch for one `dragstart`. The drag itself is input, which the daemon sends.
 */

/** @type {DragEvent | null} */
let dragStart = null;
/** @param {DragEvent} event */
const rememberDrag = (event) => {
  dragStart = event;
};

/* From now on. Once is enough for one drag; the page's own listeners decide after ours. */
function watchDrag() {
  dragStart = null;
  removeEventListener('dragstart', rememberDrag, { capture: true });
  addEventListener('dragstart', rememberDrag, { capture: true, once: true });
  return null;
}

/* A page that prevents it drags by itself. */
function dragBegan() {
  removeEventListener('dragstart', rememberDrag, { capture: true });
  return dragStart !== null && !dragStart.defaultPrevented;
}
