/*
 * What the person does in a page, so that a flow can do it again: each act with a description of its element.
 *
 * Reports only trusted events, through a binding that only our world has: a page can neither add an act nor see that acts
 * are recorded. What a page types or ticks by script comes with trusted events too, so those count only in a field that the
 * person pressed or typed into. The listeners are added at the start of the document, before any of the page's, and do
 * nothing until `beginRecording`. Never reads the value of a password field.
 */

/** @type {((report: RecordedReport) => void) | null} */
let tellRecorded = null;
/* The element under the last press, described before the page could change it. */
/** @type {{ element: Element; described: RecordedElement } | null} */
let pressedElement = null;
/* The target of the last key. */
/** @type {Element | null} */
let keyedElement = null;
/* The field in which Enter is down: the browser clicks the form's button by itself. */
/** @type {Element | null} */
let enterIn = null;
/** @type {RecordedElement | null} */
let draggedElement = null;
/* The description of a field when the person began to type: its name may contain its value later. */
/** @type {WeakMap<Element, RecordedElement>} */
const typedFields = new WeakMap();
/* Each act in a frame names the frame's site. */
const isInFrame = window.parent !== window;
/* True from an act until the page shows something in answer. */
let awaitsAnswer = false;

/* More elements would make a press slow. */
const MOST_ALIKE_READ = 200;
const LONGEST_NEAR = 80;
/* Parts of a list, and other parts that belong together, as `choose.rs` knows them. */
const LIST_PARTS = new Set(['listitem', 'row', 'article', 'option', 'treeitem']);
const OTHER_PARTS = new Set(['form', 'dialog', 'region', 'group', 'tabpanel', 'figure']);
const HEADINGS = 'h1, h2, h3, h4, h5, h6, [role=heading]';
/* What tells a person that something was done. */
const ANSWERS = `${HEADINGS}, [role=alert], [role=status], dialog, [role=dialog], [role=alertdialog]`;
const LIVE = '[role=alert], [role=status], [aria-live=polite], [aria-live=assertive]';
/* Fields for codes and card numbers, whose values are secret too. */
const SECRET_FIELDS = /\b(one-time-code|cc-number|cc-csc|cc-exp)\b/;
/* Inputs that report `change`, and whose clicks say nothing more. */
const CHANGED_INPUTS = new Set(['checkbox', 'radio', 'file']);
const BUTTON_LIKE = new Set(['button', 'submit', 'reset', 'image']);
const MOVING_KEYS = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End']);

/** Reports acts from now on. @param {string} binding */
function beginRecording(binding) {
  tellRecorded = (report) => /** @type {any} */ (globalThis)[binding]?.(JSON.stringify(report));
  addEventListener('pointerover', meetRoot, { capture: true, passive: true });
  answers.observe(document, { childList: true, subtree: true, characterData: true });
  return null;
}

function endRecording() {
  tellRecorded = null;
  pressedElement = null;
  keyedElement = null;
  enterIn = null;
  draggedElement = null;
  removeEventListener('pointerover', meetRoot, { capture: true });
  answers.disconnect();
  return null;
}

/** @param {RecordedReport} report */
function reportAct(report) {
  awaitsAnswer = true;
  tellRecorded?.(isInFrame ? { ...report, frame: globalThis.origin } : report);
}

/** Asks for the closed root of an element before it is pressed. @param {Event} event */
function meetRoot(event) {
  const at = innerTarget(event);
  if (dom.nodeType(at) !== Node.ELEMENT_NODE) return;
  if (composedClosest(at, (element) => showsSuspect(element, dom.localName(element), SHOWN))) tellRecorded?.({ suspects: true });
}

const answers = new MutationObserver((changes) => {
  if (!awaitsAnswer || !tellRecorded) return;
  for (const { target, addedNodes } of changes.slice(0, 50)) {
    const at = dom.nodeType(target) === Node.ELEMENT_NODE ? /** @type {Element} */ (target) : dom.parentElement(target);
    const live = at && dom.isConnected(at) ? dom.closest(at, LIVE) : null;
    if (live && reportAnswer(live)) return;
    for (const node of addedNodes) {
      if (dom.nodeType(node) !== Node.ELEMENT_NODE || !dom.isConnected(node)) continue;
      const added = /** @type {Element} */ (node);
      const found = dom.matches(added, ANSWERS) ? added : dom.querySelector(added, ANSWERS);
      if (found && reportAnswer(dom.querySelector(found, HEADINGS) ?? found)) return;
    }
  }
});

