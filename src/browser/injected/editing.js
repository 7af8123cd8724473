/*
 * The in-page parts of select and scroll.
 *
 * Owns choosing options, and the way to an element. Every function acts at once on a place ({number, document}) from
 * `ready`, so that a cancelled command leaves nothing behind and a page that has changed is not touched.
 */

/**
 * Fires the event that a browser fires for a picked value: `input` crosses shadow boundaries, `change` does not.
 * @param {Element} element
 * @param {string} type
 */
function fire(element, type) {
  dom.dispatchEvent(element, new Event(type, { bubbles: true, composed: type === 'input' }));
}

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
  const found = optionsOf(select, wanted);
  if (found.fault !== undefined) return found;
  const chosen = found.options;
  const off = chosen.find((option) => dom.matches(option, ':disabled'));
  if (off) return { fault: 'value', message: `its option “${squeeze(off.text)}” is disabled` };
  dom.focus(select);
  for (const option of select.options) option.selected = chosen.includes(option);
  fire(select, 'input');
  fire(select, 'change');
  return {};
}

/**
 * Returns the options of a list that are wanted, by value, label or text.
 * @param {Element} select
 * @param {string[]} wanted
 * @returns {Refusal | { fault?: undefined; options: HTMLOptionElement[] }}
 */
function optionsOf(select, wanted) {
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
    chosen.push(option);
  }
  return { options: chosen };
}

/**
 * Returns an option and its <select> if a click on that option can only mean choosing it.
 * @param {Element} element
 * @returns {OptionPlace | null}
 */
function optionOf(element) {
  const select = tagOf(element) === 'option' ? dom.closest(element, 'select') : null;
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
  if (isDisabled(select) || dom.matches(option, ':disabled'))
    return { fault: 'value', message: `its option “${squeeze(option.text)}” is disabled` };
  dom.focus(select);
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
  const root = dom.scrollingElement(document) ?? dom.documentElement(document);
  if (dom.scrollHeight(root) > dom.clientHeight(root) + 1) {
    dom.scrollTo(root, { top: dom.scrollHeight(root), behavior: 'instant' });
    return { ok: true };
  }
  let at = elementAt({ x: innerWidth / 2, y: innerHeight / 2 });
  while (at && !(dom.scrollHeight(at) > dom.clientHeight(at) + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY)))
    at = composedParent(at);
  at ? dom.scrollTo(at, { top: dom.scrollHeight(at), behavior: 'instant' }) : undefined;
  return { ok: true };
}
