/*
 * The accessibility rules that a document breaks, as axe-core judges it.
 *
 * Owns one run of axe-core: what it may look at, its time limit, and what of its result is kept. axe-core itself is in
 * `vendor/axe-core` and comes into this world with the first audit of a document. Changes nothing in the page and makes no
 * requests.
 */

/* In characters. */
const LONGEST_REASON = 300;
/* What axe-core finds its way by. A page may give these names to elements: then a document or form has them in place of its own. */
// biome-ignore format: a list of words
const WALKED_BY = [
  'nodeName', 'nodeType', 'childNodes', 'firstChild', 'nextSibling', 'parentNode', 'parentElement', 'ownerDocument', 'getRootNode',
  'contains', 'compareDocumentPosition', 'children', 'querySelector', 'querySelectorAll',
];
// biome-ignore format: a list of words
const DOCUMENT_WALKED_BY = [
  'documentElement', 'body', 'head', 'defaultView', 'doctype', 'title', 'styleSheets', 'activeElement', 'scrollingElement',
  'getElementById', 'getElementsByTagName', 'elementFromPoint', 'elementsFromPoint', 'createElement', 'createRange',
  'createTextNode', 'createTreeWalker', 'implementation',
];
// biome-ignore format: a list of words
const FORM_WALKED_BY = [
  'tagName', 'localName', 'namespaceURI', 'shadowRoot', 'attributes', 'getAttribute', 'getAttributeNames', 'hasAttribute', 'hasAttributes',
  'matches', 'closest', 'getBoundingClientRect', 'getClientRects', 'cloneNode',
];

/* Rules about the page as a whole: what its main frame has is there for all frames. */
const PAGE_WIDE = ['bypass', 'landmark-one-main', 'page-has-heading-one', 'region'];

/* The time at which the run under way ends, the rule that it is at, and those that it did not finish. */
let auditEnd = 0;
let auditedRule = '';
const unfinishedRules = /** @type {Set<string>} */ (new Set());
/* The axe-core that was prepared for our runs. */
let preparedEngine = /** @type {any} */ (null);

/** axe-core as it was put into this world, else null. Never an element of the page that is called `axe`. @returns {any} */
function auditEngine() {
  const engine = Object.getOwnPropertyDescriptor(globalThis, 'axe')?.value;
  return typeof engine?.run === 'function' ? engine : null;
}

/** Makes the rules and checks end with the time: a rule that is late has nothing more to look at. @param {any} engine */
function prepareEngine(engine) {
  if (preparedEngine === engine) return;
  preparedEngine = engine;
  // axe-core reads this name as a global, and would find an element of the page with that id.
  Object.defineProperty(globalThis, '_elementInternals', { value: new WeakMap(), configurable: true });
  // Nobody reads the elements' HTML.
  engine.configure({ noHtml: true });
  const isLate = (/** @type {string} */ rule) => {
    if (performance.now() < auditEnd) return false;
    unfinishedRules.add(rule);
    return true;
  };
  for (const rule of engine._audit.rules) {
    const { gather, matches } = rule;
    rule.gather = (/** @type {unknown[]} */ ...given) => {
      auditedRule = rule.id;
      return isLate(rule.id) ? [] : gather.apply(rule, given);
    };
    rule.matches = (/** @type {unknown[]} */ ...given) => !isLate(rule.id) && matches.apply(rule, given);
  }
  for (const check of Object.values(engine._audit.checks)) {
    const { evaluate } = check;
    /** @this {unknown} @param {unknown[]} given */
    check.evaluate = function (...given) {
      return isLate(auditedRule) ? undefined : evaluate.apply(this, given);
    };
  }
}

/**
 * The property that an object's class gives it, whatever the page has called so.
 * @param {any} object
 * @param {any} prototype
 * @param {string} name
 */
function classProperty(object, prototype, name) {
  for (let at = prototype; at; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found) return found.get ? found.get.call(object) : found.value;
  }
  return undefined;
}

/**
 * Names of the document and of forms that the page has given to elements. Every script finds those in place of the real
 * property, also in this world, and overlooks what the page wants overlooked.
 * @returns {string[]}
 */
function shadowedNames() {
  const shadowed = new Set();
  const compare = (/** @type {any} */ object, /** @type {any} */ prototype, /** @type {string[]} */ names) => {
    for (const name of names) if (object[name] !== classProperty(object, prototype, name)) shadowed.add(name);
  };
  compare(document, Document.prototype, [...WALKED_BY, ...DOCUMENT_WALKED_BY]);
  if (shadowed.size > 0) return [...shadowed];
  eachElement((element) => {
    if (element instanceof HTMLFormElement) compare(element, HTMLFormElement.prototype, [...WALKED_BY, ...FORM_WALKED_BY]);
  });
  return [...shadowed];
}