/** @param {Element} element */
function reportAnswer(element) {
  const text = squeeze(dom.innerText(element) ?? '');
  // A number differs the next time.
  if (text.length < 3 || text.length > LONGEST_NEAR || /\d/.test(text) || !isVisible(element)) return false;
  awaitsAnswer = false;
  tellRecorded?.({ shown: text });
  return true;
}

/** Returns the element that a person means by pressing there. @param {Element} hit */
function meantElement(hit) {
  const control = composedClosest(hit, (element) => INTERACTIVE.has(roleOf(element)) || isEditingHost(element));
  if (control) return control;
  const label = /** @type {HTMLLabelElement | null} */ (composedClosest(hit, (element) => dom.localName(element) === 'label'));
  return label?.control ?? hit;
}

/** @param {Element} element */
const isTypedField = (element) =>
  dom.localName(element) === 'textarea' ||
  isEditingHost(element) ||
  (dom.localName(element) === 'input' && !CHANGED_INPUTS.has(element.type) && !BUTTON_LIKE.has(element.type));

/** Describes an element as a step of a flow does. @param {Element} element @returns {RecordedElement} */
function describeRecorded(element) {
  beginPass();
  const role = roleOf(element);
  const { at, ...described } = INTERACTIVE.has(role) ? { at: element, role, name: nameOf(element, role) } : describePointed(element);
  const among = described.name ? placeAmong(at, described.role, described.name) : { selector: ownSelector(at) };
  beginPass();
  return { label: describe(element), ...described, ...among };
}

/** Describes an element without a role that takes clicks, as snapshots list it. @param {Element} element */
function describePointed(element) {
  /** @type {any} */
  const walk = { cursorNodes: [], alike: new Map(), floating: new Map() };
  for (let /** @type {Element | null} */ at = element; at; at = composedParent(at)) {
    const parent = composedParent(at);
    const pointer = parent !== null && getComputedStyle(parent).cursor === 'pointer';
    noteCursor(at, false, { disabled: false, pointer, silent: false, inModal: true }, walk);
    if (walk.cursorNodes.length === 0) continue;
    const [, , , role, name] = walk.cursorNodes[0].split('\t');
    return { at, role, name };
  }
  return { at: element, role: '', name: '' };
}

/**
 * Returns what tells an element from others with the same role and name: words beside it, or its number.
 * @param {Element} element
 * @param {string} role
 * @param {string} name
 * @returns {{ near?: string; nth?: number }}
 */
function placeAmong(element, role, name) {
  /** @type {Element[]} */
  const alike = [];
  let read = 0;
  const likely = INTERACTIVE.has(role) ? `${dom.localName(element)}, [role="${role}"]` : dom.localName(element);
  eachRoot((root) => {
    for (const other of dom.querySelectorAll(root, likely)) {
      if (other !== element && ++read > MOST_ALIKE_READ) return;
      if (other === element || (isAlike(other, role, name) && isVisible(other))) alike.push(other);
    }
  });
  const at = alike.indexOf(element);
  if (alike.length < 2 || at < 0) return {};
  const others = alike.filter((other) => other !== element);
  const near = wordsBeside(element, name, others);
  return near ? { near } : { nth: at + 1 };
}

/** @param {Element} other @param {string} role @param {string} name */
const isAlike = (other, role, name) =>
  INTERACTIVE.has(role)
    ? roleOf(other) === role && nameOf(other, role) === name
    : clip(squeeze(dom.textContent(other) ?? ''), LONGEST_NEAR) === name;

/** @param {Element} element @param {string} name @param {Element[]} others */
function wordsBeside(element, name, others) {
  for (let at = composedParent(element); at; at = composedParent(at)) {
    const role = roleOf(at);
    const isItem = LIST_PARTS.has(role);
    if (!isItem && !OTHER_PARTS.has(role)) continue;
    if (others.some((other) => composedContains(/** @type {Element} */ (at), other))) break;
    const words = (isItem ? '' : nameOf(at, role)) || firstWords(at, name);
    if (words) return words;
    if (isItem) break;
  }
  return headingBefore(element, others);
}

