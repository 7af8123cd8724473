/*
 * Styles that few pages use, and that change what is listed or where: `content` with a picture, `interactivity`, `reading-flow`, scroll
 * buttons and markers.
 *
 * Caches during one pass which of them the style sheets use: asking every element would cost too much.
 */

/**
 * What the style sheets of one tree use.
 * @typedef {{ used: Set<string>; buttons: { selector: string; way: string; name: string }[] }} Rare
 */
/* What a sheet that cannot be read may use: only controls are asked about it. */
const UNTOLD = 'interactivity';
/** @type {Map<Tree, Rare>} */
let rareByTree = new Map();
const forgetRare = () => {
  rareByTree = new Map();
};

/** @param {Tree} root @returns {Rare} */
function rareIn(root) {
  let rare = rareByTree.get(root);
  if (rare) return rare;
  rare = { used: new Set(), buttons: [] };
  rareByTree.set(root, rare);
  if (!dom.styleSheets(root)) return rare;
  const budget = { rules: MOST_RULES };
  for (const sheet of [...dom.styleSheets(root), ...dom.adoptedStyleSheets(root)]) collectRare(sheet, rare, budget);
  for (const name of ['content', 'interactivity', 'reading-flow']) {
    if (dom.querySelector(root, `[style*="${name}:"]`)) rare.used.add(name);
  }
  return rare;
}

/** @param {{ readonly cssRules: CSSRuleList }} group @param {Rare} rare @param {{ rules: number }} budget */
function collectRare(group, rare, budget) {
  let rules;
  try {
    rules = group.cssRules;
  } catch {
    // Of another origin.
    rare.used.add(UNTOLD);
    return;
  }
  budget.rules -= rules.length;
  if (budget.rules < 0) {
    rare.used.add(UNTOLD);
    return;
  }
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) noteRare(rule, rare);
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) collectRare(rule.styleSheet, rare, budget);
    } else if ('cssRules' in rule && !(rule instanceof CSSKeyframesRule)) {
      collectRare(/** @type {CSSGroupingRule} */ (rule), rare, budget);
    }
  }
}

/** @param {CSSStyleRule} rule @param {Rare} rare */
function noteRare({ style, selectorText }, rare) {
  const { content } = style;
  if (content && /[/(]/.test(content)) rare.used.add('content');
  if (style.getPropertyValue('interactivity')) rare.used.add('interactivity');
  if (style.getPropertyValue('reading-flow') || style.getPropertyValue('reading-order')) rare.used.add('reading-flow');
  if (!content || content === 'none' || !selectorText.includes('::scroll-')) return;
  if (selectorText.includes('::scroll-marker')) rare.used.add('scroll-marker');
  for (const [, selector, way] of selectorText.matchAll(/([^,]*)::scroll-button\(([a-z*-]+)\)/g)) {
    if (selector.includes('&')) continue;
    rare.used.add('scroll-button');
    rare.buttons.push({ selector: selector.trim() || '*', way, name: squeeze(contentStrings(content)) });
  }
}

/** Returns true if a style of the element, or of one around it, may use the property. @param {Element} element @param {string} name */
function mayUse(element, name) {
  if (met && !met.rare.has(name)) return false;
  for (let /** @type {Tree | undefined} */ root = dom.getRootNode(element); root; root = root.host && dom.getRootNode(root.host)) {
    if (rareIn(root).used.has(name)) return true;
  }
  const own = shadowOf(element);
  return own !== null && rareIn(own).used.has(name);
}

/** Returns true for a control that `interactivity: inert` turns off. @param {Element} element */
const isTurnedOff = (element) =>
  mayUse(element, 'interactivity') && getComputedStyle(element).getPropertyValue('interactivity') === 'inert';

const SCROLLED_WAYS = ['up', 'left', 'right', 'down'];
/** @type {Record<string, string>} */
const LOGICAL_WAYS = { 'block-start': 'up', 'block-end': 'down', 'inline-start': 'left', 'inline-end': 'right' };

/**
 * Describes the scroll buttons and the scroll marker of an element: no script and no ref reaches them.
 * @param {Element} element
 * @returns {string[]}
 */
function scrollControls(element) {
  if (met && !met.rare.has('scroll-button') && !met.rare.has('scroll-marker')) return [];
  const { buttons, used } = rareIn(dom.getRootNode(element));
  const lines = [];
  if (buttons.length > 0) {
    /** @type {Map<string, string>} */
    const names = new Map();
    for (const { selector, way, name } of buttons) {
      if (!dom.matches(element, selector)) continue;
      for (const one of way === '*' ? SCROLLED_WAYS : [LOGICAL_WAYS[way] ?? way]) names.set(one, name);
    }
    const [wide, high] = [dom.scrollWidth(element) > dom.clientWidth(element), dom.scrollHeight(element) > dom.clientHeight(element)];
    for (const way of SCROLLED_WAYS) {
      const name = names.get(way);
      if (name !== undefined && (way === 'up' || way === 'down' ? high : wide))
        lines.push(`scroll button ${way} "${name}": scroll here ${way}`);
    }
  }
  if (used.has('scroll-marker')) {
    const { content } = getComputedStyle(element, '::scroll-marker');
    if (content !== 'none' && content !== 'normal' && content !== '') {
      const name = squeeze(contentStrings(content));
      lines.push(`scroll marker${name ? ` "${name}"` : ''}: scroll to this element`);
    }
  }
  return lines;
}

/**
 * Returns children in the order in which `reading-flow` has them read.
 * @template {Iterable<Node> | null} T
 * @param {Element} element
 * @param {T} children null: the element's own
 * @returns {T | Node[]}
 */
function inReadingFlow(element, children) {
  if (!mayUse(element, 'reading-flow')) return children;
  const style = getComputedStyle(element);
  const flow = style.getPropertyValue('reading-flow');
  if (!flow || flow === 'normal') return children;
  const byColumn = flow === 'grid-columns' || (flow === 'flex-visual' && style.flexDirection.startsWith('column'));
  const isVisual = flow === 'flex-visual' || flow === 'grid-rows' || flow === 'grid-columns';
  const toLeft = style.direction === 'rtl';
  let last = { reading: 0, order: 0, box: new DOMRect() };
  const places = Array.from(children ?? dom.childNodes(element), (/** @type {Node} */ node) => {
    if (dom.nodeType(node) === Node.ELEMENT_NODE && rendering(/** @type {Element} */ (node)) !== GONE) {
      const own = getComputedStyle(/** @type {Element} */ (node));
      last = {
        reading: Number(own.getPropertyValue('reading-order')) || 0,
        order: Number(own.order) || 0,
        box: dom.getBoundingClientRect(node),
      };
    }
    return { node, ...last };
  });
  /** @param {DOMRect} a @param {DOMRect} b */
  const acrossRow = (a, b) => (toLeft ? b.right - a.right : a.left - b.left);
  places.sort((a, b) => {
    if (a.reading !== b.reading) return a.reading - b.reading;
    if (flow === 'source-order') return 0;
    if (!isVisual) return a.order - b.order;
    if (byColumn) return a.box.left < b.box.right && b.box.left < a.box.right ? a.box.top - b.box.top : acrossRow(a.box, b.box);
    return a.box.top < b.box.bottom && b.box.top < a.box.bottom ? acrossRow(a.box, b.box) : a.box.top - b.box.top;
  });
  return places.map(({ node }) => node);
}
