/*
 * Selectors: from text to elements, in document order.
 *
 * Owns the choice of the engine (CSS, `text=`, `label=`, `role=`, `xpath=` …) and chains of them (`#list >> text=Two >>
 * nth=0`). The daemon resolves refs to a number of this document. Never decides what to do with several matches.
 */

class SelectorError extends Error {}

/**
 * Returns all matches of a selector, in document order, without our own host. Throws SelectorError.
 * @param {string} selector
 * @returns {Element[]}
 */
function queryAll(selector) {
  beginPass();
  /** @type {Element[] | null} */
  let found = null;
  for (const step of stepsOf(selector)) found = followStep(step, found);
  return (found ?? []).filter((element) => !composedClosest(element, isOwnHost));
}

/** Splits `a >> b` into ['a', 'b'], but not within quotes, brackets and parentheses. @param {string} selector */
function stepsOf(selector) {
  if (!selector.includes('>>')) return [selector.trim()];
  const steps = [''];
  let quote = '';
  for (let at = 0; at < selector.length; at += 1) {
    const character = selector[at];
    if (!quote && selector.startsWith('>>', at)) {
      steps.push('');
      at += 1;
      continue;
    }
    if (quote ? character === quote : '"\'`'.includes(character)) quote = quote ? '' : character;
    steps[steps.length - 1] += character;
  }
  const trimmed = steps.map((step) => step.trim());
  if (trimmed.some((step) => !step)) throw new SelectorError(`a step is missing around >>: ${selector}`);
  return trimmed;
}

/**
 * Returns the matches of one step within those of the previous step; null: within the document.
 * @param {string} step
 * @param {Element[] | null} scopes
 * @returns {Element[]}
 */
function followStep(step, scopes) {
  const chosen = AMONG.exec(step);
  if (chosen) return chooseAmong(scopes ?? [], chosen[1], chosen[2]);
  if (!scopes) return searchIn(step, null);
  const found = new Set();
  for (const scope of scopes) for (const element of searchIn(step, scope)) found.add(element);
  return scopes.length > 1 ? inDocumentOrder(found) : [...found];
}

/** @param {Element[]} found @param {string} by @param {string} value */
function chooseAmong(found, by, value) {
  if (by === 'visible') return found.filter((/** @type {Element} */ element) => isVisible(element) === (value !== 'false'));
  if (by.startsWith('has')) return amongHolding(found, by, value);
  const at = Number(value);
  if (!Number.isInteger(at)) throw new SelectorError(`nth= needs a number, from 0 on; -1 is the last: nth=${value}`);
  const element = found.at(at);
  return element ? [element] : [];
}

/**
 * Returns the matches inside an element, without the element itself, or in the document.
 * @param {string} step
 * @param {Element | null} scope
 */
function searchIn(step, scope) {
  /** @param {Element[]} found */
  const within = (found) =>
    scope ? found.filter((/** @type {Element} */ element) => element !== scope && composedContains(scope, element)) : found;
  if (step.startsWith('text=')) return byText(step.slice(5), scope);
  const beside = BESIDE.exec(step);
  if (beside) return within(byBeside(beside[1], beside[2]));
  if (step.startsWith('role=')) return within(byRole(step.slice(5)));
  if (step.startsWith('xpath=')) return byXPath(step.slice(6), scope);
  if (step.startsWith('//') || step.startsWith('(//')) return byXPath(step, scope);
  return within(byCss(step.startsWith('css=') ? step.slice(4) : step));
}

/** @param {string} expression @param {Element | null} scope */
function byXPath(expression, scope) {
  let result;
  try {
    const inScope = scope && expression.startsWith('/') ? `.${expression}` : expression;
    result = dom.evaluate(document, inScope, scope ?? document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch {
    throw new SelectorError(`not a valid XPath: ${expression}`);
  }
  const found = new Set();
  for (let i = 0; i < result.snapshotLength; i += 1) {
    const node = result.snapshotItem(i);
    const element = node && dom.nodeType(node) === Node.ELEMENT_NODE ? node : node && (node.ownerElement ?? dom.parentElement(node));
    if (element) found.add(element);
  }
  return [...found];
}

/** @param {Set<Element>} elements */
function inDocumentOrder(elements) {
  if (elements.size < 2) return [...elements];
  /** @type {Element[]} */
  const order = [];
  eachElement((/** @type {Element} */ element) => {
    if (elements.has(element)) order.push(element);
  });
  return order;
}

/**
 * Visits every element; shadow content comes right after its host.
 * @param {(element: Element) => void} visit
 * @param {Tree} [from]
 */
function eachElement(visit, from = document) {
  const walker = dom.createTreeWalker(document, from, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    visit(node);
    const shadow = shadowOf(node);
    if (shadow) eachElement(visit, shadow);
  }
}
