/*
 * Roles and states that custom elements have by their ElementInternals. No script sees them, so the browser is asked.
 *
 * Owns the choice of elements and what was told. Never asks: the daemon does.
 */

/* One question takes half a millisecond. */
const MOST_ASKED = 300;
/* element → its ARIA attributes by internals, and its role as `role`. */
/** @type {WeakMap<Element, { [attribute: string]: string }>} */
const internalsOf = new WeakMap();
/* Elements that had no role after the document was loaded. */
const withoutInternals = new WeakSet();

/**
 * Returns the custom elements that may have a role by their internals: those with one first, because its states change.
 * @returns {Element[]}
 */
function findAsked() {
  /** @type {Element[]} */
  const known = [];
  /** @type {Element[]} */
  const fresh = [];
  eachRoot((root) => {
    const walker = dom.createTreeWalker(document, root, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = /** @type {Element} */ (node);
      const tag = dom.localName(element);
      if (!tag.includes('-') || !isAsked(element, tag, rendering(element))) continue;
      if (internalsOf.has(element)) known.push(element);
      else if (fresh.length < MOST_ASKED) fresh.push(element);
    }
  });
  return [...known, ...fresh].slice(0, MOST_ASKED);
}

/**
 * Returns true if the browser must be asked about an element that a walk reaches: its role by internals, or its state.
 * @param {Element} element
 * @param {string} tag
 * @param {number} shown
 */
const isAsked = (element, tag, shown) =>
  tag.includes('-') &&
  !withoutInternals.has(element) &&
  !dom.hasAttribute(element, 'role') &&
  (internalsOf.has(element) || (shown === SHOWN && dom.matches(element, ':defined')));

/* The elements to ask about, or undefined. */
function listAsked() {
  const asked = findAsked();
  return asked.length > 0 ? asked : undefined;
}

/**
 * Stores what the browser knows of the listed elements, in their order; null for an element without a role, false for one
 * that is out of reach now.
 * @param {Element[]} asked
 * @param {({ [attribute: string]: string } | null | false)[]} told
 */
function tellInternals(asked, told) {
  const isLoaded = dom.readyState(document) === 'complete';
  asked.forEach((element, at) => {
    const known = told[at];
    if (known === false) return;
    if (known && KNOWN_ROLES.has(known.role)) internalsOf.set(element, known);
    else {
      internalsOf.delete(element);
      if (isLoaded) withoutInternals.add(element);
    }
  });
}

/** The role by internals, or ''. @param {Element} element */
const internalRole = (element) => {
  const role = internalsOf.get(element)?.role ?? '';
  return SYNONYMS.get(role) ?? role;
};

/** The value of an ARIA attribute, or of what stands for it in the internals. @param {Element} element @param {string} name */
const ariaOf = (element, name) => dom.getAttribute(element, name) ?? internalsOf.get(element)?.[name] ?? null;
