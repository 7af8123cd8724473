/*
 * Which fields hold a secret of the person, and the page's markup without it.
 *
 * Owns the judgement for everything that reads a page: a password, also while the page shows it, and a token that no person
 * sees. Never reads a secret but to leave it out.
 */

const REDACTED = '[redacted]';
/* Words of a name that say what it holds: those of src/command/privacy/secrets.rs. */
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

/* Fields that were seen to be a password's: a page that then shows it makes it no less one. */
/** @type {WeakSet<Element>} */
const secrets = new WeakSet();

/** A field whose text is a secret of the person, also while the page shows it, or that shows dots by its style. @param {Element} element */
function isPassword(element) {
  const tag = tagOf(element);
  if (tag !== 'input' && tag !== 'textarea') return false;
  if (element.type === 'password' || showsDots(element)) secrets.add(element);
  return secrets.has(element) || /\b(current|new)-password\b/.test(element.autocomplete);
}

/** @param {Element} element */
function showsDots(element) {
  const shown = element.isConnected ? getComputedStyle(element).getPropertyValue('-webkit-text-security') : '';
  return shown !== '' && shown !== 'none';
}

/** `csrfToken`, `_session-id`. @param {string | null} name */
const isSecretName = (name) =>
  (name ?? '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => SECRET_WORDS.has(word));

/** The attribute that holds a secret of the person or of their session; null: none does. @param {Element} element @returns {'value' | 'content' | null} */
function secretAttribute(element) {
  const tag = tagOf(element);
  if (tag === 'meta') return isSecretName(element.getAttribute('name')) ? 'content' : null;
  if (tag !== 'input' && tag !== 'textarea') return null;
  const isToken = element.type === 'hidden' && (isSecretName(element.getAttribute('name')) || isSecretName(element.id));
  return isToken || isPassword(element) ? 'value' : null;
}

/** A field's value for a reader. @param {Element} field @returns {string} */
const readableValue = (field) => (field.value && secretAttribute(field) === 'value' ? REDACTED : (field.value ?? ''));

/** What may hold a secret below `root`, in templates too. @param {ParentNode} root @returns {Element[]} */
function suspectsIn(root) {
  const found = Array.from(root.querySelectorAll('input, textarea, meta'));
  for (const template of root.querySelectorAll('template')) found.push(...suspectsIn(template.content));
  return found;
}

/** A copy in a document of its own: its pictures are not fetched and its custom elements are not made. @param {Element} element @returns {Element} */
const inertCopy = (element) => new DOMParser().parseFromString('', 'text/html').importNode(element, true);

/** The element, or a copy of it without the secrets that the page wrote into its markup. @param {Element} element @returns {Element} */
function withoutSecrets(element) {
  const all = [element, ...suspectsIn(element)];
  const hidden = all.map(secretAttribute);
  if (!hidden.some((name) => name !== null)) return element;
  const copy = inertCopy(element);
  [copy, ...suspectsIn(copy)].forEach((one, at) => {
    const name = hidden[at];
    if (name && one.hasAttribute(name)) one.setAttribute(name, REDACTED);
    // A text area's text is its content.
    if (name && tagOf(one) === 'textarea') one.textContent = REDACTED;
  });
  return copy;
}

/* Secrets in this document's fields, to be removed from texts that the browser makes of the page. */
function secretValues() {
  const values = new Set();
  eachElement((/** @type {Element} */ element) => {
    if (element.value && secretAttribute(element) === 'value') values.add(element.value);
  });
  return Array.from(values);
}