/** Returns the heading of a part, or its first words. @param {Element} part @param {string} name */
function firstWords(part, name) {
  const heading = dom.querySelector(part, HEADINGS);
  const lines = [heading ? dom.innerText(heading) : '', ...(dom.innerText(part) ?? '').split('\n')];
  return lines.map((line) => squeeze(line ?? '')).find((line) => line && line !== name && line.length <= LONGEST_NEAR);
}

/** Returns the heading before an element unless one of the others has it too. @param {Element} element @param {Element[]} others */
function headingBefore(element, others) {
  // In the order of the document, so that no two are compared: that takes as long as they have siblings.
  const parts = Array.from(dom.querySelectorAll(dom.getRootNode(element), `${HEADINGS}, ${dom.localName(element)}, [role]`) ?? []);
  const at = parts.indexOf(element);
  /** @param {Element} part */
  const isHeading = (part) => dom.matches(part, HEADINGS) && isVisible(part);
  const start = parts.slice(0, at).findLastIndex(isHeading);
  if (start < 0) return undefined;
  const after = parts.slice(at + 1).findIndex(isHeading);
  const end = after < 0 ? parts.length : at + 1 + after;
  const section = new Set(parts.slice(start, end));
  if (others.some((other) => section.has(other))) return undefined;
  const words = squeeze(dom.innerText(parts[start]) ?? '');
  return words.length <= LONGEST_NEAR ? words : undefined;
}

/** Returns a selector that matches this element alone, by what its author named it. @param {Element} element */
function ownSelector(element) {
  for (const attribute of ['data-testid', 'id', 'name', 'aria-controls']) {
    const value = dom.getAttribute(element, attribute);
    if (!value || value.length > LONGEST_NEAR) continue;
    const selector = attribute === 'id' ? `#${CSS.escape(value)}` : `${dom.localName(element)}[${attribute}=${JSON.stringify(value)}]`;
    const found = resolveOne({ selector });
    if ('element' in found && found.element === element) return selector;
  }
  return undefined;
}

/** @param {PointerEvent} event */
function recordPress(event) {
  if (!tellRecorded || !event.isTrusted) return;
  const element = meantElement(innerTarget(event));
  pressedElement = { element, described: describeRecorded(element) };
}

/** @param {Element} field */
const isUsed = (field) => pressedElement?.element === field || keyedElement === field;

/** @param {Element} element */
const describedAsPressed = (element) => (pressedElement?.element === element ? pressedElement.described : describeRecorded(element));

/**
 * Returns what was clicked. A list that opens at the press covers its control, and the click then goes to an element that holds
 * both.
 * @param {Element} hit
 */
function clickedElement(hit) {
  const pressed = pressedElement?.element;
  if (!pressed || pressed === hit || !composedContains(hit, pressed)) return hit;
  const opens = dom.getAttribute(pressed, 'aria-haspopup') ?? dom.getAttribute(pressed, 'aria-expanded');
  return opens === null || opens === undefined ? hit : pressed;
}

/** @param {MouseEvent} event */
function recordClick(event) {
  if (!tellRecorded || !event.isTrusted) return;
  const hit = clickedElement(innerTarget(event));
  const element = meantElement(hit);
  const tag = dom.localName(element);
  // These report `change`; the press of a label is followed by the one of its control.
  if (tag === 'select' || tag === 'option' || (tag === 'input' && CHANGED_INPUTS.has(element.type))) return;
  if (element !== hit && tag !== 'button' && dom.localName(hit) === 'label') return;
  if (event.detail === 0 && enterIn && enterIn !== element) return;
  const act = { contextmenu: 'rightclick', dblclick: 'dblclick', click: 'click' }[event.type] ?? 'click';
  reportAct({ act, element: describedAsPressed(element), field: isTypedField(element) });
}

