/*
 * Finds the fields of a sign-in and fills them in.
 *
 * Owns the decision which fields these are, and the checks right before each value: the origin of the field's document
 * and of every document around it, the kind of the field, the destination of its form. Check and value are one
 * synchronous step, so nothing can be exchanged in between but by the page's own listeners, after which it checks again.
 */

const CODE_WORDS = /(^|[^a-z])(otp|totp|2fa|mfa|twofactor|one[-_ ]?time|passcode|(verification|security|auth|authentication)[-_ ]?code)/;
const USER_WORDS = /(^|[^a-z])(user|username|login|loginid|userid|email|e-mail|account|identifier)/;
/* The types that a field may have at the moment when it gets its value. */
/** @type {Record<SignInField, Set<string>>} */
const SIGN_IN_TYPES = {
  user: new Set(['text', 'email', 'tel']),
  password: new Set(['password']),
  code: new Set(['text', 'tel', 'number', 'password']),
};

/**
 * Returns true for a document of this origin whose every surrounding document is of this origin too. A sandboxed one
 * without its origin and `about:srcdoc` are not.
 * @param {Document} inner
 * @param {string} origin
 */
function isAtOrigin(inner, origin) {
  const view = dom.defaultView(inner);
  if (!view || view.origin !== origin || view.location.origin !== origin) return false;
  return Array.from(view.location.ancestorOrigins).every((above) => above === origin);
}

/**
 * Returns all inputs of this document and of those of the same origin within it, in order.
 * @param {ParentNode} root
 * @param {string} origin
 * @returns {Element[]}
 */
function signInInputs(root, origin) {
  /** @type {Element[]} */
  const found = [];
  for (const element of dom.querySelectorAll(root, '*')) {
    if (tagOf(element) === 'input') found.push(element);
    const shadow = shadowOf(element);
    if (shadow) found.push(...signInInputs(shadow, origin));
    // Null for a frame of another origin.
    const inner = /** @type {any} */ (element).contentDocument;
    if (inner && tagOf(element) !== 'object' && isAtOrigin(inner, origin)) found.push(...signInInputs(inner, origin));
  }
  return found;
}

/** @param {Element} input */
const autocompleteOf = (input) => (dom.getAttribute(input, 'autocomplete') ?? '').toLowerCase().split(/\s+/);

