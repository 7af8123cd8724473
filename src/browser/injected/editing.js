/*
 * The in-page parts of fill, select, scroll and focus.
 *
 * Owns the preparation of an element for trusted text input, and setting fields without text input. The daemon types
 * the text. Every function acts at once on a place ({number, document}) from `ready`, so that a cancelled command
 * leaves nothing behind and a page that has changed is not touched.
 */

/* Inputs whose value is set at once: typed text would go to a picker. */
const SET_WHOLE = new Set(['color', 'date', 'time', 'datetime-local', 'month', 'range', 'week']);

/**
 * Fires the event that a browser fires for a picked value: `input` crosses shadow boundaries, `change` does not.
 * @param {Element} element
 * @param {string} type
 */
function fire(element, type) {
  element.dispatchEvent(new Event(type, { bubbles: true, composed: type === 'input' }));
}

/*
 * The state of a fill: the next text must change only this field. If the page moves the focus, another field must not
 * get the text (`element` is the field, `seen` whether it received text, `astray` another field that would have,
 * `whole` whether its value was set and no text follows).
 */
/** @type {{ element: Element; seen: boolean; astray: string | null; whole: boolean; until: number } | null} */
let filling = null;
/* A cancelled command must not prevent the user from typing. */
const FILL_LIMIT_MS = 2000;

listenLastingly(
  'beforeinput',
  (/** @type {Event} */ event) => {
    if (!filling || !event.isTrusted || performance.now() > filling.until) return;
    const target = innerTarget(event);
    const { element } = filling;
    // An element inside an editable region is edited through the region.
    if (composedContains(element, target) || (element.isContentEditable && composedContains(target, element)) || !element.isConnected) {
      filling.seen = true;
      return;
    }
    filling.astray = describe(target);
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  { capture: true },
);

/**
 * Prepares a field for a fill. → {typed: true}: all is selected, type now · {done: true}: the value was set · {fault,
 * message}. `endFill` fires `change`.
 * @param {Place} place
 * @param {string} value
 * @returns {Refusal | { typed: true } | { done: true }}
 */
function beginFill(place, value) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  const tag = tagOf(element);
  if (tag === 'input') {
    if (SET_WHOLE.has(element.type)) return setWhole(element, value);
    if (element.type === 'number' && value !== '' && Number.isNaN(Number(value))) {
      return { fault: 'value', message: `“${value}” is not a number` };
    }
    element.focus();
    element.select();
  } else if (tag === 'textarea') {
    element.focus();
    element.select();
  } else {
    element.focus();
    const range = document.createRange();
    range.selectNodeContents(element);
    const selection = getSelection();
    selection?.removeAllRanges();
    selection?.addRange(range);
  }
  filling = { element, seen: false, astray: null, whole: false, until: performance.now() + FILL_LIMIT_MS };
  return { typed: true };
}

/** @param {Element} element @param {string} value @returns {Refusal | { done: true }} */
function setWhole(element, value) {
  element.focus();
  const before = element.value;
  element.value = value.trim();
  if (element.value !== value.trim().toLowerCase() && element.value !== value.trim()) {
    // A refused value changes nothing.
    element.value = before;
    return { fault: 'value', message: `an <input type="${element.type}"> does not take “${value}”` };
  }
  filling = { element, seen: false, astray: null, whole: true, until: 0 };
  return { done: true };
}

/**
 * Fires `change` after typing: typed text fires `input` by itself, but `change` only when the focus leaves. `typed`:
 * there was text to type. The daemon calls this separately because the page may navigate in these events, and the
 * answer of the fill must not be lost. → {} or a fault
 * @param {Place} place
 * @param {boolean} typed
 * @returns {Refusal | {}}
 */
