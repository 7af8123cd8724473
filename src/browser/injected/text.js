/*
 * The `text=` selector.
 *
 * Owns the definition of an element's text for a search. Ignores visibility, except that visible matches take
 * precedence over hidden ones.
 */

/**
 * `text=Sign in` matches a part of the text, in any case. `text="Sign in"` matches the whole text, or else all text
 * between two elements. `text=/^Sign/i` is a regular expression. The innermost elements count; hidden ones only if no
 * visible one matches.
 * @param {string} body
 * @param {Element | null} scope
 */
function byText(body, scope) {
  const matcher = textMatcher(body);
  /** @type {Map<Element, string>} */
  const texts = new Map();
  const found = innermost(
    scope,
    (/** @type {Element} */ element) => matcher.part(squeeze(searchedText(element, texts))),
    (/** @type {Element} */ element) => matcher.whole(squeeze(searchedText(element, texts))),
  );
  if (found.length || !matcher.run) return seenFirst(found, scope);
  /** @param {Element} element */
  const holdsText = (element) => matcher.part(squeeze(searchedText(element, texts)));
  const runs = innermost(scope, holdsText, (/** @type {Element} */ element) => textRuns(element).some((run) => matcher.run(squeeze(run))));
  return seenFirst(runs, scope);
}

/** @param {Element[]} found @param {Element | null} scope */
function seenFirst(found, scope) {
  const rendered = [...new Set(found.map((element) => renderedAround(element, scope)))];
  const visible = rendered.filter(isVisible);
  return visible.length ? visible : rendered;
}

/**
 * Returns the element, or the nearest rendered one around a slot without a box: the slot's text is what that one shows.
 * @param {Element} element
 * @param {Element | null} scope
 */
function renderedAround(element, scope) {
  for (let at = /** @type {Element | null} */ (element); at && at !== scope; at = composedParent(at)) {
    if (tagOf(at) !== 'slot' || dom.getClientRects(at).length > 0) return at;
  }
  return element;
}

/**
 * Returns the innermost elements for which `fits` is true; descends only into elements that pass `mayHold`.
 * @param {Element | null} scope
 * @param {(element: Element) => boolean} mayHold
 * @param {(element: Element) => boolean} fits
 */
function innermost(scope, mayHold, fits) {
  /** @type {Element[]} */
  const found = [];
  /** @param {Element} element */
  const seek = (element) => {
    if (NEVER_SHOWN.has(tagOf(element)) || isOwnHost(element) || !mayHold(element)) return false;
    let inner = false;
    for (const child of composedChildren(element)) if (dom.nodeType(child) === Node.ELEMENT_NODE && seek(child)) inner = true;
    if (inner) return true;
    if (!fits(element)) return false;
    found.push(element);
    return true;
  };
  if (scope) for (const child of composedChildren(scope)) dom.nodeType(child) === Node.ELEMENT_NODE && seek(child);
  else if (dom.body(document)) seek(dom.body(document));
  return found;
}

/**
 * Returns {part, whole, run}: tests for a text that may contain a match, for a text that is a match as a whole, and for
 * a run of text between two elements that is one (absent: runs do not count).
 * @param {string} body
 */
function textMatcher(body) {
  const text = body.trim();
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(text);
  if (pattern) {
    const expression = regularExpression(pattern[1], pattern[2]);
    // A regular expression may match a descendant even if it does not match here.
    return { part: () => true, whole: (/** @type {string} */ candidate) => expression.test(candidate) };
  }
  if (/^(["']).*\1$/s.test(text) && text.length > 1) {
    const wanted = squeeze(unquote(text));
    /** @param {string} candidate */
    const isIt = (candidate) => candidate === wanted;
    return { part: (/** @type {string} */ candidate) => candidate.includes(wanted), whole: isIt, run: isIt };
  }
  const wanted = squeeze(text).toLowerCase();
  if (!wanted) throw new SelectorError('text= needs the text to look for');
  /** @param {string} candidate */
  const holds = (candidate) => candidate.toLowerCase().includes(wanted);
  return { part: holds, whole: holds };
}

/** Removes quotes: `"a \"b\""` → `a "b"`; a text without quotes stays as it is. @param {string} text */
const unquote = (text) => (/^(["']).*\1$/s.test(text) && text.length > 1 ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text);

/** @param {string} source @param {string} flags */
function regularExpression(source, flags) {
  try {
    return new RegExp(source, flags.replace(/[gy]/g, ''));
  } catch {
    throw new SelectorError(`not a valid regular expression: /${source}/${flags}`);
  }
}

/** Returns the value of an `<input>` button, which it shows. @param {Element} element */
const shownValue = (element) => (tagOf(element) === 'input' && BUTTON_INPUTS.has(element.type) ? element.value : '');

/** @param {Element} element @param {Map<Element, string> | null} known */
const searchedText = (element, known) => shownValue(element) || rawText(element, known);

/**
 * Returns the text in the composed tree, including hidden parts. `known` caches each element's text for one search.
 * @param {Element} element
 * @param {Map<Element, string> | null} [known]
 * @returns {string}
 */
function rawText(element, known = null) {
  const before = known?.get(element);
  if (before !== undefined) return before;
  let text = '';
  for (const child of composedChildren(element)) {
    if (dom.nodeType(child) === Node.TEXT_NODE) text += child.data;
    else if (dom.nodeType(child) === Node.ELEMENT_NODE && !NEVER_SHOWN.has(tagOf(child))) {
      const inner = shownValue(child) || rawText(child, known);
      text += INLINE.has(tagOf(child)) ? inner : ` ${inner} `;
    }
  }
  known?.set(element, text);
  return text;
}

/** Returns the texts between an element's children. @param {Element} element */
function textRuns(element) {
  const runs = [''];
  for (const child of composedChildren(element)) {
    if (dom.nodeType(child) === Node.TEXT_NODE) runs[runs.length - 1] += child.data;
    else if (dom.nodeType(child) === Node.ELEMENT_NODE) runs.push('');
  }
  return runs;
}
