/*
 * What an act on an element does by the page's markup, and which control really takes it.
 *
 * Owns what the policy is told before anything is clicked, pressed or typed, and what keeps input from going elsewhere than
 * to what was judged. Sends no input; what a page's scripts make of it is not known.
 */

/* What a person operates by itself: a click meant for something around it must not land on it. */
const OWN_CONTROLS =
  'a[href], a[*|href], button, input, select, textarea, summary, label, area, [contenteditable=""], [contenteditable="true"], ' +
  '[role=button], [role=link], [role=menuitem], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=option]';
/* What holds another document: who knows what takes the input there. */
const HOLDERS = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/** The control that holds `hit` and lies within `element`. @param {Element} element @param {Element | null} hit */
function controlWithin(element, hit) {
  const control = hit && composedClosest(hit, (/** @type {Element} */ at) => at === element || at.matches(OWN_CONTROLS));
  return control && control !== element && composedContains(element, control) ? control : null;
}

/**
 * What would take a click at `hit` in place of the element that was judged: a control within it, a link in its label, another
 * document. null: none, the element itself takes it.
 * @param {Element} element
 * @param {Element | null} hit
 */
function otherTaker(element, hit) {
  if (HOLDERS.has(tagOf(element))) return element;
  const taker =
    hit && composedClosest(hit, (/** @type {Element} */ at) => at === element || at.matches(OWN_CONTROLS) || HOLDERS.has(tagOf(at)));
  if (!taker || taker === element || composedContains(taker, element)) return null;
  // The two stand for each other.
  if (tagOf(element) === 'label' && element.control === taker) return null;
  if (tagOf(taker) === 'label' && taker.control === element) return null;
  // A link in text that is being written is not followed.
  return tagOf(taker) === 'a' && element.isContentEditable && taker.isContentEditable ? null : taker;
}

/** @param {Element} taker */
const takenBy = (taker) =>
  HOLDERS.has(tagOf(taker))
    ? `${describe(taker)} holds another document: name an element in it`
    : `${describeWithText(taker)} would take it: name that element`;

/** What typing goes into when this element is named. @param {Element} element @returns {Element} */
const typedInto = (element) => (tagOf(element) === 'label' && element.control ? element.control : element);

/* What has the focus in this document, in open shadow roots too. */
function focusedElement() {
  let focused = document.activeElement;
  for (let root = focused && shadowOf(focused); root?.activeElement; root = shadowOf(focused)) focused = root.activeElement;
  return focused;
}

function focusIsPassword() {
  const focused = focusedElement();
  return !!focused && isPassword(focused);
}

/**
 * Where a click on an element leads by its markup alone, or Enter or Space in it: {url, form}, a link's address or that of
 * the form which is sent. null: nowhere that the markup tells; what scripts do is not known.
 * @param {Element} element
 * @param {Activation} how
 */
function leadsTo(element, how) {
  const link = composedClosest(
    element,
    (/** @type {Element} */ at) =>
      (tagOf(at) === 'a' || tagOf(at) === 'area') && (at.hasAttribute('href') || at.hasAttribute('xlink:href')),
  );
  if (link) return { url: new URL(String(link.href?.baseVal ?? link.href), document.baseURI).href, form: false };
  /** @param {Element} at */
  const sends = (at) => {
    const tag = tagOf(at);
    return (
      (tag === 'button' && at.type === 'submit') || (tag === 'input' && (how === 'enter' || at.type === 'submit' || at.type === 'image'))
    );
  };
  const control =
    composedClosest(element, sends) ?? composedClosest(element, (/** @type {Element} */ at) => tagOf(at) === 'label')?.control;
  if (!control?.form || !sends(control)) return null;
  // A field of the form may be called `action` and hide the form's own.
  const action = (control.hasAttribute('formaction') ? control : control.form).getAttribute(
    control.hasAttribute('formaction') ? 'formaction' : 'action',
  );
  return { url: new URL(action ?? '', document.baseURI).href, form: true };
}

/** The same; an address that can't be read leads nowhere. @param {Element} element @param {Activation} how */
function leadsSomewhere(element, how) {
  try {
    return leadsTo(element, how);
  } catch {
    return null;
  }
}

/* The control that takes a click on an element: the nearest button, link or field around it. */
const CONTROL_TAGS = new Set(['a', 'area', 'button', 'input', 'select', 'textarea', 'summary', 'option']);
/** @param {Element} element */
function controlOf(element) {
  return composedClosest(element, (/** @type {Element} */ at) => CONTROL_TAGS.has(tagOf(at)) || at.hasAttribute('role')) ?? element;
}

/** Whether keys write into it, so that Space is a letter and Enter a line or the end of a form. @param {Element} element */
const takesText = (element) =>
  tagOf(element) === 'textarea' || (tagOf(element) === 'input' && EDITABLE_INPUTS.has(element.type)) || element.isContentEditable;

/* Whose document this is. One that its page wrote (`about:blank`, `srcdoc`) is of who wrote it; "null" is nobody's. */
const home = () => (/^https?:$/.test(location.protocol) ? location.href : self.origin);

/**
 * What is acted on, as a person is told: where it leads, whether it sends a form, its role and name, its document.
 * @param {Element} element
 * @param {Activation} how
 */
function subjectOf(element, how) {
  const leads = leadsSomewhere(element, how);
  beginPass();
  const control = controlOf(element);
  const role = roleOf(control) || 'generic';
  const name = nameOf(control, role) || clip(squeeze(control.textContent ?? ''), 200);
  return {
    url: leads?.url ?? '',
    form: leads?.form ?? false,
    submits: leads?.form ?? false,
    role,
    name,
    takesText: takesText(element),
    document: DOCUMENT_ID,
    home: home(),
  };
}

/** The same of a key in what has the focus in this document. In a frame it is another document's to say. @param {Activation} how */
function focusLeadsTo(how) {
  const focused = focusedElement();
  if (!focused || focused === document.body || HOLDERS.has(tagOf(focused))) return null;
  return { ...subjectOf(focused, how), hasFocus: document.hasFocus() };
}

/** Whether a press at the one place and a release at the other are a click of a control. @param {Element | null} pressed @param {Element | null} released */
function isClick(pressed, released) {
  if (!pressed || !released) return false;
  const both = composedClosest(pressed, (/** @type {Element} */ at) => composedContains(at, released));
  return !!both && !!composedClosest(both, (/** @type {Element} */ at) => at.matches(OWN_CONTROLS) && !at.isContentEditable);
}
