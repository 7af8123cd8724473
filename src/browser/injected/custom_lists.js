/*
 * Lists that a page draws itself, for `select`.
 *
 * Owns the detection of such lists and of the option that they show. Never chooses an option.
 */

/** Returns true for an element that opens or is a list without a <select>. @param {Place} place */
function customList(place) {
  const element = heldElement(place);
  if (!element || tagOf(element) === 'select' || element.control) return { custom: false };
  const field = /** @type {HTMLInputElement} */ (/** @type {unknown} */ (element));
  if (tagOf(element) === 'input' && field.list) return { custom: false, suggests: true };
  const role = roleOf(element);
  const popup = ariaOf(element, 'aria-haspopup');
  return { custom: role === 'combobox' || role === 'listbox' || popup === 'listbox' };
}

/** The list itself, and what it refers to as its list. @param {Element} element */
const listsOf = (element) => [element, ...referencedBy(element, 'aria-controls'), ...referencedBy(element, 'aria-owns')];

/** Returns true for a list that shows options for what is typed into it. @param {Element} element */
const listsTyped = (element) => ['input', 'textarea'].includes(tagOf(element)) && isEditable(element);

/* How many elements around a list may take its clicks instead. */
const AROUND_LEVELS = 5;

/** Returns the box that floats over the page with this list in it, or null. @param {Element} list */
const popupOf = (list) =>
  composedClosest(list, (at) => dom.hasAttribute(at, 'popover') || ['absolute', 'fixed'].includes(getComputedStyle(at).position));

/**
 * Returns the visible elements that show a name in the popups of lists: a page may draw its options without a role, beside
 * others that only assistive technology sees.
 * @param {Element} element
 * @param {string} name
 */
function drawnOptions(element, name) {
  const popups = new Set(listsOf(element).slice(1).map(popupOf));
  /** @type {Set<Element>} */
  const found = new Set();
  for (const popup of popups) {
    if (!popup || composedContains(popup, element)) continue;
    for (const at of dom.querySelectorAll(popup, '*')) {
      if (squeeze(dom.textContent(at) ?? '') !== squeeze(name) || !isVisible(at)) continue;
      const parent = dom.parentElement(at);
      if (parent) found.delete(parent);
      found.add(at);
    }
  }
  return [...found];
}

/**
 * Finds the visible options with a name, and those of them that belong to the list: a page may show others under it.
 * `number`: the option to click, if there is exactly one; `opener`: what takes the clicks of the list.
 * @param {Target} target
 * @param {string} name
 */
function customOptions(target, name) {
  const { element } = resolveOne(target);
  const options = queryAll(`role=option[name=${JSON.stringify(name)}]`).filter(isVisible);
  const lists = element ? listsOf(element) : [];
  const inside = options.filter((option) => lists.some((list) => composedContains(list, option)));
  const own = inside.length > 0 || !element ? inside : drawnOptions(element, name);
  const open = !!element && ariaOf(element, 'aria-expanded') === 'true';
  const among = own.length > 0 ? own : options;
  /** @type {Element | null} */
  let opener = element ?? null;
  for (let level = 0; opener && getComputedStyle(opener).pointerEvents === 'none'; level += 1)
    opener = level < AROUND_LEVELS ? composedParent(opener) : null;
  return {
    options: options.length,
    own: own.length,
    open,
    typed: !!element && listsTyped(element) && focusedElement() === element,
    holds: element && listsTyped(element) ? element.value : '',
    number: among.length === 1 && among[0] ? numberOf(among[0]) : null,
    opener: opener && opener !== element ? numberOf(opener) : null,
  };
}

/**
 * Waits until an option with a name is visible in the list, or in the page unless `others`. → as `customOptions`
 * @param {Target} target
 * @param {string} name
 * @param {boolean} others
 * @param {number} timeout
 */
async function customAppears(target, name, others, timeout) {
  const deadline = performance.now() + timeout;
  for (;;) {
    const state = customOptions(target, name);
    if (state.own > 0 || (state.options > 0 && !others) || performance.now() >= deadline) return state;
    await change(deadline);
  }
}

/**
 * Scrolls an open list from its start until it draws an option with a name: long lists only draw what is in view.
 * → as `customOptions`
 * @param {Target} target
 * @param {string} name
 */
async function customReveals(target, name) {
  const deadline = performance.now() + CUSTOM_SCROLLS_MS;
  const { element } = resolveOne(target);
  const boxes = new Set((element ? listsOf(element).slice(1) : []).map((list) => popupOf(list) ?? list));
  const scrolls = (/** @type {Element} */ at) =>
    dom.scrollHeight(at) > dom.clientHeight(at) + 1 && dom.clientHeight(at) > 1 && getComputedStyle(at).overflowY !== 'visible';
  const scroller = [...boxes].flatMap((box) => [box, ...dom.querySelectorAll(box, '*')]).find(scrolls);
  for (let top = 0; scroller && performance.now() < deadline; ) {
    dom.scrollTo(scroller, { top, behavior: 'instant' });
    await nextFrame();
    await nextFrame();
    const state = customOptions(target, name);
    if (state.own > 0) return state;
    if (dom.scrollTop(scroller) + dom.clientHeight(scroller) >= dom.scrollHeight(scroller) - 1) break;
    top = dom.scrollTop(scroller) + Math.max(dom.clientHeight(scroller) * 0.8, 1);
  }
  return customOptions(target, name);
}
const CUSTOM_SCROLLS_MS = 10_000;

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
  // Its choices are drawn beside its text field, in one box.
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

/**
 * Returns true if the page draws another list in place of a `<select>` that nobody sees, and this one shows none of the
 * chosen options: some only read the `<select>` once.
 * @param {Element} select
 */
function isShownByNone(select) {
  const { width, height } = dom.getBoundingClientRect(select);
  const isSeen = width > 1 && height > 1 && !composedClosest(select, (at) => hidesAll(at, getComputedStyle(at)) !== '');
  const labels = Array.from(select.selectedOptions, (/** @type {HTMLOptionElement} */ option) => squeeze(option.text)).filter(Boolean);
  if (isSeen || labels.length === 0) return false;
  let at = select;
  for (let level = 0; level < DRAWN_BESIDE_LEVELS; level += 1) {
    const around = dom.parentElement(at);
    if (!around) return false;
    const beside = Array.from(dom.children(around)).filter((one) => one !== at && isVisible(one));
    if (beside.length <= MOST_BESIDE && beside.some((one) => dom.matches(one, DRAWN_LISTS) || dom.querySelector(one, DRAWN_LISTS))) {
      const parts = beside.flatMap((one) => dom.innerText(one).split(/[\n\t]/));
      return !labels.some((label) => parts.some((part) => showsChoice(part, label)));
    }
    at = around;
  }
  return false;
}
/* How far around a hidden <select> a page draws another list, and beside how many elements: else it is another field's. */
const DRAWN_BESIDE_LEVELS = 2;
const MOST_BESIDE = 4;
const DRAWN_LISTS = '[role=combobox], [role=listbox], [aria-haspopup], input:not([type=hidden])';
