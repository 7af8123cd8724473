/*
 * Picking an element with keys, and the description of the picked element.
 *
 * Owns the keys during a pick. The browser's own inspect mode handles the pointer: its events never reach a document,
 * ours or the page's.
 */

/** @type {{ [key: string]: (element: Element) => Element | null | undefined }} */
const MOVES = {
  ArrowUp: (/** @type {Element} */ element) => composedParent(element),
  ArrowDown: (/** @type {Element} */ element) =>
    Array.from(composedChildren(element)).find((child) => dom.nodeType(child) === Node.ELEMENT_NODE && isVisible(child)),
  ArrowLeft: (/** @type {Element} */ element) => besides(element, 'previousElementSibling'),
  ArrowRight: (/** @type {Element} */ element) => besides(element, 'nextElementSibling'),
};

/** @param {Element} element @param {'previousElementSibling' | 'nextElementSibling'} which */
function besides(element, which) {
  for (let at = element[which]; at; at = at[which]) if (isVisible(at) && !isOwnHost(at)) return at;
  return null;
}

/** @type {((event: KeyboardEvent) => void) | null} */
let pickKeys = null;

/**
 * Starts a pick; returns this document's id. `binding`: the function that the daemon has added to this world.
 * @param {string} binding
 */
function beginPick(binding) {
  stopKeys();
  /** @param {PickWords} words */
  const tell = (words) => /** @type {any} */ (globalThis)[binding]?.(JSON.stringify({ document: DOCUMENT_ID, ...words }));
  pickKeys = (/** @type {KeyboardEvent} */ event) => {
    // A page can synthesize keys; only the user's keys may pick.
    if (!event.isTrusted || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = overlay.target?.element ?? null;
    if (event.key === 'Escape') tell({ ended: true });
    else if (event.key === 'Enter' && at) tell({ picked: numberOf(at) });
    else if (event.key === 'Tab') goTo(tabbed(at, event.shiftKey), tell);
    else if (MOVES[event.key]) goTo(at ? MOVES[event.key](at) : tabbed(null, false), tell);
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('keydown', pickKeys, { capture: true });
  return DOCUMENT_ID;
}

function stopKeys() {
  if (pickKeys) removeEventListener('keydown', pickKeys, { capture: true });
  pickKeys = null;
}

function endPick() {
  stopKeys();
  pointAt(null);
  return null;
}

/** @param {Element | null | undefined} element @param {(words: PickWords) => void} tell */
function goTo(element, tell) {
  if (!element || element === dom.documentElement(document)) return;
  scrollIntoView(element, 'nearest');
  tell({ at: numberOf(element) });
}

/** Returns the control after (or before) an element. @param {Element | null} from @param {boolean} backwards */
function tabbed(from, backwards) {
  /** @type {Element[]} */
  const controls = [];
  eachRoot((/** @type {Tree} */ root) => {
    for (const element of dom.querySelectorAll(
      root,
      'a[href], button, input, select, textarea, summary, [tabindex], [role], [contenteditable]',
    )) {
      if (!isOwnHost(element) && INTERACTIVE.has(roleOf(element)) && isVisible(element)) controls.push(element);
    }
  });
  if (!from) return backwards ? controls.at(-1) : controls[0];
  const wanted = backwards ? Node.DOCUMENT_POSITION_PRECEDING : Node.DOCUMENT_POSITION_FOLLOWING;
  const ordered = backwards ? controls.toReversed() : controls;
  return ordered.find((element) => element !== from && dom.compareDocumentPosition(from, element) & wanted) ?? ordered[0];
}

/**
 * Returns the number of the node that the browser reports under the pointer; 0 for a node of another document, or one
 * of ours.
 * @param {AnyNode} node
 */
function numberOfPicked(node) {
  const element = dom.nodeType(node) === Node.ELEMENT_NODE ? node : (dom.parentElement(node) ?? dom.getRootNode(node).host);
  if (!element || dom.ownerDocument(element) !== document || composedClosest(element, isOwnHost)) return 0;
  return numberOf(element);
}

/* The limit of a picked element's markup, in characters. */
const PICKED_HTML = 500;

/**
 * Returns {document, role, name, selector, url, rect, html}, or null if the element is no longer in the page.
 * @param {number} number
 */
function describePicked(number) {
  const element = elementOf(number);
  if (!element || !dom.isConnected(element)) return null;
  beginPass();
  const role = roleOf(element);
  const { x, y, width, height } = dom.getBoundingClientRect(element);
  return {
    document: DOCUMENT_ID,
    role: role || 'generic',
    name: nameOf(element, role),
    selector: cssName(element),
    url: location.href,
    rect: [x, y, width, height],
    html: clip(dom.outerHTML(withoutSecrets(element)), PICKED_HTML),
  };
}

/** Returns a CSS selector as a label: `button#save.primary`. @param {Element} element */
function cssName(element) {
  const id = dom.id(element) ? `#${CSS.escape(dom.id(element))}` : '';
  const classes = Array.from(dom.classList(element))
    .slice(0, 2)
    .map((name) => `.${CSS.escape(name)}`);
  return clip(tagOf(element) + id + classes.join(''), 200);
}
