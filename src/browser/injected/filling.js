/*
 * The in-page parts of fill, and what a control holds after an action.
 *
 * Owns the preparation of an element for trusted text input, setting fields without text input, and the one rule for
 * every control: after the page had its turn, the control is read back. The daemon types the text.
 */

/* Inputs whose value is set at once: typed text would go to a picker. */
const SET_WHOLE = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week']);

/* An editor may draw the text, and a page may give a field its value, this long after the input. */
const HELD_LIMIT_MS = 300;
/* A fill that ended longer ago has been drawn. */
const FRAME_MS = 20;
/* How often a value that a late drawing of the field has undone is set again. */
const MOST_REPEATS = 3;
/* The start of what a field holds, in a message. */
const HELD_SHOWN = 200;

/*
 * The state of a fill: the next text must change only this field. If the page moves the focus, another field must not
 * get the text (`element` is the field, `before` what it held, `seen` whether it received text, `entered` whether the
 * text got in, `astray` another field that would have, `mixed` whether the page made another text of it, `whole` the
 * value that is set because no text follows).
 */
/** @type {Filling | null} */
let filling = null;
/* The fill that ended last, until it is read back. */
/** @type {Filling | null} */
let filled = null;
/* A cancelled command must not prevent the user from typing. */
const FILL_LIMIT_MS = 2000;
/* The browser inserts a typed text line by line, with two events each, and lays the field out every time. */
const MOST_TYPED_LINES = 40;

/** Returns true if the event belongs to the field that is filled. @param {Filling} state @param {Element} target */
const isFilled = ({ element }, target) =>
  // An element inside an editable region is edited through the region.
  composedContains(element, target) || (dom.isContentEditable(element) && composedContains(target, element)) || !dom.isConnected(element);

listenLastingly(
  'beforeinput',
  (/** @type {Event} */ event) => {
    if (!filling || !event.isTrusted || performance.now() > filling.until) return;
    const target = innerTarget(event);
    if (isFilled(filling, target)) {
      filling.seen = true;
      return;
    }
    filling.astray = describe(target);
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  { capture: true },
);

listenLastingly(
  'input',
  (/** @type {Event} */ event) => {
    if (filling && event.isTrusted && isFilled(filling, innerTarget(event))) filling.entered = true;
  },
  { capture: true },
);

/**
 * Prepares a field for a fill. → {typed: true}: all is selected, type now · {done: true}: no text follows, `endFill` sets
 * the value · {editor: true}: it is a code editor, which nothing was done to · {fault, message}.
 * @param {Place} place
 * @param {string} value
 * @returns {Refusal | { typed: true } | { done: true } | { editor: true }}
 */
function beginFill(place, value) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  if (codeEditorOf(element)) return { editor: true };
  const tag = tagOf(element);
  /** @type {string | null} */
  let whole = null;
  if (tag === 'input' && SET_WHOLE.has(element.type)) {
    whole = value.trim();
    // The copy shows what the browser accepts: the field itself must not change twice.
    const copy = inertCopy(element);
    copy.value = whole;
    if (copy.value !== whole.toLowerCase() && copy.value !== whole) {
      return { fault: 'value', message: `an <input type="${element.type}"> does not take “${value}”` };
    }
  } else if (tag === 'input' && element.type === 'number' && value !== '' && Number.isNaN(Number(value))) {
    return { fault: 'value', message: `“${value}” is not a number` };
  }
  // A mixed text is filled again: what was there is older.
  const before = filled?.element === element && filled.mixed ? filled.before : heldText(element);
  filled = null;
  filling = {
    element,
    before,
    mixed: false,
    seen: false,
    entered: false,
    astray: null,
    whole,
    long:
      tag !== 'input' && !dom.editContext(element) && value.split('\n').length > MOST_TYPED_LINES ? value.replace(/\r\n?/g, '\n') : null,
    until: performance.now() + FILL_LIMIT_MS,
    endedAt: 0,
    repeats: 0,
  };
  dom.focus(element);
  if (whole !== null) return { done: true };
  const model = dom.editContext(element);
  if (tag === 'input' || tag === 'textarea') {
    element.select();
  } else if (model) {
    const state = filling;
    // The text leads to no `beforeinput`.
    if (focusedElement() !== element) {
      filling = null;
      return { fault: 'blocked', message: 'the page took the focus away while it was filled; nothing was typed' };
    }
    const noteText = () => {
      state.seen = true;
      state.entered = true;
    };
    dom.addEventListener(model, 'textupdate', noteText, { once: true });
    model.updateSelection(0, model.text.length);
  } else {
    const range = dom.createRange(document);
    range.selectNodeContents(element);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
  }
  return filling.long === null ? { typed: true } : { done: true };
}

/**
 * Replaces the selected text of a field by a long one, at once: an editor of the page takes it as a paste, the browser
 * inserts it as one piece. Both fire `input`.
 * @param {Filling} state
 * @param {string} text
 */
