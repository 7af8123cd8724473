/*
 * Finds fields with a secret of the user, and removes secrets from the page's markup.
 *
 * Owns the decision for everything that reads a page: a password, even while the page shows it, and a token in a hidden
 * field. Never reads a secret except to remove it.
 */

const REDACTED = '[redacted]';
/* Words in a name that suggest a secret: those of src/command/privacy/secrets.rs. */
const SECRET_WORDS = new Set([
  'token',
  'secret',
  'password',
  'passwd',
  'pwd',
  'passphrase',
  'credential',
  'credentials',
  'auth',
  'authorization',
  'jwt',
  'bearer',
  'apikey',
  'session',
  'sessionid',
  'csrf',
  'xsrf',
]);

/* Fields that were password fields before: they still count if the page shows the password. */
/** @type {WeakSet<Element>} */
const secrets = new WeakSet();

/**
 * Returns true for a password field, even while the page shows the password, and for a field that shows dots by its
 * style.
 * @param {Element} element
 */
function isPassword(element) {
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'textarea') return false;
  if (element.type === 'password' || showsDots(element)) secrets.add(element);
  return secrets.has(element) || /\b(current|new)-password\b/.test(element.autocomplete);
}

/** @param {Element} element */
function showsDots(element) {
  const shown = dom.isConnected(element) ? getComputedStyle(element).getPropertyValue('-webkit-text-security') : '';
  return shown !== '' && shown !== 'none';
}

/** Matches names such as `csrfToken`, `_session-id`. @param {string | null} name */
const isSecretName = (name) =>
  (name ?? '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => SECRET_WORDS.has(word));

/**
 * Returns the attribute that contains a secret of the user or of the session; null if there is none.
 * @param {Element} element
 * @returns {'value' | 'content' | null}
 */
function secretAttribute(element) {
  const tag = tagOf(element);
  if (tag === 'meta') return isSecretName(dom.getAttribute(element, 'name')) ? 'content' : null;
  if (tag !== 'input' && tag !== 'textarea') return null;
  const isToken = element.type === 'hidden' && (isSecretName(dom.getAttribute(element, 'name')) || isSecretName(dom.id(element)));
  return isToken || isPassword(element) ? 'value' : null;
}

/** Returns a field's value, redacted if it is secret. @param {Element} field @returns {string} */
const readableValue = (field) => (field.value && secretAttribute(field) === 'value' ? REDACTED : (field.value ?? ''));

/**
 * Returns the elements below `root` that may contain a secret, in templates too.
 * @param {ParentNode} root
 * @returns {Element[]}
 */
function suspectsIn(root) {
  const found = Array.from(dom.querySelectorAll(root, 'input, textarea, meta'));
  for (const template of dom.querySelectorAll(root, 'template')) {
    found.push(...suspectsIn(/** @type {HTMLTemplateElement} */ (template).content));
  }
  return found;
}

/**
 * Copies an element into an inert document: its images are not fetched and its custom elements are not created.
 * @param {Element} element
 * @returns {Element}
 */
const inertCopy = (element) => dom.importNode(new DOMParser().parseFromString('', 'text/html'), element, true);

/**
 * Returns the element, or a copy of it without the secrets in its markup.
 * @param {Element} element
 * @returns {Element}
 */
function withoutSecrets(element) {
  const all = [element, ...suspectsIn(element)];
  const hidden = all.map(secretAttribute);
  if (!hidden.some((name) => name !== null)) return element;
  const copy = inertCopy(element);
  [copy, ...suspectsIn(copy)].forEach((one, at) => {
    const name = hidden[at];
    if (name && dom.hasAttribute(one, name)) dom.setAttribute(one, name, REDACTED);
    // The value of a text area in markup is its content.
    if (name && tagOf(one) === 'textarea') one.textContent = REDACTED;
  });
  return copy;
}

/* The secrets in this document's fields, to be removed from texts that the browser derives from the page. */
function secretValues() {
  const values = new Set();
  eachElement((/** @type {Element} */ element) => {
    if (element.value && secretAttribute(element) === 'value') values.add(element.value);
  });
  return Array.from(values);
}
