/*
 * The clipboard, through the page's own copy and paste events.
 *
 * Owns one event at a time, which the page does not see. This needs no permission, no focus and no secure context.
 */

/** The pasted text; null before the paste event. @type {string | null} */
let pasted = null;
let pasteExpected = false;
/** @type {string | null} */
let toCopy = null;

/** @param {Event} event */
const ours = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};

listenLastingly(
  'paste',
  (/** @type {ClipboardEvent} */ event) => {
    if (!pasteExpected || !event.isTrusted) return;
    pasteExpected = false;
    pasted = event.clipboardData?.getData('text/plain') ?? '';
    ours(event);
  },
  { capture: true },
);
// With these events a page enables copy and paste without an editable element or a selection.
listenLastingly('beforepaste', (/** @type {Event} */ event) => pasteExpected && ours(event), { capture: true });
listenLastingly('beforecopy', (/** @type {Event} */ event) => toCopy !== null && ours(event), { capture: true });
listenLastingly(
  'copy',
  (/** @type {ClipboardEvent} */ event) => {
    if (toCopy === null) return;
    event.clipboardData?.setData('text/plain', toCopy);
    ours(event);
  },
  { capture: true },
);

/** Copies a text; returns true if the browser did. Must be called with a user gesture. @param {string} text */
function copyText(text) {
  toCopy = text;
  const took = dom.execCommand(document, 'copy');
  toCopy = null;
  return took;
}

function armPaste() {
  pasted = null;
  pasteExpected = true;
  return null;
}

/** The text of the paste event; null if there was none. */
function takePaste() {
  pasteExpected = false;
  const text = pasted;
  pasted = null;
  return text;
}