/** The words by which a page names a field. @param {Element} input */
function wordsOf(input) {
  const labels = Array.from(input.labels ?? []).map((label) => dom.textContent(label) ?? '');
  const named = ['name', 'id', 'placeholder', 'aria-label'].map((name) => dom.getAttribute(input, name) ?? '');
  return squeeze([...named, ...labels].join(' '))
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/**
 * Returns true if the field can take a value of this kind now, in a document of the origin.
 * @param {Element} input
 * @param {SignInField} kind
 * @param {string} origin
 */
function takes(input, kind, origin) {
  if (tagOf(input) !== 'input' || !SIGN_IN_TYPES[kind].has(input.type)) return false;
  if (!dom.isConnected(input) || dom.matches(input, ':disabled') || input.readOnly) return false;
  return isAtOrigin(/** @type {Document} */ (dom.ownerDocument(input)), origin) && isVisible(input);
}

/** @param {object} prototype @param {string} name @param {object} of @returns {any} */
const own = (prototype, name, of) => Object.getOwnPropertyDescriptor(prototype, name)?.get?.call(of);

/**
 * Returns the other origin that the form of a field sends to, if it does. The page's markup may not name it by fields
 * called `action`: the browser's own getters are asked.
 * @param {Element} input
 * @param {string} origin
 */
function sendsElsewhere(input, origin) {
  const form = input.form;
  if (!form) return null;
  // Not by `elements`, which leaves image buttons out.
  const root = /** @type {ParentNode} */ (dom.getRootNode(input));
  const senders = Array.from(dom.querySelectorAll(root, '[formaction]')).filter((one) => one.form === form);
  const addresses = [own(HTMLFormElement.prototype, 'action', form)];
  for (const sender of senders) addresses.push(sender.formAction);
  for (const address of addresses) {
    const to = URL.canParse(address) ? new URL(address) : null;
    // A script that is called by the address is the page's own.
    if (to && to.protocol !== 'javascript:' && to.origin !== origin) return to.origin;
  }
  return null;
}

/**
 * Finds the fields. `several` names a kind with more than one candidate.
 * @param {string} origin
 * @param {SignInSelectors} given
 * @returns {{ user: Element | null; password: Element | null; code: Element | null; several: SignInField | null }}
 */
function findSignIn(origin, given) {
  const inputs = signInInputs(document, origin);
  /** @param {SignInField} kind */
  const able = (kind) => inputs.filter((input) => takes(input, kind, origin));
  /** @type {SignInField | null} */
  let several = null;
  /** @param {SignInField} kind @param {Element[]} found */
  const only = (kind, found) => {
    if (found.length > 1) several ??= kind;
    return found.length === 1 ? found[0] : null;
  };
  /** @param {SignInField} kind @param {() => Element | null} search */
  const field = (kind, search) => {
    const selector = given[kind];
    return selector
      ? only(
          kind,
          able(kind).filter((input) => dom.matches(input, selector)),
        )
      : search();
  };
  /** @param {Element} input @param {string} word */
  const says = (input, word) => autocompleteOf(input).includes(word);
  const code = field('code', () => {
    const marked = able('code').filter((input) => says(input, 'one-time-code'));
    if (marked.length) return only('code', marked);
    return only(
      'code',
      able('code').filter((input) => input.type !== 'password' && CODE_WORDS.test(wordsOf(input))),
    );
  });
  const password = field('password', () => {
    const all = able('password').filter((input) => input !== code && !says(input, 'new-password'));
    const marked = all.filter((input) => says(input, 'current-password'));
    return only('password', marked.length ? marked : all);
  });
  const user = field('user', () => {
    const all = able('user').filter((input) => input !== code);
    const marked = all.filter((input) => says(input, 'username'));
    if (marked.length) return only('user', marked);
    // The last field before the password in its form, as people fill them in.
    if (password) {
      const before = all.filter((input) => input.form === password.form && inputs.indexOf(input) < inputs.indexOf(password));
      return before.at(-1) ?? null;
    }
    const named = all.filter((input) => says(input, 'email') || input.type === 'email' || USER_WORDS.test(wordsOf(input)));
    return only('user', named);
  });
  return { user, password, code, several };
}

/**
 * Lists the fields, without any secret.
 * @param {string} origin
 * @param {SignInSelectors} given
 * @returns {SignInSeen}
 */
function seeSignIn(origin, given) {
  const none = { here: false, user: false, password: false, code: false, several: null };
  if (!isAtOrigin(document, origin)) return none;
  const { user, password, code, several } = findSignIn(origin, given);
  return { here: true, user: user !== null, password: password !== null, code: code !== null, several };
}

/**
 * Gives one field its value. Returns false if it may not have it any more.
 * @param {Element} input
 * @param {SignInField} kind
 * @param {string} value
 * @param {string} origin
 */
function giveValue(input, kind, value, origin) {
  // Dots, even if the page shows what is typed: screenshots would show it to a model.
  if (kind !== 'user') dom.style(input).setProperty('-webkit-text-security', 'disc', 'important');
  dom.focus(input);
  // The page's listeners ran.
  if (!takes(input, kind, origin) || sendsElsewhere(input, origin)) return false;
  if (kind !== 'user') secrets.add(input);
  input.value = value;
  dom.dispatchEvent(input, new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertText' }));
  fire(input, 'change');
  return true;
}

/**
 * Fills in the values that there are fields for. Finds the fields again: they may be others by now.
 * @param {string} origin
 * @param {SignInSelectors} given
 * @param {Partial<Record<SignInField, string>>} values
 * @param {boolean} submit
 * @returns {SignInDone}
 */
function fillSignIn(origin, given, values, submit) {
  if (!isAtOrigin(document, origin)) return { refused: 'origin', filled: [], submitted: false };
  const fields = findSignIn(origin, given);
  if (fields.several) return { refused: 'several', filled: [], submitted: false };
  /** @type {SignInField[]} */
  const filled = [];
  /** @type {Element | null} */
  let last = null;
  for (const kind of /** @type {SignInField[]} */ (['user', 'password', 'code'])) {
    const [input, value] = [fields[kind], values[kind]];
    if (!input && value !== undefined && kind !== 'user') return { refused: 'changed', filled, submitted: false };
    if (!input || value === undefined) continue;
    const elsewhere = sendsElsewhere(input, origin);
    if (elsewhere) return { refused: 'destination', elsewhere, filled, submitted: false };
    if (!giveValue(input, kind, value, origin)) return { refused: 'changed', filled, submitted: false };
    filled.push(kind);
    last = input;
  }
  const form = last?.form;
  if (!submit || !form || !last || sendsElsewhere(last, origin)) return { filled, submitted: false };
  // The browser would show the person what is wrong, and send nothing.
  const accepts = own(HTMLFormElement.prototype, 'noValidate', form) || dom.checkValidity(form);
  if (!accepts) return { filled, submitted: false };
  dom.requestSubmit(form);
  return { filled, submitted: true };
}
