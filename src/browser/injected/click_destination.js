/*
 * The effect of an action on an element according to the page's markup, and the control that really receives it.
 *
 * Owns the data that the policy checks before a click, a key press or typing, and the checks that input reaches only
 * the element that was checked. Sends no input; the reaction of the page's scripts is unknown.
 */

/* Elements that users operate directly: a click meant for an element around them must not reach them. */
const OWN_CONTROLS =
  'a[href], a[*|href], button, input, select, textarea, summary, label, area, [contenteditable=""], [contenteditable="true"], ' +
  '[role=button], [role=link], [role=menuitem], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=option]';
/* Elements that contain another document, in which any element may receive the input. */
const HOLDERS = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/**
 * Returns the control that contains `hit` and is inside `element`.
 * @param {Element} element
 * @param {Element | null} hit
 */
function controlWithin(element, hit) {
  const control = hit && composedClosest(hit, (/** @type {Element} */ at) => at === element || dom.matches(at, OWN_CONTROLS));
  return control && control !== element && composedContains(element, control) ? control : null;
}

/**
 * Returns the element that would receive a click at `hit` instead of the checked one: a control inside it, a link in
 * its label, another document. null: the checked element itself receives it.
 * @param {Element} element
 * @param {Element | null} hit
 */
function otherTaker(element, hit) {
  if (HOLDERS.has(tagOf(element))) return element;
  const taker =
    hit && composedClosest(hit, (/** @type {Element} */ at) => at === element || dom.matches(at, OWN_CONTROLS) || HOLDERS.has(tagOf(at)));
  if (!taker || taker === element || composedContains(taker, element)) return null;
  // A label and its control are equivalent.
  if (tagOf(element) === 'label' && element.control === taker) return null;
  if (tagOf(taker) === 'label' && taker.control === element) return null;
  // A link in text that is being edited is not followed.
  return tagOf(taker) === 'a' && dom.isContentEditable(element) && dom.isContentEditable(taker) ? null : taker;
}

/** @param {Element} taker */
const takenBy = (taker) =>
  HOLDERS.has(tagOf(taker))
    ? `${describe(taker)} holds another document: name an element in it`
    : `${describeWithText(taker)} would take it: name that element`;

/** Returns the element that typing into `element` goes to. @param {Element} element @returns {Element} */
const typedInto = (element) => (tagOf(element) === 'label' && element.control ? element.control : element);

/* The focused element of this document, in open shadow roots too. */
function focusedElement() {
  let focused = dom.activeElement(document);
  for (;;) {
    const root = focused && shadowOf(focused);
    const inner = root ? dom.activeElement(root) : null;
    if (!inner) break;
    focused = inner;
  }
  return focused;
}

function focusIsPassword() {
  const focused = focusedElement();
  return !!focused && isPassword(focused);
}

/**
 * Returns the destination of a click on an element, or of Enter or Space in it, by its markup alone: {url, form}, the
 * address of a link or of the form that is submitted. null: the markup gives none; the reaction of scripts is unknown.
 * @param {Element} element
 * @param {Activation} how
 */
function leadsTo(element, how) {
  const link = composedClosest(
    element,
    (/** @type {Element} */ at) =>
      (tagOf(at) === 'a' || tagOf(at) === 'area') && (dom.hasAttribute(at, 'href') || dom.hasAttribute(at, 'xlink:href')),
  );
  if (link) return { url: new URL(String(link.href?.baseVal ?? link.href), dom.baseURI(document)).href, form: false };
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
  // A field of the form may be named `action` and hide the form's own property.
  const action = dom.getAttribute(
    dom.hasAttribute(control, 'formaction') ? control : control.form,
    dom.hasAttribute(control, 'formaction') ? 'formaction' : 'action',
  );
  return { url: new URL(action ?? '', dom.baseURI(document)).href, form: true };
}

/** Like `leadsTo`, but returns null for an invalid address. @param {Element} element @param {Activation} how */
function leadsSomewhere(element, how) {
  try {
    return leadsTo(element, how);
  } catch {
    return null;
  }
}

/* The tags of controls: the nearest one around an element receives a click on it. */
const CONTROL_TAGS = new Set(['a', 'area', 'button', 'input', 'select', 'textarea', 'summary', 'option']);
/** @param {Element} element */
function controlOf(element) {
  return composedClosest(element, (/** @type {Element} */ at) => CONTROL_TAGS.has(tagOf(at)) || dom.hasAttribute(at, 'role')) ?? element;
}

/**
 * Returns true if keys write into it, so that Space is a character and Enter a new line or a form submission.
 * @param {Element} element
 */
const takesText = (element) =>
  tagOf(element) === 'textarea' || (tagOf(element) === 'input' && EDITABLE_INPUTS.has(element.type)) || dom.isContentEditable(element);

/*
 * The origin of this document. A document created by its page (`about:blank`, `srcdoc`) has the origin of its creator;
 * "null" is an opaque origin.
 */
const home = () => (/^https?:$/.test(location.protocol) ? location.href : self.origin);

/**
 * Describes the element of an action, as the user sees it in an approval: its destination, whether it submits a form,
 * its role and name, its document.
 * @param {Element} element
 * @param {Activation} how
 */
function subjectOf(element, how) {
  const leads = leadsSomewhere(element, how);
  beginPass();
  const control = controlOf(element);
  const role = roleOf(control) || 'generic';
  const name = nameOf(control, role) || clip(squeeze(dom.textContent(control) ?? ''), 200);
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

/**
 * Like `subjectOf`, for a key in the focused element of this document. If the focus is in a frame, that frame's document
 * must be asked.
 * @param {Activation} how
 */
function focusLeadsTo(how) {
  const focused = focusedElement();
  if (!focused || focused === dom.body(document) || HOLDERS.has(tagOf(focused))) return null;
  return { ...subjectOf(focused, how), hasFocus: dom.hasFocus(document) };
}

/**
 * Returns true if a press on one element and a release on the other are a click of a control.
 * @param {Element | null} pressed
 * @param {Element | null} released
 */
function isClick(pressed, released) {
  if (!pressed || !released) return false;
  const both = composedClosest(pressed, (/** @type {Element} */ at) => composedContains(at, released));
  return !!both && !!composedClosest(both, (/** @type {Element} */ at) => dom.matches(at, OWN_CONTROLS) && !dom.isContentEditable(at));
}
