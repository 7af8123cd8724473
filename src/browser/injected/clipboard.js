/*
 * The clipboard, by the page's own copy and paste events.
 *
 * Owns one event at a time, which the page does not see. That way needs no permission, no focus and no secure page.
 */

/** What a paste brought; null: none came yet. @type {string | null} */
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
// By these a page says that it pastes and copies also where nothing can be edited and nothing is selected.
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

/** → whether the browser took it. Called with a user's gesture. @param {string} text */
function copyText(text) {
  toCopy = text;
  const took = document.execCommand('copy');
  toCopy = null;
  return took;
}

function armPaste() {
  pasted = null;
  pasteExpected = true;
  return null;
}

/** The text that the paste brought; null: none came. */
function takePaste() {
  pasteExpected = false;
  const text = pasted;
  pasted = null;
  return text;
}