function insertLong(state, text) {
  const { element } = state;
  const isArea = tagOf(element) === 'textarea';
  if (!isArea && pastes(element, text)) return;
  const keepsSpaces = isArea || getComputedStyle(element).whiteSpace.startsWith('pre');
  const spaced = keepsSpaces ? text : text.replace(/^ | (?= )| $/gm, '\u00a0');
  const escaped = spaced.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  dom.execCommand(document, 'insertHTML', false, escaped.replaceAll('\n', '<br>'));
  if (isArea && !state.entered) {
    // The page does not let the browser edit it, or has no text to replace.
    element.value = text;
    fire(element, 'input');
  }
}

/**
 * Ends a fill: sets a value that was not typed, with its events in the same task, because a page may redraw a field when
 * it gets the focus. Fires `change` after typing: typed text fires `input` by itself, but `change` only when the focus
 * leaves. `typed`: there was text to type. The daemon calls this separately because the page may navigate in these
 * events, and the answer of the fill must not be lost. → {} or a fault
 * @param {Place} place
 * @param {boolean} typed
 * @returns {Promise<Refusal | {}>}
 */
async function endFill(place, typed) {
  const state = filling;
  // The page draws the field that got the focus.
  if (state && state.whole !== null) await nextFrame();
  if (state && state.long !== null && heldElement(place)) insertLong(state, state.long);
  filling = null;
  if (state?.astray)
    return { fault: 'blocked', message: `the page moved the focus to ${state.astray} while it was filled; nothing was typed` };
  const element = heldElement(place);
  if (!element) return state && !typed ? { fault: 'blocked', message: 'the page removed it while it was filled' } : {};
  if (state && typed && !state.seen && heldText(element) === state.before)
    return { fault: 'blocked', message: 'the page took the focus away while it was filled; nothing was typed' };
  if (state) state.endedAt = performance.now();
  filled = state;
  if (state && state.whole !== null) setWhole(element, state.whole);
  else if (tagOf(element) === 'input' || tagOf(element) === 'textarea') {
    toldOf.set(element, element.value);
    fire(element, 'change');
  }
  return {};
}

/** Sets a value as a picker does. @param {Element} element @param {string} value */
function setWhole(element, value) {
  element.value = value;
  fire(element, 'input');
  fire(element, 'change');
}

/* The values that our `change` events reported: the browser's own event on blur would report them again. */
const toldOf = new WeakMap();

listenLastingly(
  'change',
  (/** @type {Event} */ event) => {
    if (!event.isTrusted) return;
    const target = innerTarget(event);
    if (toldOf.get(target) === target.value) event.stopImmediatePropagation();
    toldOf.delete(target);
  },
  { capture: true },
);

/* What fields held when it was reported, until somebody acts in the page. */
/** @type {Map<Element, string>} */
const reported = new Map();
const MOST_REPORTED = 50;
/* A sentence for each field that the page has changed since it was filled. */
/** @type {string[]} */
let changedLate = [];

/** Remembers what a field holds: it is about to be reported. @param {Element} element */
function remember(element) {
  if (reported.size < MOST_REPORTED) reported.set(element, reportedState(element));
}

/** Returns what a report says of a field: its text, its choice, or whether it is checked. @param {Element} element */
function reportedState(element) {
  if (tagOf(element) === 'select') {
    const options = /** @type {HTMLOptionElement[]} */ (Array.from(/** @type {any} */ (element).selectedOptions));
    return options.map((option) => squeeze(option.text)).join(', ');
  }
  return checkedState(element, roleOf(element)) || heldText(element);
}

function noteLate() {
  for (const [element, before] of reported) {
    const held = dom.isConnected(element) ? reportedState(element) : before;
    if (held === before) continue;
    reported.delete(element);
    const isSecret = secretAttribute(element) === 'value';
    const checked = checkedState(element, roleOf(element));
    const shown = letters(held) === '' ? 'it is empty' : isSecret ? 'it holds another text' : `it shows ${quoted(held)}`;
    const now = checked === '' ? shown : checked === 'false' ? 'it is not checked' : `it is ${checked === 'true' ? 'checked' : checked}`;
    const how = checked === '' && tagOf(element) !== 'select' ? 'filled' : 'set';
    changedLate.push(`Since it was ${how}, the page changed ${describe(element)}: ${now}`);
  }
}

/** Returns which fields the page has changed since their text was reported, once. */
function takeLate() {
  noteLate();
  const late = changedLate;
  changedLate = [];
  return late;
}

// A form that is sent, or a text that is edited, changes for another reason.
for (const type of ['keydown', 'pointerdown', 'mousedown']) {
  listenLastingly(
    type,
    (/** @type {Event} */ event) => {
      if (!event.isTrusted || reported.size === 0) return;
      noteLate();
      reported.clear();
    },
    { capture: true, passive: true },
  );
}

/* What shows a text without containing it. */
const DRAWN = 'canvas, svg';

/** Returns the text that a field shows. @param {Element} element @returns {string} */
function heldText(element) {
  const tag = tagOf(element);
  if (tag === 'input' || tag === 'textarea') return element.value;
  const model = dom.editContext(element);
  // A script may draw the text as a picture.
  return model && (tag === 'canvas' || dom.querySelector(element, DRAWN)) ? model.text : dom.innerText(element);
}