function endFill(place, typed) {
  const state = filling;
  filling = null;
  if (state?.astray)
    return { fault: 'blocked', message: `the page moved the focus to ${state.astray} while it was filled; nothing was typed` };
  const element = heldElement(place);
  if (state && typed && !state.seen && element)
    return { fault: 'blocked', message: 'the page took the focus away while it was filled; nothing was typed' };
  if (state?.whole && element) {
    fire(element, 'input');
    fire(element, 'change');
  } else if (element && (tagOf(element) === 'input' || tagOf(element) === 'textarea')) {
    toldOf.set(element, element.value);
    fire(element, 'change');
  }
  return {};
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

/**
 * Chooses options by value, label or text. → {} or {fault, message}
 * @param {Place} place
 * @param {string[]} wanted
 * @returns {Refusal | {}}
 */
function choose(place, wanted) {
  let select = heldElement(place);
  if (!select) return { fault: 'stale', message: 'the element left the page' };
  if (tagOf(select) === 'label' && select.control) select = select.control;
  if (tagOf(select) !== 'select') return { fault: 'value', message: `it is a ${describe(select)}, not a <select>` };
  if (wanted.length > 1 && !select.multiple) return { fault: 'value', message: 'it takes one value only' };
  const options = Array.from(select.options);
  const chosen = [];
  for (const want of wanted) {
    const text = squeeze(want);
    const option =
      options.find((candidate) => candidate.value === want) ??
      options.find((candidate) => squeeze(candidate.label) === text || squeeze(candidate.text) === text) ??
      options.find((candidate) => squeeze(candidate.text).toLowerCase() === text.toLowerCase());
    if (!option) {
      const known = options
        .slice(0, 10)
        .map((candidate) => `“${squeeze(candidate.text)}”`)
        .join(', ');
      return {
        fault: 'value',
        message: `it has no option “${want}”; it has ${known}${options.length > 10 ? ` and ${options.length - 10} more` : ''}`,
      };
    }
    if (option.matches(':disabled')) return { fault: 'value', message: `its option “${squeeze(option.text)}” is disabled` };
    chosen.push(option);
  }
  select.focus();
  for (const option of options) option.selected = chosen.includes(option);
  fire(select, 'input');
  fire(select, 'change');
  return {};
}

/**
 * Returns an option and its <select> if a click on that option can only mean choosing it.
 * @param {Element} element
 * @returns {OptionPlace | null}
 */
function optionOf(element) {
  const select = tagOf(element) === 'option' ? element.closest('select') : null;
  if (!select) return null;
  /** @param {Element} of */
  const place = (of) => ({ number: numberOf(of), document: DOCUMENT_ID });
  return { option: place(element), select: place(select), text: squeeze(element.text) };
}

/**
 * Chooses one option; a multiple <select> keeps its other options.
 * @param {Place} selectPlace
 * @param {Place} optionPlace
 * @returns {Refusal | {}}
 */
function chooseOption(selectPlace, optionPlace) {
  const select = heldElement(selectPlace);
  const option = heldElement(optionPlace);
  if (!select || !option) return { fault: 'stale', message: 'the element left the page' };
  if (isDisabled(select) || option.matches(':disabled'))
    return { fault: 'value', message: `its option “${squeeze(option.text)}” is disabled` };
  select.focus();
  option.selected = true;
  fire(select, 'input');
  fire(select, 'change');
  return {};
}

/** @param {Place} place @returns {Refusal | { ok: true }} */
function scrollToElement(place) {
  const element = heldElement(place);
  if (!element) return { fault: 'stale', message: 'the element left the page' };
  const point = pointOf(element);
  if (!point || hitBlocker(element, point) !== null) scrollIntoView(element);
  return { ok: true };
}

/* Scrolls to the end of the page, or of the element that scrolls instead of it. */
function scrollToBottom() {
  const root = document.scrollingElement ?? document.documentElement;
  if (root.scrollHeight > root.clientHeight + 1) {
    root.scrollTo({ top: root.scrollHeight, behavior: 'instant' });
    return { ok: true };
  }
  let at = elementAt({ x: innerWidth / 2, y: innerHeight / 2 });
  while (at && !(at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY))) at = composedParent(at);
  at?.scrollTo({ top: at.scrollHeight, behavior: 'instant' });
  return { ok: true };
}

/**
 * Returns the origin of a frame's content in this frame's viewport. A point (in the child's coordinates) is scrolled
 * into view first, and `covered` names the element that covers it.
 * @param {number} number
 * @param {Point | null} point
 * @returns {Promise<Refusal | { x: number; y: number; covered?: string | null }>}
 */
async function frameOrigin(number, point) {
  const element = elementOf(number);
  if (!element?.isConnected) return { fault: 'stale', message: 'the frame left the page' };
  const style = getComputedStyle(element);
  const origin = () => {
    const box = element.getBoundingClientRect();
    return {
      x: box.left + element.clientLeft + parseFloat(style.paddingLeft),
      y: box.top + element.clientTop + parseFloat(style.paddingTop),
    };
  };
  if (!point) return origin();
  const inTab = () => {
    const { x, y } = origin();
    return { x: x + point.x, y: y + point.y };
  };
  /** @param {Point} given */
  const isOutside = ({ x, y }) => x < 0 || y < 0 || x >= innerWidth || y >= innerHeight;
  const moved = isOutside(inTab());
  if (moved) scrollIntoView(element);
  if (isOutside(inTab())) {
    // A frame larger than the window: scroll to the point itself.
    const { x, y } = inTab();
    scrollBy({ left: x - innerWidth / 2, top: y - innerHeight / 2, behavior: 'instant' });
  }
  // Hit testing finds an out-of-process frame only where it was last drawn.
  if (moved || performance.now() - lastScroll < SCROLL_SETTLES_MS) {
    await nextFrame();
    await nextFrame();
  }
  return { ...origin(), covered: hitBlocker(element, inTab()) };
}