/** Returns the requested rules and tags that do not exist. @param {any} engine @param {string[]} rules @param {string[]} tags */
function unknownToEngine(engine, rules, tags) {
  const known = engine.getRules();
  const knownRules = new Set(known.map((/** @type {{ ruleId: string }} */ rule) => rule.ruleId));
  const knownTags = new Set(known.flatMap((/** @type {{ tags: string[] }} */ rule) => rule.tags));
  return [...rules.filter((rule) => !knownRules.has(rule)), ...tags.filter((tag) => !knownTags.has(tag))];
}

/** The results as axe-core finishes them for the main frame. @param {any} engine @param {any[]} raw @param {object} options */
function finishInner(engine, raw, options) {
  const results = engine._audit.after(raw, options);
  results.forEach(engine.utils.publishMetaData);
  return results.map(engine.utils.finalizeRuleResult);
}

/** One rule with the first of its elements. @param {any} rule @param {any[]} nodes @param {number} most */
function auditedRuleOf(rule, nodes, most) {
  const elements = nodes.slice(0, most).map(({ node, none, all, any }) => {
    const reasons = [...none, ...all, ...any].map(({ message }) => squeeze(String(message ?? ''))).filter(Boolean);
    const { element } = node;
    return { number: numberOf(element), description: describe(element), reason: clip([...new Set(reasons)].join('; '), LONGEST_REASON) };
  });
  // The address without what it says of the asking program.
  const [url] = String(rule.helpUrl ?? '').split('?');
  return {
    rule: rule.id,
    impact: rule.impact ?? null,
    help: String(rule.help ?? ''),
    url,
    tags: rule.tags ?? [],
    count: nodes.length,
    elements,
  };
}

/**
 * Audits the document, or what its target holds. Without axe-core in this world: {missing}. A frame that takes no room,
 * or in which nothing is to be checked: {hidden}. Also {unknown: rules and tags} and {shadowed: names}, or a fault of
 * the target.
 * @param {Target | null} target
 * @param {{ rules: string[]; tags: string[]; most: number; limit: number; inner: boolean }} options
 * `limit`: milliseconds; `inner`: not the tab's main frame
 * @returns {Promise<Answer>}
 */
async function auditDocument(target, { rules, tags, most, limit, inner }) {
  const engine = auditEngine();
  if (!engine) return { missing: true };
  if (inner && (innerWidth === 0 || innerHeight === 0)) return { hidden: true };
  const shadowed = shadowedNames();
  if (shadowed.length > 0) return { shadowed };
  let include = /** @type {Node} */ (document);
  if (target) {
    const resolved = resolveOne(target);
    if (!resolved.element) return resolved;
    include = resolved.element;
  }
  prepareEngine(engine);
  const unknown = unknownToEngine(engine, rules, tags);
  if (unknown.length > 0) return { unknown };
  // A run that the browser has ended left this behind.
  if (engine._running) engine._running = false;
  engine.teardown();
  unfinishedRules.clear();
  auditEnd = performance.now() + limit;
  const own = [...dom.querySelectorAll(document, `[${OWN_HOST}]`)].filter(isOwnHost);
  const wanted = inner ? rules.filter((rule) => !PAGE_WIDE.includes(rule)) : rules;
  if (rules.length > 0 && wanted.length === 0) return { hidden: true };
  const only = rules.length > 0 ? { type: 'rule', values: wanted } : { type: 'tag', values: tags };
  const leftOut = ['frame-tested', ...(inner ? PAGE_WIDE : [])];
  const results = await engine.run(
    { include: [include], exclude: own, initiator: !inner, ...(target ? {} : { page: true }) },
    {
      // Each frame has a run of its own. Nothing is fetched.
      iframes: false,
      preload: false,
      rules: Object.fromEntries(leftOut.map((rule) => [rule, { enabled: false }])),
      ...(only.values.length > 0 ? { runOnly: only } : {}),
      reporter: (/** @type {any[]} */ raw, /** @type {object} */ options) => (inner ? finishInner(engine, raw, options) : raw),
    },
  );
  const report = {
    document: DOCUMENT_ID,
    version: String(engine.version),
    passed: /** @type {string[]} */ ([]),
    broken: /** @type {object[]} */ ([]),
    doubtful: /** @type {object[]} */ ([]),
    unfinished: /** @type {string[]} */ ([]),
  };
  for (const rule of results) {
    const isWhole = !rule.error && !unfinishedRules.has(rule.id);
    if (!isWhole) report.unfinished.push(rule.id);
    if (rule.violations.length > 0) report.broken.push(auditedRuleOf(rule, rule.violations, most));
    if (!isWhole) continue;
    if (rule.incomplete.length > 0) report.doubtful.push(auditedRuleOf(rule, rule.incomplete, most));
    else if (rule.violations.length === 0 && rule.passes.length > 0) report.passed.push(rule.id);
  }
  return report;
}
