/*
 * CSS selectors through open shadow roots, with Playwright's own pseudo-classes.
 *
 * Owns `:visible`, `:has-text()`, `:text()`, `:text-is()` and the matching across shadow boundaries. The browser
 * evaluates everything else.
 */

const OWN_PSEUDO = /:(?:visible(?![\w-])|has-text\(|text\(|text-is\()/;

/** @param {string} selector */
function byCss(selector) {
  const own = OWN_PSEUDO.test(selector);
  /** @type {Element[]} */
  let direct = [];
  try {
    // This also detects invalid CSS.
    direct = Array.from(dom.querySelectorAll(document, own ? withoutOwnPseudo(selector) : selector));
  } catch {
    throw new SelectorError(`not a valid CSS selector: ${selector}`);
  }
  /** @type {Tree[]} */
  const roots = [];
  eachRoot((at) => roots.push(at));
  if (roots.length === 1 && !own) return direct;
  /** @type {Set<Element>} */
  const found = new Set(own ? [] : direct);
  const alternatives = splitTop(selector, ',').map(compoundsOf);
  for (const at of roots) {
    for (const parts of alternatives) {
      const last = parts[parts.length - 1];
      for (const element of dom.querySelectorAll(at, last.css)) {
        if (
          !found.has(element) &&
          last.tests.every((/** @type {(element: Element) => boolean} */ test) => test(element)) &&
          chainMatches(element, parts, parts.length - 1)
        )
          found.add(element);
      }
    }
  }
  return inDocumentOrder(found);
}

/**
 * Returns the parent in the author's markup: not the slot for a slotted element, and the host for a child of a shadow
 * root.
 * @param {Element} element
 * @returns {Element | null}
 */
const writtenParent = (element) => dom.parentElement(element) ?? dom.getRootNode(element).host ?? null;

/** @param {Element} element @param {Compound} part */
const meets = (element, part) =>
  dom.matches(element, part.css) && part.tests.every((/** @type {(element: Element) => boolean} */ test) => test(element));

/**
 * Returns true if the compounds before `index` match around an element that matches the one at `index`.
 * @param {Element} element
 * @param {Compound[]} parts
 * @param {number} index
 * @returns {boolean}
 */
function chainMatches(element, parts, index) {
  if (index === 0) return true;
  const before = parts[index - 1];
  const next = parts[index].combinator === '+' || parts[index].combinator === '~' ? previous : writtenParent;
  const once = parts[index].combinator === '>' || parts[index].combinator === '+';
  for (let at = next(element); at; at = once ? null : next(at)) {
    if (meets(at, before) && chainMatches(at, parts, index - 1)) return true;
  }
  return false;
}

/** @param {Element} element */
const previous = (element) => dom.previousElementSibling(element);

/** `a > b:visible` → [{combinator: '', css: 'a', tests: []}, {combinator: '>', css: 'b', tests: [isVisible]}] @param {string} selector */
function compoundsOf(selector) {
  /** @type {Compound[]} */
  const parts = [];
  let combinator = '';
  let compound = '';
  const close = () => {
    if (compound) parts.push({ combinator: parts.length ? combinator || ' ' : '', ...readCompound(compound) });
    if (compound) combinator = '';
    compound = '';
  };
  for (const token of topTokens(selector.trim())) {
    if (/^\s$/.test(token)) close();
    else if (token === '>' || token === '+' || token === '~') {
      close();
      combinator = token;
    } else compound += token;
  }
  close();
  return parts;
}

/**
 * Takes our pseudo-classes out of a compound: {css, tests}.
 * @param {string} compound
 * @returns {{ css: string; tests: ((element: Element) => boolean)[] }}
 */
function readCompound(compound) {
  if (!OWN_PSEUDO.test(compound)) return { css: compound, tests: [] };
  /** @type {((element: Element) => boolean)[]} */
  const tests = [];
  let css = '';
  const tokens = [...topTokens(compound)];
  for (let at = 0; at < tokens.length; at += 1) {
    const name = tokens[at] === ':' ? /^(visible|has-text|text-is|text)$/.exec(wordAfter(tokens, at))?.[1] : undefined;
    const argument = name && tokens[at + 1 + name.length]?.startsWith('(') ? tokens[at + 1 + name.length].slice(1, -1) : null;
    if (!name || (name === 'visible') !== (argument === null)) {
      css += tokens[at];
      continue;
    }
    tests.push(ownTest(name, argument));
    at += name.length + (argument === null ? 0 : 1);
  }
  return { css: css || '*', tests };
}

/** Returns the letters that follow a token. @param {string[]} tokens @param {number} at */
function wordAfter(tokens, at) {
  let word = '';
  for (let next = at + 1; next < tokens.length && /^[\w-]$/.test(tokens[next]); next += 1) word += tokens[next];
  return word;
}

/** @param {string} name @param {string | null} argument @returns {(element: Element) => boolean} */
function ownTest(name, argument) {
  if (name === 'visible') return isVisible;
  const wanted = squeeze(unquote((argument ?? '').trim()));
  /** @type {Map<Element, string>} */
  const texts = new Map();
  /** @param {Element} element */
  const textOfIt = (element) => squeeze(rawText(element, texts));
  if (name === 'has-text') return (/** @type {Element} */ element) => textOfIt(element).toLowerCase().includes(wanted.toLowerCase());
  // As in `text=`: the innermost element, and no element that never shows its text.
  const matches =
    name === 'text-is'
      ? (/** @type {Element} */ element) => textOfIt(element) === wanted
      : (/** @type {Element} */ element) => textOfIt(element).toLowerCase().includes(wanted.toLowerCase());
  return (/** @type {Element} */ element) =>
    !NEVER_SHOWN.has(tagOf(element)) &&
    matches(element) &&
    !Array.from(composedChildren(element)).some((child) => dom.nodeType(child) === Node.ELEMENT_NODE && matches(child));
}

/** @param {string} selector */
const withoutOwnPseudo = (selector) =>
  splitTop(selector, ',')
    .map((one) =>
      compoundsOf(one)
        .map(({ combinator, css }) => `${combinator} ${css}`)
        .join(' '),
    )
    .join(', ');

/** @param {string} selector @param {string} separator */
function splitTop(selector, separator) {
  const parts = [''];
  for (const token of topTokens(selector)) {
    if (token === separator) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/**
 * Yields single characters outside of brackets, parentheses and strings; yields those as a whole.
 * @param {string} text
 */
function* topTokens(text) {
  let at = 0;
  while (at < text.length) {
    const start = at;
    if (text[at] === '\\') at += 2;
    else if ('([\'"'.includes(text[at])) at = closingOf(text, at);
    else at += 1;
    yield text.slice(start, at);
  }
}

/** @param {string} text @param {number} start @returns {number} */
function closingOf(text, start) {
  const opening = text[start];
  if (opening === '"' || opening === "'") {
    let at = start + 1;
    while (at < text.length && text[at] !== opening) at += text[at] === '\\' ? 2 : 1;
    return at + 1;
  }
  const closing = opening === '(' ? ')' : ']';
  let at = start + 1;
  while (at < text.length && text[at] !== closing) at = '([\'"'.includes(text[at]) ? closingOf(text, at) : at + (text[at] === '\\' ? 2 : 1);
  return at + 1;
}
