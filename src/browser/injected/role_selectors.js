/*
 * The `role=` selector: `role=button[name="Save"][disabled]`, in Playwright's syntax.
 *
 * Owns its grammar. Roles, names and states are those of the snapshot.
 */

const ROLE_ATTRIBUTE =
  /\s*\[\s*([a-z-]+)\s*(?:([*^$]?=)\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/(?:\\.|[^/\\])*\/[a-z]*|[^\]\s]+)\s*([is])?)?\s*\]/y;

/**
 * Finds elements by `role=button[name="Save"][disabled]`. The name must match as a whole; `i` after it ignores case.
 * @param {string} body
 */
function byRole(body) {
  const { role, tests, includeHidden } = parseRole(body);
  /** @type {Element[]} */
  const found = [];
  /** @param {Element} element */
  const seek = (element) => {
    const tag = tagOf(element);
    if (NEVER_SHOWN.has(tag) || isOwnHost(element)) return;
    let shown = SHOWN;
    if (!includeHidden) {
      if (dom.getAttribute(element, 'aria-hidden') === 'true') return;
      shown = rendering(element);
      if (shown === GONE) return;
    }
    if (shown === SHOWN && roleOf(element) === role && tests.every((test) => test(element))) found.push(element);
    for (const child of composedChildren(element)) if (dom.nodeType(child) === Node.ELEMENT_NODE) seek(child);
  };
  if (dom.body(document)) seek(dom.body(document));
  return found;
}

/** @param {string} body */
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

/**
 * @param {string} role
 * @param {string} attribute
 * @param {string | undefined} operator
 * @param {string | undefined} value
 * @param {string | undefined} flag
 */
function roleTest(role, attribute, operator, value, flag) {
  if (attribute === 'name') {
    if (value === undefined) throw new SelectorError('role=…[name] needs a value');
    const matches = nameMatcher(operator, value, flag);
    return (/** @type {Element} */ element) => matches(nameOf(element, role));
  }
  const wanted = value === undefined ? 'true' : value.replace(/^["']|["']$/g, '');
  switch (attribute) {
    case 'checked':
      return (/** @type {Element} */ element) => (checkedState(element, role) || 'false') === wanted;
    case 'pressed':
      return (/** @type {Element} */ element) => (pressedState(element, role) || 'false') === wanted;
    case 'expanded':
      return (/** @type {Element} */ element) => expandedState(element) === wanted;
    case 'selected':
      return (/** @type {Element} */ element) => String(selectedState(element, role)) === wanted;
    case 'disabled':
      return (/** @type {Element} */ element) => String(isDisabled(element)) === wanted;
    case 'level':
      return (/** @type {Element} */ element) => String(levelOf(element, role)) === wanted;
    default:
      throw new SelectorError(
        `role= knows name, checked, pressed, expanded, selected, disabled, level and include-hidden, not ${attribute}`,
      );
  }
}

/** @param {string | undefined} operator @param {string} value @param {string | undefined} flag */
function nameMatcher(operator, value, flag) {
  const pattern = /^\/(.*)\/([a-z]*)$/s.exec(value);
  if (pattern) {
    const expression = regularExpression(pattern[1], pattern[2]);
    return (/** @type {string} */ name) => expression.test(name);
  }
  /** @param {string} text */
  const fold = (text) => (flag === 'i' ? text.toLowerCase() : text);
  const wanted = fold(squeeze(unquote(value)));
  switch (operator) {
    case '*=':
      return (/** @type {string} */ name) => fold(name).includes(wanted);
    case '^=':
      return (/** @type {string} */ name) => fold(name).startsWith(wanted);
    case '$=':
      return (/** @type {string} */ name) => fold(name).endsWith(wanted);
    default:
      return (/** @type {string} */ name) => fold(name) === wanted;
  }
}
