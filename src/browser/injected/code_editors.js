/*
 * Code editors: CodeMirror, Ace and Monaco. They draw the text themselves; a small field, or none, takes the input.
 *
 * Owns the way from an editor to that field, a paste, and what the editor shows. `page/act/page_editors.js` uses the
 * editor's own model.
 */

const CODE_EDITORS = '.CodeMirror, .cm-editor, .ace_editor, .monaco-editor';
/* What takes the input in each. */
const EDITOR_INPUTS = '.CodeMirror textarea, .cm-content, textarea.ace_text-input, textarea.inputarea, .native-edit-context';
/* The lines that each draws. */
const EDITOR_LINES = '.CodeMirror-line, .cm-line, .ace_line, .view-line';

/** Returns the code editor around an element, or null. @param {Element} element @returns {Element | null} */
function codeEditorOf(element) {
  const editor = dom.closest(element, CODE_EDITORS);
  // A widget in it (search, rename) has fields of its own.
  const isOwn =
    editor &&
    (editor === element || dom.matches(element, EDITOR_INPUTS) || composedClosest(element, (at) => dom.matches(at, EDITOR_LINES)));
  return isOwn ? editor : null;
}

/** Returns what takes the input of a code editor. @param {Element} editor @returns {Element | null} */
const editorInput = (editor) => dom.querySelector(editor, EDITOR_INPUTS);

/** Returns the lines that a code editor draws. @param {Element} editor */
const editorLines = (editor) => Array.from(dom.querySelectorAll(editor, EDITOR_LINES), (line) => dom.innerText(line));

/** Returns true for what takes the input of a code editor. @param {Element} element */
const takesEditorInput = (element) => dom.matches(element, EDITOR_INPUTS);

/**
 * Gives the page a paste of this text. → whether the page took it
 * @param {Element} element
 * @param {string} text
 */
function pastes(element, text) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  return !dom.dispatchEvent(element, new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }));
}

/** @param {Place} place @param {string} text @returns {Refusal | { pasted: boolean }} */
function pasteText(place, text) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  return { pasted: pastes(element, text) };
}

/**
 * Reads a code editor back by what it shows: it draws only the lines in view. → as `readFill`
 * @param {Place} place
 * @param {string} wanted
 * @returns {Promise<Refusal | { is: 'same' | 'gone' } | { is: 'changed'; shows: string | null }>}
 */
async function readEditor(place, wanted) {
  const deadline = performance.now() + HELD_LIMIT_MS;
  for (;;) {
    await nextFrame();
    const element = heldElement(place);
    const editor = element && codeEditorOf(element);
    if (!editor) return { is: 'gone' };
    const drawn = editorLines(editor);
    const lines = drawn.map(letters).filter(Boolean);
    const all = letters(wanted);
    if (lines.every((line) => all.includes(line)) && lines.length > 0 === (all !== '')) return { is: 'same' };
    if (performance.now() < deadline) continue;
    const shown = drawn.join('\n');
    if (lines.length > 0 && all !== '') return { is: 'changed', shows: clip(squeeze(shown), HELD_SHOWN) };
    return {
      fault: 'value',
      message: all ? 'the editor took no text: it is empty' : `the editor still holds ${quoted(shown)}`,
      description: describe(editor),
    };
  }
}
