/*
 * Selectors by the text that belongs to an element: `label=`, `placeholder=`, `alt=`, `title=`, `testid=`.
 *
 * Owns the comparison. Unquoted text matches a part, in any case; quoted text matches the whole; /…/ is a regular
 * expression. As in Playwright's getBy functions.
 */

/** @type {{ [engine: string]: string[] }} */
const BY_ATTRIBUTE = { placeholder: ['placeholder'], alt: ['alt'], title: ['title'] };
const TEST_ID = 'data-testid';
const BESIDE = /^(label|placeholder|alt|title|testid)=(.*)$/s;

/** @param {string} engine @param {string} body @returns {Element[]} */
function byBeside(engine, body) {
  if (!body.trim()) throw new SelectorError(`${engine}= needs what to look for`);
  if (engine === 'testid') {
    const wanted = unquote(body.trim());
    return everyElement((element) => dom.getAttribute(element, TEST_ID) === wanted);
  }
  const matcher = textMatcher(body);
  const matches = (/** @type {string | null} */ text) => text !== null && matcher.whole(squeeze(text));
  if (engine === 'label') return everyElement((element) => labelTexts(element).some(matches));
  return everyElement((element) => BY_ATTRIBUTE[engine].some((name) => matches(dom.getAttribute(element, name))));
}

/** @param {(element: Element) => boolean} fits @returns {Element[]} */
function everyElement(fits) {
  /** @type {Element[]} */
  const found = [];
  eachElement((element) => {
    if (fits(element)) found.push(element);
  });
  return found;
}

/**
 * Returns the texts of an element's labels: from `aria-labelledby`, else `aria-label`, and from `<label>`.
 * @param {Element} element
 * @returns {string[]}
 */
function labelTexts(element) {
  const by = dom.getAttribute(element, 'aria-labelledby');
  const named = by ? referenced(element, by) : [];
  if (named.length) return named.map((one) => rawText(one));
  const own = dom.getAttribute(element, 'aria-label');
  const texts = Array.from(element.labels ?? []).map((label) => rawText(label));
  if (own?.trim()) texts.push(own);
  return texts;
}

const AMONG = /^(nth|visible|has|has-not|has-text|has-not-text)=(.*)$/s;

/**
 * Returns the elements that contain a match of the inner selector.
 * @param {Element[]} found
 * @param {string} by
 * @param {string} value
 * @returns {Element[]}
 */
function amongHolding(found, by, value) {
  const wanted = !by.startsWith('has-not');
  if (by.endsWith('text')) {
    const matcher = textMatcher(value);
    return found.filter((element) => matcher.whole(squeeze(rawText(element))) === wanted);
  }
  const inner = stepsOf(unquote(value));
  return found.filter((element) => {
    /** @type {Element[]} */
    let within = [element];
    for (const step of inner) within = followStep(step, within);
    return within.length > 0 === wanted;
  });
}
