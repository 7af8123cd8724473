/*
 * Selectors: from text to elements, in document order.
 *
 * Owns CSS through open shadow roots, `text=`, `role=` and `xpath=`. Refs are resolved by the daemon to a
 * number of this document. Never decides what to do with several matches.
 */

class SelectorError extends Error {}

/* All matches of a selector, in document order, our own host left out. Throws SelectorError. */
function queryAll(selector, root = document) {
  beginPass();
  const text = selector.trim();
  let found;
  if (text.startsWith('text=')) found = byText(text.slice(5));
  else if (text.startsWith('role=')) found = byRole(text.slice(5));
  else if (text.startsWith('xpath=')) found = byXPath(text.slice(6));
  else if (text.startsWith('//') || text.startsWith('(//')) found = byXPath(text);
  else found = byCss(text.startsWith('css=') ? text.slice(4) : text, root);
  return found.filter((element) => !composedClosest(element, isOwnHost));
}

function byXPath(expression) {
  let result;
  try {
    result = document.evaluate(expression, document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
  } catch {
    throw new SelectorError(`not a valid XPath: ${expression}`);
  }
  const found = [];
  for (let i = 0; i < result.snapshotLength; i += 1) {
    const node = result.snapshotItem(i);
    const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement;
    if (element && !found.includes(element)) found.push(element);
  }
  return found;
}

/* ---- CSS ---- */

function byCss(selector, root) {
  let direct;
  try {
    direct = Array.from(root.querySelectorAll(selector));
  } catch {
    throw new SelectorError(`not a valid CSS selector: ${selector}`);
  }
  const roots = [];
  eachRoot((at) => roots.push(at), root);
  if (roots.length === 1) return direct;
  const found = new Set(direct);
  const alternatives = splitTop(selector, ',').map(compoundsOf);
  for (const at of roots) {
    for (const parts of alternatives) {
      for (const element of at.querySelectorAll(parts[parts.length - 1].compound)) {
        if (!found.has(element) && chainMatches(element, parts, parts.length - 1)) found.add(element);
      }
    }
  }
  return inDocumentOrder(found);
}

/* Whether the compounds before `index` are met around an element that meets the one at `index`. */
function chainMatches(element, parts, index) {
  if (index === 0) return true;
  const { compound } = parts[index - 1];
  switch (parts[index].combinator) {
    case '>': {
      const parent = composedParent(element);
      return !!parent && parent.matches(compound) && chainMatches(parent, parts, index - 1);
    }
    case '+': {
      const before = element.previousElementSibling;
      return !!before && before.matches(compound) && chainMatches(before, parts, index - 1);
    }
    case '~':
      for (let at = element.previousElementSibling; at; at = at.previousElementSibling) {
        if (at.matches(compound) && chainMatches(at, parts, index - 1)) return true;
      }
      return false;
    default:
      for (let at = composedParent(element); at; at = composedParent(at)) {
        if (at.matches(compound) && chainMatches(at, parts, index - 1)) return true;
      }
      return false;
  }
}

/* `a > b c` → [{combinator: '', compound: 'a'}, {'>', 'b'}, {' ', 'c'}] */
function compoundsOf(selector) {
  const parts = [];
  let combinator = '';
  let compound = '';
  const close = () => {
    if (compound) parts.push({ combinator: parts.length ? combinator || ' ' : '', compound });
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

function splitTop(selector, separator) {
  const parts = [''];
  for (const token of topTokens(selector)) {
    if (token === separator) parts.push('');
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/* Single characters outside of brackets, parentheses and strings; these come whole. */
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

function inDocumentOrder(elements) {
  const order = [];
  eachElement((element) => {
    if (elements.has(element)) order.push(element);
  });
  return order;
}

/* Every element, shadow content right after its host. */
function eachElement(visit, from = document) {
  const walker = document.createTreeWalker(from, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    visit(node);
    if (node.shadowRoot) eachElement(visit, node.shadowRoot);
  }
}

/* ---- text= ---- */

/*
 * `text=Sign in`: part of the text, any case. `text="Sign in"`: the whole text. `text=/^Sign/i`: a pattern.
 * The innermost elements count; hidden ones only where no visible one matches.
 */
function byText(body) {
  const matches = textMatcher(body);
  const found = [];
  const texts = new Map();
  const seek = (element) => {
    const tag = tagOf(element);
    if (NEVER_SHOWN.has(tag) || isOwnHost(element)) return false;
    const text = tag === 'input' ? (BUTTON_INPUTS.has(element.type) ? element.value : '') : rawText(element, texts);
    // A pattern or a whole text may match inside although it does not match here.
    if (!matches.mayContain(squeeze(text))) return false;
    let inner = false;
    for (const child of composedChildren(element)) if (child.nodeType === Node.ELEMENT_NODE && seek(child)) inner = true;
    if (inner) return true;
    if (!matches(squeeze(text))) return false;
    found.push(element);
    return true;
  };
  if (document.body) seek(document.body);
  const visible = found.filter(isVisible);
  return visible.length ? visible : found;
}

function textMatcher(body) {
  const text = body.trim();
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(text);
  if (pattern) {
    const expression = regularExpression(pattern[1], pattern[2]);
    const matcher = (candidate) => expression.test(candidate);
    matcher.mayContain = () => true;
    return matcher;
  }
  const quoted = /^(["'])(.*)\1$/s.exec(text);
  if (quoted) {
    const wanted = squeeze(quoted[2]);
    const matcher = (candidate) => candidate === wanted;
    matcher.mayContain = (candidate) => candidate.includes(wanted);
    return matcher;
  }
  const wanted = squeeze(text).toLowerCase();
  if (!wanted) throw new SelectorError('text= needs the text to look for');
  const matcher = (candidate) => candidate.toLowerCase().includes(wanted);
  matcher.mayContain = matcher;
  return matcher;
}

function regularExpression(source, flags) {
  try {
    return new RegExp(source, flags.replace(/[gy]/g, ''));
  } catch {
    throw new SelectorError(`not a valid regular expression: /${source}/${flags}`);
  }
}

/* The text in the composed tree, hidden parts included. `known` keeps each element's, so that a search reads it once. */
function rawText(element, known = null) {
  const before = known?.get(element);
  if (before !== undefined) return before;
  let text = '';
  for (const child of composedChildren(element)) {
    if (child.nodeType === Node.TEXT_NODE) text += child.data;
    else if (child.nodeType === Node.ELEMENT_NODE && !NEVER_SHOWN.has(tagOf(child))) {
      text += INLINE.has(tagOf(child)) ? rawText(child, known) : ` ${rawText(child, known)} `;
    }
  }
  known?.set(element, text);
  return text;
}

/* ---- role= ---- */

const ROLE_ATTRIBUTE = /\s*\[\s*([a-z-]+)\s*(?:([*^$]?=)\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/(?:\\.|[^/\\])*\/[a-z]*|[^\]\s]+)\s*([is])?)?\s*\]/y;

/* `role=button[name="Save"][disabled]`; a quoted name is the whole name, with `i` in any case. */
function byRole(body) {
  const { role, tests, includeHidden } = parseRole(body);
  const found = [];
  const seek = (element) => {
    const tag = tagOf(element);
    if (NEVER_SHOWN.has(tag) || isOwnHost(element)) return;
    let shown = SHOWN;
    if (!includeHidden) {
      if (element.getAttribute('aria-hidden') === 'true') return;
      shown = rendering(element);
      if (shown === GONE) return;
    }
    if (shown === SHOWN && roleOf(element) === role && tests.every((test) => test(element))) found.push(element);
    for (const child of composedChildren(element)) if (child.nodeType === Node.ELEMENT_NODE) seek(child);
  };
  if (document.body) seek(document.body);
  return found;
}

function parseRole(body) {
  const head = /^\s*([a-z]+)/i.exec(body);
  if (!head) throw new SelectorError(`role= needs a role: role=button[name="Save"]`);
  const given = head[1].toLowerCase();
  const role = given === 'image' ? 'img' : given;
  const tests = [];
  let includeHidden = false;
  let at = head[0].length;
  while (at < body.trimEnd().length) {
    ROLE_ATTRIBUTE.lastIndex = at;
    const match = ROLE_ATTRIBUTE.exec(body);
    if (!match) throw new SelectorError(`not understood in role=: ${body.slice(at)}`);
    at = ROLE_ATTRIBUTE.lastIndex;
    const [, attribute, operator, value, flag] = match;
    if (attribute === 'include-hidden') includeHidden = value !== 'false';
    else tests.push(roleTest(role, attribute, operator, value, flag));
  }
  return { role, tests, includeHidden };
}

function roleTest(role, attribute, operator, value, flag) {
  if (attribute === 'name') {
    if (value === undefined) throw new SelectorError('role=…[name] needs a value');
    const matches = nameMatcher(operator, value, flag);
    return (element) => matches(nameOf(element, role));
  }
  const wanted = value === undefined ? 'true' : value.replace(/^["']|["']$/g, '');
  switch (attribute) {
    case 'checked':
      return (element) => (checkedState(element, role) || 'false') === wanted;
    case 'pressed':
      return (element) => (pressedState(element, role) || 'false') === wanted;
    case 'expanded':
      return (element) => expandedState(element) === wanted;
    case 'selected':
      return (element) => String(selectedState(element, role)) === wanted;
    case 'disabled':
      return (element) => String(isDisabled(element)) === wanted;
    case 'level':
      return (element) => String(levelOf(element, role)) === wanted;
    default:
      throw new SelectorError(`role= knows name, checked, pressed, expanded, selected, disabled, level and include-hidden, not ${attribute}`);
  }
}

function nameMatcher(operator, value, flag) {
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(value);
  if (pattern) {
    const expression = regularExpression(pattern[1], pattern[2]);
    return (name) => expression.test(name);
  }
  const quoted = /^(["'])(.*)\1$/s.exec(value);
  const fold = (text) => (flag === 'i' || !quoted ? text.toLowerCase() : text);
  const wanted = fold(squeeze(quoted ? quoted[2].replace(/\\(.)/g, '$1') : value));
  switch (operator) {
    case '*=':
      return (name) => fold(name).includes(wanted);
    case '^=':
      return (name) => fold(name).startsWith(wanted);
    case '$=':
      return (name) => fold(name).endsWith(wanted);
    default:
      return (name) => fold(name) === wanted;
  }
}
