/*
 * Lists that a page draws itself, for `select`.
 *
 * Owns the detection of such lists and of the option that they show. Never chooses an option.
 */

/** Returns true for an element that opens or is a list without a <select>. @param {Place} place */
function customList(place) {
  const element = heldElement(place);
  if (!element || tagOf(element) === 'select' || element.control) return { custom: false };
  const role = roleOf(element);
  const popup = ariaOf(element, 'aria-haspopup');
  return { custom: role === 'combobox' || role === 'listbox' || popup === 'listbox' };
}

/** The list itself, and what it refers to as its list. @param {Element} element */
const listsOf = (element) => [element, ...referencedBy(element, 'aria-controls'), ...referencedBy(element, 'aria-owns')];

/** Returns true for a list that shows options for what is typed into it. @param {Element} element */
const listsTyped = (element) => ['input', 'textarea'].includes(tagOf(element)) && isEditable(element);

/**
 * Counts the visible options with a name, and those of them that belong to the list. A page may show others under it.
 * @param {Target} target
 * @param {string} name
 */
function customOptions(target, name) {
  const { element } = resolveOne(target);
  const options = queryAll(`role=option[name=${JSON.stringify(name)}]`).filter(isVisible);
  const lists = element ? listsOf(element) : [];
  const own = options.filter((option) => lists.some((list) => composedContains(list, option)));
  return {
    options: options.length,
    own: own.length,
    open: !!element && ariaOf(element, 'aria-expanded') === 'true',
    typed: !!element && listsTyped(element),
  };
}

/**
 * Returns true if one of the parts of a shown text is the choice: `Size: Large ×` shows Large, `X-Large` does not.
 * @param {string} text
 * @param {string} wanted
 */
function showsChoice(text, wanted) {
  const bare = (/** @type {string} */ part) => squeeze(part).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  return [text, ...text.split(/[,;:|\n]/)].some(
    (part) => squeeze(part) === squeeze(wanted) || (bare(part) !== '' && bare(part) === bare(wanted)),
  );
}

/* How far around a list its choices are drawn: beside its text field, in one box. */
const AROUND_LEVELS = 5;

/**
 * Returns true if the choice is shown beside the list: pages draw what is chosen as chips around a text field.
 * @param {Element} list
 * @param {string} wanted
 */
function showsBeside(list, wanted) {
  /** @param {Element} element @returns {boolean} */
  const shows = (element) => {
    if (element === list || !isVisible(element) || ['option', 'listbox'].includes(roleOf(element))) return false;
    const children = Array.from(composedChildren(element));
    const inside = children.filter((child) => dom.nodeType(child) === Node.ELEMENT_NODE);
    const own = children.filter((child) => dom.nodeType(child) === Node.TEXT_NODE).map((child) => child.data);
    return squeeze(own.join('')) === squeeze(wanted) || inside.some(shows);
  };
  let around = composedParent(list);
  for (let level = 0; around && level < AROUND_LEVELS; level += 1, around = composedParent(around)) {
    const fields = dom.querySelectorAll(around, 'input:not([type=hidden]), select, textarea, [role=combobox], label');
    if (Array.from(fields).some((field) => field !== list && isVisible(field))) return false;
    if (shows(around)) return true;
  }
  return false;
}

/**
 * Waits a moment until the list shows a choice. → {chosen, shows}
 * @param {Target} target
 * @param {string} wanted
 */
async function customShows(target, wanted) {
  const deadline = performance.now() + CUSTOM_SHOWS_MS;
  /** @type {number | null} */
  let chosenAt = null;
  for (;;) {
    const resolved = resolveOne(target);
    if (!resolved.element) return resolved;
    const { element } = resolved;
    const text = valueOf(element, roleOf(element)) ?? readText(element);
    const lists = listsOf(element);
    const isList = roleOf(element) === 'listbox';
    const isSelected = (/** @type {Element} */ option) =>
      nameOf(option, 'option') === wanted &&
      (selectedState(option, 'option') || ariaOf(option, 'aria-checked') === 'true') &&
      ((!isList && lists.length === 1) || lists.some((list) => composedContains(list, option)));
    const isShown = !isList && (showsChoice(text, wanted) || showsBeside(element, wanted));
    const isChosen = isShown || everyElement((at) => roleOf(at) === 'option' && isSelected(at)).length > 0;
    if (!isChosen) chosenAt = null;
    // A page may take the choice back a moment later.
    else if (performance.now() - (chosenAt ??= performance.now()) >= CUSTOM_HOLDS_MS) return { chosen: true, shows: squeeze(text) };
    if (!isChosen && performance.now() >= deadline) return { chosen: false, shows: clip(squeeze(text), NAME_LIMIT) };
    await change(isChosen ? performance.now() + FRAME_FALLBACK_MS : deadline);
  }
}
const CUSTOM_HOLDS_MS = 150;
const CUSTOM_SHOWS_MS = 1000;
