/*
 * What a field holds after keys were sent to it.
 *
 * Owns the comparison: the text that was there with the typed one at the caret, and what is there after the page had its
 * turn. Never tells the value of a password.
 */

/* A field this small, or one that nobody sees, only takes keys for a page that draws their text elsewhere. */
const SMALLEST_FIELD = 4;
/* A page may write its own text back this many frames after the last key. */
const WRITES_BACK_FRAMES = 3;

/* The field that is typed into, and the text that it must hold afterwards; for a rich editor, a part of it. */
/** @type {{ element: Element; wanted: string; isPart: boolean } | null} */
let typing = null;

/**
 * Remembers the focused field before keys are sent to it. → whether it can be read back
 * @param {string} text
 * @returns {boolean}
 */
function beginTyping(text) {
  typing = null;
  const element = focusedElement();
  // Enter may send the text away, and Tab moves on.
  if (!element || /[\r\n\t]/.test(text) || codeEditorOf(element) || !showsText(element)) return false;
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'textarea') {
    if (dom.isContentEditable(element)) typing = { element, wanted: letters(text), isPart: true };
    return typing !== null;
  }
  const field = /** @type {HTMLInputElement} */ (/** @type {unknown} */ (element));
  const { value, selectionStart: start, selectionEnd: end } = field;
  if (
    tag === 'input' &&
    (SET_WHOLE.has(element.type) || ['checkbox', 'radio', 'file', 'submit', 'button', 'reset', 'image'].includes(element.type))
  )
    return false;
  // Number and email fields do not tell the place of the caret.
  if (start === null && value !== '') return false;
  typing = { element, wanted: start === null ? text : value.slice(0, start) + text + value.slice(end ?? start), isPart: false };
  return true;
}

/** @param {Element} element */
function showsText(element) {
  const { width, height } = dom.getBoundingClientRect(element);
  return width >= SMALLEST_FIELD && height >= SMALLEST_FIELD && !hidesAll(element, getComputedStyle(element));
}

/**
 * Reads the field back. → as `readFill`, but a field that refused or lost the text is `changed`
 * @returns {Promise<{ is: 'same' | 'gone' } | { is: 'changed'; shows: string | null }>}
 */
async function readTyped() {
  const state = typing;
  typing = null;
  if (!state) return { is: 'same' };
  for (let frame = 0; frame < WRITES_BACK_FRAMES; frame += 1) await nextFrame();
  const deadline = performance.now() + HELD_LIMIT_MS;
  for (;;) {
    const { element, wanted, isPart } = state;
    if (!dom.isConnected(element)) return { is: 'gone' };
    if (isPart ? letters(heldText(element)).includes(wanted) : holds(element, wanted)) {
      remember(element);
      return { is: 'same' };
    }
    if (performance.now() >= deadline) {
      remember(element);
      const isSecret = secretAttribute(element) === 'value';
      return { is: 'changed', shows: isSecret ? null : clip(squeeze(heldText(element)), HELD_SHOWN) };
    }
    await change(deadline);
  }
}