/* Rich editors wrap lines in elements and keep empty ones with invisible characters. */
/** @param {string} text */
const letters = (text) => text.replace(/[\s\u200b\u2060\ufeff]+/g, '');

/** @param {Element} element @param {string} wanted */
function holds(element, wanted) {
  const held = heldText(element);
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'textarea') return letters(held) === letters(wanted);
  if (held === wanted.replace(/\r\n?/g, '\n')) return true;
  if (tag === 'textarea') return false;
  if (element.type === 'number' && held !== '' && wanted !== '') return Number(held) === Number(wanted);
  return SET_WHOLE.has(element.type) && held === wanted.trim().toLowerCase();
}

/** Returns the start of a text in one line, quoted. @param {string} text */
const quoted = (text) => `“${clip(squeeze(text), HELD_SHOWN)}”`;

/**
 * Reads a filled field back, once the page had its turn. → {is: 'same'} · {is: 'changed', shows}: the page shows another
 * form of the text; null for a password · {is: 'mixed', shows}: it shows another text · {is: 'gone'}: the page removed the
 * field · {fault, message}: it refused or cleared the text, or put the old one back.
 * @param {Place} place
 * @param {string} wanted
 * @returns {Promise<Refusal | { is: 'same' | 'gone' } | { is: 'changed' | 'mixed'; shows: string | null }>}
 */
async function readFill(place, wanted) {
  const state = filled;
  if (state && performance.now() - state.endedAt < FRAME_MS) await nextFrame();
  const deadline = performance.now() + HELD_LIMIT_MS;
  for (;;) {
    const element = heldElement(place);
    if (!element) return { is: 'gone' };
    if (holds(element, wanted)) {
      remember(element);
      return { is: 'same' };
    }
    if (state && state.whole !== null && state.repeats < MOST_REPEATS) {
      // The page drew the field late for its focus, which takes a page that is not in view some frames. It has the focus now.
      state.repeats += 1;
      setWhole(element, state.whole);
      await nextFrame();
      continue;
    }
    const held = heldText(element);
    const isSecret = secretAttribute(element) === 'value';
    const isBack = held === (state?.before ?? '') && !sameLetters(held, wanted);
    if (letters(held) !== '' && !isBack) {
      remember(element);
      const isMixed = !isSecret && takesMasks(element) && isAnotherText(held, wanted);
      if (state) state.mixed = isMixed;
      return { is: isMixed ? 'mixed' : 'changed', shows: isSecret ? null : clip(squeeze(held), HELD_SHOWN) };
    }
    if (performance.now() < deadline) {
      await change(deadline);
      continue;
    }
    const now = letters(held) === '' ? 'it is empty' : isSecret ? 'it holds what it held before' : `it still holds ${quoted(held)}`;
    /** @param {string} message @returns {Refusal} */
    const no = (message) => ({ fault: 'value', message, description: describe(element) });
    if (state && !state.entered && state.whole === null && state.long === null) return no(`the page refused the text: ${now}`);
    if (letters(held) === '') return no('the page cleared it: it is empty');
    return no(isSecret ? 'the page put its old text back' : `the page put its old text back: it holds ${quoted(held)}`);
  }
}

/* A page that reformats a text changes its case and what is between the letters. */
/** @param {string} text */
const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
/** @param {string} one @param {string} other */
const sameLetters = (one, other) => bare(one) === bare(other);

/** Returns true for a field that may have a mask. @param {Element} element */
const takesMasks = (element) => tagOf(element) === 'input' && ['text', 'tel', 'search'].includes(element.type);

/**
 * Returns true if a field holds neither a form of the text, nor a part of it, nor a longer one.
 * @param {string} held
 * @param {string} wanted
 */
const isAnotherText = (held, wanted) => !bare(wanted).includes(bare(held)) && !bare(held).includes(bare(wanted));

/**
 * Reads a list back, once the page had its turn. → {} or a fault that names what is chosen
 * @param {Place} place
 * @param {string[]} wanted
 * @returns {Promise<Refusal | {}>}
 */
async function readChoice(place, wanted) {
  await nextFrame();
  const deadline = performance.now() + HELD_LIMIT_MS;
  for (;;) {
    const held = heldElement(place);
    const select = held && tagOf(held) === 'label' ? held.control : held;
    if (!select || tagOf(select) !== 'select') return {};
    const chosen = optionsOf(select, wanted);
    // The page may have replaced its options.
    const isHeld = chosen.fault !== undefined || chosen.options.every((option) => option.selected);
    const isUnseen = isHeld && isShownByNone(select);
    if (isHeld && !isUnseen) {
      remember(select);
      return {};
    }
    if (performance.now() >= deadline) {
      if (isUnseen)
        return {
          fault: 'value',
          message: 'it is chosen in this hidden <select>, but the list that the page shows in its place does not follow: choose there',
          description: describe(select),
        };
      const now = Array.from(select.selectedOptions, (option) => quoted(option.text)).join(', ');
      return { fault: 'value', message: `the page refused the choice: ${now || 'nothing'} is selected`, description: describe(select) };
    }
    await change(deadline);
  }
}
