/*
 * States, properties and values of an element, as the snapshot prints them.
 *
 * Owns `propertiesOf` and `valueOf`. Never reads the value of a password field.
 */

const CHECKABLE = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
const SELECTABLE = new Set(['option', 'tab', 'row', 'gridcell', 'columnheader', 'rowheader', 'treeitem']);
const EDITABLE_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton', 'listbox', 'slider', 'radiogroup', 'checkbox', 'switch']);
const EDITABLE_INPUTS = new Set([
  'text',
  'search',
  'url',
  'tel',
  'email',
  'password',
  'number',
  'date',
  'month',
  'week',
  'time',
  'datetime-local',
  'color',
  'range',
]);

/**
 * Returns `true`, `false` or `mixed`; '' if the element is not checkable.
 * @param {Element} element
 * @param {string} role
 */
function checkedState(element, role) {
  if (!CHECKABLE.has(role)) return role === 'option' ? (ariaOf(element, 'aria-checked') ?? '') : '';
  if (tagOf(element) === 'input' && (element.type === 'checkbox' || element.type === 'radio')) {
    return element.indeterminate ? 'mixed' : String(element.checked);
  }
  const value = ariaOf(element, 'aria-checked');
  return value === 'true' || value === 'mixed' ? value : 'false';
}

/** Returns true if the element is disabled by HTML, or by ARIA on itself or an ancestor. @param {Element} element */
const isDisabled = (element) => isNativelyDisabled(element) || isDisabledByAria(element);

/** Returns true if `aria-disabled` disables the element: its own, or that of an ancestor. @param {Element} element */
const isDisabledByAria = (element) => !!composedClosest(element, (/** @type {Element} */ at) => ariaOf(at, 'aria-disabled') === 'true');

/** @param {Element} element */
function isEditable(element) {
  const tag = tagOf(element);
  if (tag === 'input') return EDITABLE_INPUTS.has(element.type) && !element.readOnly;
  if (tag === 'textarea') return !element.readOnly;
  if (tag === 'select') return true;
  return dom.isContentEditable(element) === true || dom.editContext(element) !== null;
}

/** @param {Element} element @param {string} role */
function selectedState(element, role) {
  if (!SELECTABLE.has(role)) return false;
  if (tagOf(element) === 'option') return element.selected;
  return ariaOf(element, 'aria-selected') === 'true';
}

/** Returns `true`, `false`, or '' if it cannot expand. @param {Element} element */
function expandedState(element) {
  if (tagOf(element) === 'summary' && isSummaryOfDetails(element)) return String(dom.parentElement(element)?.open);
  const value = ariaOf(element, 'aria-expanded');
  if (value === 'true' || value === 'false') return value;
  const opened = openedBy(element);
  return opened && !composedContains(opened, element) ? String(dom.matches(opened, ':popover-open')) : '';
}

const OPENING = new Set(['toggle-popover', 'show-popover', 'hide-popover']);

/** Returns the popover that a button opens or closes, or null. @param {Element} element @returns {Element | null} */
function openedBy(element) {
  if (tagOf(element) !== 'button' && tagOf(element) !== 'input') return null;
  const { popoverTargetElement, commandForElement, command } = /** @type {any} */ (element);
  const opened = popoverTargetElement ?? (OPENING.has(command) ? commandForElement : null);
  return opened && dom.popover(opened) !== null ? opened : null;
}

/** @param {Element} element @param {string} role */
function pressedState(element, role) {
  if (role !== 'button') return '';
  const value = ariaOf(element, 'aria-pressed');
  return value === 'true' || value === 'mixed' || value === 'false' ? value : '';
}

/** @param {Element} element @param {string} role */
function levelOf(element, role) {
  const given = Number(ariaOf(element, 'aria-level'));
  if (Number.isInteger(given) && given > 0) return given;
  if (role !== 'heading') return 0;
  return /^h[1-6]$/.test(tagOf(element)) ? Number(tagOf(element)[1]) : 2;
}

/**
 * Returns `level=1, checked, disabled`; '' if there are none. `disabled` is inherited from the walk.
 * @param {Element} element
 * @param {string} role
 * @param {boolean} disabled
 */
function propertiesOf(element, role, disabled) {
  const list = [];
  const level = levelOf(element, role);
  if (level) list.push(`level=${level}`);
  const checked = checkedState(element, role);
  if (checked === 'true') list.push('checked');
  if (checked === 'mixed') list.push('checked=mixed');
  const pressed = pressedState(element, role);
  if (pressed === 'true') list.push('pressed');
  if (pressed === 'mixed') list.push('pressed=mixed');
  const expanded = expandedState(element);
  if (expanded) list.push(expanded === 'true' ? 'expanded' : 'collapsed');
  if (selectedState(element, role)) list.push('selected');
  if (disabled) list.push('disabled');
  if (EDITABLE_ROLES.has(role)) {
    if (element.required === true || ariaOf(element, 'aria-required') === 'true') list.push('required');
    if (element.readOnly === true && EDITABLE_INPUTS.has(element.type ?? 'text')) list.push('readonly');
    else if (ariaOf(element, 'aria-readonly') === 'true') list.push('readonly');
  }
  const invalid = ariaOf(element, 'aria-invalid');
  if (invalid && invalid !== 'false') list.push(invalid === 'true' ? 'invalid' : `invalid=${squeeze(invalid)}`);
  const current = ariaOf(element, 'aria-current');
  if (current && current !== 'false') list.push(current === 'true' ? 'current' : `current=${squeeze(current)}`);
  const popup = ariaOf(element, 'aria-haspopup');
  if (popup && popup !== 'false') list.push(popup === 'true' ? 'haspopup=menu' : `haspopup=${squeeze(popup)}`);
  if (element.type === 'password' && tagOf(element) === 'input') list.push('password');
  if (dom.activeElement(dom.getRootNode(element)) === element && element !== dom.body(document)) list.push('focused');
  return list.join(', ');
}

/** Returns a control's value as text; null if it has none. @param {Element} element @param {string} role */
function valueOf(element, role) {
  const tag = tagOf(element);
  switch (role) {
    case 'textbox':
    case 'searchbox':
    case 'combobox':
    case 'spinbutton':
      if (isPassword(element)) return element.value ? '[filled]' : '';
      if (tag === 'input' || tag === 'textarea') return squeeze(element.value);
      if (tag === 'select') return squeeze(Array.from(element.selectedOptions, optionText).join(', '));
      return ariaOf(element, 'aria-valuetext') !== null || ariaOf(element, 'aria-valuenow') !== null ? rangeText(element) : null;
    case 'slider':
    case 'scrollbar':
    case 'progressbar':
    case 'meter':
      return rangeText(element);
    default:
      return null;
  }
}

/** @param {Element} element */
function rangeText(element) {
  const given = ariaOf(element, 'aria-valuetext') ?? ariaOf(element, 'aria-valuenow');
  if (given !== null) return squeeze(given);
  if (tagOf(element) === 'progress') return element.position < 0 ? '' : String(element.value);
  return element.value === undefined ? '' : String(element.value);
}
