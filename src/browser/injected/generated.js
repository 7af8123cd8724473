/*
 * Which elements may have text from a style sheet (`::before`, `::after` with `content`).
 *
 * Caches the style sheets during one pass. Asking the browser for the style of a pseudo-element that
 * is not there is the dearest question of a pass, so it is asked only where a rule of the element's tree could make one.
 * Where that can't be told from the rules, every element is asked. Never reads what the text is.
 */

/* More rules, or more selectors, would cost more than they save. */
const MOST_RULES = 3000;
const MOST_SELECTORS = 100;
const PSEUDO = /::?(?:before|after)(?![\w-])/g;
/* A selector that begins with the pseudo-element, or has it right behind a combinator, means any element. */
const BARE_PSEUDO = /(^|[\s>+~,(])(?=::?(?:before|after)(?![\w-]))/g;

/* root → the elements that a rule may give text to, or null: any; for one pass. */
/** @type {Map<Tree, Set<Element> | null>} */
let generatedByTree = new Map();
const forgetGenerated = () => {
  generatedByTree = new Map();
};

/* A tree without a rule that makes text, `:host` and `::slotted()` included. */
/** @type {Set<Element>} */
const NO_RULE = new Set();

/** @param {Tree} root */
function generatedIn(root) {
  let found = generatedByTree.get(root);
  if (found === undefined) {
    found = generatingIn(root);
    generatedByTree.set(root, found);
  }
  return found;
}

/** Returns true if a rule of the tree makes text. @param {Tree} root */
const hasGenerating = (root) => generatedIn(root) !== NO_RULE;

/** @param {Element} element */
function mayGenerate(element) {
  if (met?.generates === false) return false;
  const root = dom.getRootNode(element);
  const found = generatedIn(root);
  if (found === null || found.has(element)) return true;
  // Rules of another tree: `:host`, `::slotted()`, `::part()`.
  return (
    shadowOf(element) !== null ||
    dom.assignedSlot(element) !== null ||
    dom.localName(element) === 'slot' ||
    (root !== document && dom.hasAttribute(element, 'part'))
  );
}

/** The elements of one document or shadow tree, or null where any may be meant. @param {Tree} root */
function generatingIn(root) {
  if (!dom.styleSheets(root)) return null;
  /** @type {string[]} */
  const selectors = [];
  const budget = { rules: MOST_RULES };
  for (const sheet of [...dom.styleSheets(root), ...dom.adoptedStyleSheets(root)]) {
    if (!collectGenerating(sheet, selectors, budget) || selectors.length > MOST_SELECTORS) return null;
  }
  if (selectors.length === 0) return NO_RULE;
  try {
    return new Set(dom.querySelectorAll(root, selectors.join(',')));
  } catch {
    return null;
  }
}

/**
 * Adds the selectors of one sheet or group of rules; false where they can't be told.
 * @param {{ readonly cssRules: CSSRuleList }} group
 * @param {string[]} selectors
 * @param {{ rules: number }} budget
 */
function collectGenerating(group, selectors, budget) {
  let rules;
  try {
    rules = group.cssRules;
  } catch {
    // Of another origin.
    return false;
  }
  budget.rules -= rules.length;
  if (budget.rules < 0) return false;
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      // Nested rules say their selectors in words of the outer one.
      if (rule.cssRules.length > 0 && /content/.test(rule.cssText)) return false;
      if (!sayText(rule.style.content)) continue;
      const selector = plainSelector(rule.selectorText);
      if (selector === null) return false;
      if (selector) selectors.push(selector);
    } else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet && !collectGenerating(rule.styleSheet, selectors, budget)) return false;
    } else if (rule instanceof CSSKeyframesRule || !('cssRules' in rule)) {
      if (rule instanceof CSSKeyframesRule && /content/.test(rule.cssText)) return false;
    } else if (rule instanceof CSSGroupingRule && !(globalThis.CSSScopeRule && rule instanceof CSSScopeRule)) {
      if (!collectGenerating(rule, selectors, budget)) return false;
    } else if (/content/.test(rule.cssText)) {
      return false;
    }
  }
  return true;
}

/** A value of `content` that may be text: a string that is not empty, or one from an attribute or a variable. @param {string} content */
const sayText = (content) => /"[^"]|attr\(|var\(/.test(content);

/** The elements that a pseudo-element's selector is about; '' where it has none, null where it can't be told. @param {string} selector */
function plainSelector(selector) {
  if (!selector.match(PSEUDO)) return '';
  if (/["'&]/.test(selector)) return null;
  return selector.replace(BARE_PSEUDO, '$1*').replace(PSEUDO, '');
}
