/*
 * Our one element in this document: whatever a person sees of gstack in a page lies in it.
 *
 * Owns the host and its closed shadow root, or takes over those that the extension's content script has made, so that
 * a page never finds more than one. The rules of `:host` are important and of the inner tree: no style of the page
 * wins over them. Every number is set through the CSSOM: a page's policy may forbid inline styles.
 */

/* Words of the host's attribute. They change what is drawn, never what the page can do. */
const HIDDEN = 'hidden'; // a picture is taken
const YIELDING = 'yielding'; // input of ours is on its way: nothing of ours may take it

const HOST_RULES = `
  :host { all: initial !important; display: block !important; position: fixed !important; left: 0 !important; top: 0 !important; width: 0 !important;
    height: 0 !important; z-index: 2147483647 !important; pointer-events: none !important; }
  :host([${OWN_HOST}~="${HIDDEN}"]) { display: none !important; }
  :host::backdrop { display: none !important; }`;

/** @type {ShadowRoot | null} */
let ownRoot = null;

/* Our listeners are there before the page's: that our element comes into the top layer is told to nobody. */
for (const type of ['beforetoggle', 'toggle']) {
  listenLastingly(
    type,
    (/** @type {Event} */ event) => {
      if (event.target === ownRoot?.host) event.stopImmediatePropagation();
    },
    { capture: true },
  );
}

/* Asked before something is drawn: then the root of the content script, where there is one, comes by `adoptRoot`. */
const hasRoot = () => ownRoot !== null;

/** A root of our own people; the daemon has it from the extension's world, which no page reaches. @param {ShadowRoot} root */
function adoptRoot(root) {
  ownRoot ??= root;
  return null;
}

/* The root to draw into, with its host in the page. A page that takes the host away gets it back with the next change. */
function openRoot() {
  if (!ownRoot) {
    const host = document.createElement('div');
    host.setAttribute(OWN_HOST, '');
    // In the browser's top layer: a manual popover takes no focus, closes no other and is not closed by Escape.
    host.popover = 'manual';
    document.addEventListener(
      'toggle',
      ({ target }) => {
        if (target !== host) liftOwn();
      },
      { capture: true },
    );
    document.addEventListener('fullscreenchange', liftOwn);
    ownRoot = host.attachShadow({ mode: 'closed' });
    ownRoot.adoptedStyleSheets = [sheetOf(HOST_RULES)];
  }
  if (!ownRoot.host.isConnected) {
    document.documentElement.append(ownRoot.host);
    liftOwn();
  }
  return ownRoot;
}

/* Above dialogs and what fills the screen: what comes into the top layer last lies on top. */
function liftOwn() {
  const host = /** @type {HTMLElement | undefined} */ (ownRoot?.host);
  if (!host?.isConnected || host.popover !== 'manual') return;
  if (host.matches(':popover-open')) host.hidePopover();
  host.showPopover();
}

/** @param {string} text */
function sheetOf(text) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  return sheet;
}

/** A layer of the root with rules of its own. @param {string} name @param {string} rules */
function addLayer(name, rules) {
  const root = openRoot();
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheetOf(rules)];
  const layer = document.createElement('div');
  layer.className = name;
  root.append(layer);
  return layer;
}

/** Puts a layer (back) in sight. @param {HTMLElement} layer */
const showLayer = (layer) => {
  const root = openRoot();
  if (layer.parentNode !== root) root.append(layer);
};

/** Takes a layer away, and the host with it where nothing else is to be seen in it. @param {HTMLElement} layer */
function dropLayer(layer) {
  const root = /** @type {ShadowRoot | null} */ (layer.parentNode);
  layer.remove();
  if (!root || Array.from(root.children).some((child) => !child.classList.contains('is-idle'))) return;
  root.host.remove();
}

const OWN_SHOWN = `[${OWN_HOST}]:not([${OWN_HOST}="${BOXES}"])`;

/** @param {string} word @param {boolean} on */
const markOwn = (word, on) => {
  for (const host of document.querySelectorAll(OWN_SHOWN)) {
    const words = new Set((host.getAttribute(OWN_HOST) ?? '').split(' ').filter(Boolean));
    if (on) words.add(word);
    else words.delete(word);
    host.setAttribute(OWN_HOST, Array.from(words).join(' '));
  }
};

/**
 * Takes our own elements out of the picture, or puts them back. `own`: there are any. `fits`: the window shows all of the
 * page, so that nothing has to be laid out anew for a picture of it.
 * @param {boolean} hide
 */
function hideOwn(hide) {
  markOwn(HIDDEN, hide);
  const root = document.scrollingElement ?? document.documentElement;
  const fits =
    (visualViewport?.scale ?? 1) === 1 &&
    root.clientWidth === innerWidth &&
    root.clientHeight === innerHeight &&
    root.scrollWidth <= innerWidth &&
    root.scrollHeight <= innerHeight;
  return { own: document.querySelector(OWN_SHOWN) !== null, fits };
}

/** What is ours and can be clicked lets the next input through. @param {boolean} yields */
const yieldOwn = (yields) => markOwn(YIELDING, yields);
