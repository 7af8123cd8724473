/*
 * Our one element in this document: it contains everything of gstack that the user sees in a page.
 *
 * Owns the host and its closed shadow root, or adopts those of the extension's content script, so that a page never
 * contains more than one. The rules of `:host` are important and in the inner tree: no style of the page overrides
 * them. Every number is set through the CSSOM: the page's CSP may forbid inline styles.
 */

/* Words in the host's attribute. They change the drawing, never the abilities of the page. */
const HIDDEN = 'hidden'; // a screenshot is being taken
const YIELDING = 'yielding'; // our input is on its way: our elements must not receive it

const HOST_RULES = `
  :host { all: initial !important; display: block !important; position: fixed !important; left: 0 !important;
    top: 0 !important; width: 0 !important;
    height: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
  :host([${OWN_HOST}~="${HIDDEN}"]) { display: none !important; }
  :host::backdrop { display: none !important; }`;

/** @type {ShadowRoot | null} */
let ownRoot = null;

/* Our listeners run before the page's: they hide from the page that our element enters the top layer. */
for (const type of ['beforetoggle', 'toggle']) {
  listenLastingly(
    type,
    (/** @type {Event} */ event) => {
      if (event.target === ownRoot?.host) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}

/* Called before drawing: if there is a root of the content script, it arrives through `adoptRoot`. */
const hasRoot = () => ownRoot !== null;

/**
 * Adopts the root of our content script; the daemon gets it from the extension's world, which no page can access.
 * @param {ShadowRoot} root
 */
function adoptRoot(root) {
  ownRoot ??= root;
  return null;
}

/*
 * Returns the root to draw into, with its host in the page. If the page removes the host, the next change adds it
 * again.
 */
function openRoot() {
  if (!ownRoot) {
    const host = dom.createElement(document, 'div');
    dom.setAttribute(host, OWN_HOST, '');
    // In the top layer: a manual popover takes no focus, closes no other and is not closed by Escape.
    host.popover = 'manual';
    dom.addEventListener(
      document,
      'toggle',
      ({ target }) => {
        if (target !== host) liftOwn();
      },
      { capture: true },
    );
    dom.addEventListener(document, 'fullscreenchange', liftOwn);
    ownRoot = dom.attachShadow(host, { mode: 'closed' });
    ownRoot.adoptedStyleSheets = [sheetOf(HOST_RULES)];
  }
  if (!dom.isConnected(ownRoot.host)) {
    dom.append(dom.documentElement(document), ownRoot.host);
    liftOwn();
  }
  return ownRoot;
}

/* Moves the host above dialogs and fullscreen elements: the last element to enter the top layer is on top. */
function liftOwn() {
  const host = /** @type {HTMLElement | undefined} */ (ownRoot?.host);
  if (!host || !dom.isConnected(host) || dom.popover(host) !== 'manual') return;
  if (dom.matches(host, ':popover-open')) dom.hidePopover(host);
  dom.showPopover(host);
}

/** @param {string} text */
function sheetOf(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

/** Adds a layer to the root with its own style rules. @param {string} name @param {string} rules */
function addLayer(name, rules) {
  const root = openRoot();
  root.adoptedStyleSheets = [...dom.adoptedStyleSheets(root), sheetOf(rules)];
  const layer = dom.createElement(document, 'div');
  layer.className = name;
  dom.append(root, layer);
  return layer;
}

/** Shows a layer, again if necessary. @param {HTMLElement} layer */
const showLayer = (layer) => {
  const root = openRoot();
  if (dom.parentNode(layer) !== root) dom.append(root, layer);
};

/** Removes a layer, and the host too if nothing else is visible in it. @param {HTMLElement} layer */
function dropLayer(layer) {
  const root = /** @type {ShadowRoot | null} */ (dom.parentNode(layer));
  dom.remove(layer);
  if (!root || Array.from(dom.children(root)).some((child) => !dom.classList(child).contains('is-idle'))) return;
  dom.remove(root.host);
}

const OWN_SHOWN = `[${OWN_HOST}]:not([${OWN_HOST}="${BOXES}"])`;

/** @param {string} word @param {boolean} on */
const markOwn = (word, on) => {
  for (const host of dom.querySelectorAll(document, OWN_SHOWN)) {
    const words = new Set((dom.getAttribute(host, OWN_HOST) ?? '').split(' ').filter(Boolean));
    if (on) words.add(word);
    else words.delete(word);
    dom.setAttribute(host, OWN_HOST, Array.from(words).join(' '));
  }
};

/**
 * Hides our own elements for a screenshot, or shows them again. `own`: there are any. `fits`: the window shows the
 * whole page, so that a screenshot needs no new layout. `inside`: what a box that scrolls in its place does not show.
 * @param {boolean} hide
 */
function hideOwn(hide) {
  markOwn(HIDDEN, hide);
  const root = dom.scrollingElement(document) ?? dom.documentElement(document);
  const fits =
    (visualViewport?.scale ?? 1) === 1 &&
    dom.clientWidth(root) === innerWidth &&
    dom.clientHeight(root) === innerHeight &&
    dom.scrollWidth(root) <= innerWidth &&
    dom.scrollHeight(root) <= innerHeight;
  return { own: dom.querySelector(document, OWN_SHOWN) !== null, fits, inside: hide && fits ? heightInside() : 0 };
}

/** Makes our clickable elements let the next input through. @param {boolean} yields */
const yieldOwn = (yields) => markOwn(YIELDING, yields);