/** @param {Event} event */
function recordInput(event) {
  if (!tellRecorded || !event.isTrusted) return;
  const at = innerTarget(event);
  const field = composedClosest(at, isTypedField);
  if (!field || !isUsed(field)) return;
  const element = typedFields.get(field) ?? describedAsPressed(field);
  typedFields.set(field, element);
  if (isPassword(field)) reportAct({ act: 'password', element });
  else if (SECRET_FIELDS.test(dom.getAttribute(field, 'autocomplete') ?? '')) reportAct({ act: 'fill', element });
  else reportAct({ act: 'fill', element, value: isEditingHost(field) ? (dom.innerText(field) ?? '') : field.value });
}

/** @param {Event} event */
function recordChange(event) {
  if (!tellRecorded || !event.isTrusted) return;
  const field = innerTarget(event);
  const tag = dom.localName(field);
  if (tag === 'select') {
    const value = Array.from(field.selectedOptions, optionText).map(squeeze);
    reportAct({ act: 'select', element: describeRecorded(field), value: value[0] ?? '', several: value.length > 1 });
  } else if (tag === 'input' && field.type === 'file') {
    const files = Array.from(/** @type {any} */ (field).files ?? [], (/** @type {File} */ file) => file.name);
    reportAct({ act: 'upload', element: describeRecorded(field), value: files[0] ?? '', several: files.length !== 1 });
  } else if (tag === 'input' && CHANGED_INPUTS.has(field.type)) {
    // An arrow key ticks the next one of a group.
    const isNext = field.type === 'radio' && keyedElement !== null && roleOf(keyedElement) === 'radio';
    if (!isUsed(field) && !isNext) return;
    reportAct({ act: field.checked ? 'check' : 'uncheck', element: describedAsPressed(field) });
    pressedElement = null;
    keyedElement = null;
  }
}

/** @param {KeyboardEvent} event */
function recordKey(event) {
  if (!tellRecorded || !event.isTrusted || event.isComposing || MODIFIER_KEYS.has(event.key)) return;
  const element = meantElement(innerTarget(event));
  keyedElement = element;
  const isTyped = isTypedField(element);
  const tag = dom.localName(element);
  const modified = event.ctrlKey || event.metaKey || event.altKey;
  enterIn = event.key === 'Enter' && isTyped ? element : null;
  if (modified) {
    // A change that they make in a field comes as an `input` event.
    if (event.getModifierState('AltGraph') || isTyped || READING_KEYS.has(event.key.toLowerCase())) return;
  } else if (event.key === 'Enter') {
    // Elsewhere it is a click, or a new line.
    if (!(isTyped && tag === 'input') && INTERACTIVE.has(roleOf(element))) return;
    if (tag === 'textarea' || isEditingHost(element)) return;
  } else if (MOVING_KEYS.has(event.key)) {
    const chooses = roleOf(element) === 'combobox' ? tag !== 'select' : INTERACTIVE.has(roleOf(element)) && !isTyped && tag !== 'input';
    if (!chooses || tag === 'select') return;
  } else if (event.key !== 'Escape' && !/^F\d+$/.test(event.key)) return;
  const held = [event.ctrlKey && 'Control', event.altKey && 'Alt', event.metaKey && 'Meta', event.shiftKey && 'Shift'].filter(Boolean);
  reportAct({ act: 'press', key: [...held, event.key].join('+') });
}

/** @param {DragEvent} event */
function recordDrag(event) {
  if (!tellRecorded || !event.isTrusted) return;
  if (event.type === 'dragstart') draggedElement = describeRecorded(draggableAt(innerTarget(event)));
  else if (event.type === 'dragend') draggedElement = null;
  else if (draggedElement) {
    reportAct({ act: 'drag', element: draggedElement, to: describeRecorded(meantElement(innerTarget(event))) });
    draggedElement = null;
  }
}

/** @param {Element} hit */
const draggableAt = (hit) => composedClosest(hit, (element) => dom.getAttribute(element, 'draggable') === 'true') ?? meantElement(hit);

for (const [type, listener] of /** @type {[string, (event: any) => void][]} */ ([
  ['pointerdown', recordPress],
  ['click', recordClick],
  ['dblclick', recordClick],
  ['contextmenu', recordClick],
  ['input', recordInput],
  ['change', recordChange],
  ['keydown', recordKey],
  ['keyup', () => void (enterIn = null)],
  ['dragstart', recordDrag],
  ['drop', recordDrag],
  ['dragend', recordDrag],
])) {
  listenLastingly(type, listener, { capture: true, passive: true });
}
