/*
 * Changes the styling of a page: sets one property of one element, or hides clutter.
 *
 * Owns the definition of clutter and the undo. Removes nothing from the document: clutter is only not displayed.
 */

/**
 * Sets one property of one element. → {number, document, before, old} or a fault
 * @param {Target} target
 * @param {string} property
 * @param {string} value
 * @returns {Refusal | (Place & { before: StyleBefore; old: string })}
 */
function setStyle(target, property, value) {
  const resolved = resolveOne(target);
  if (!resolved.element) return resolved;
  const { element } = resolved;
  const name = property.startsWith('--') ? property : property.toLowerCase();
  const plain = value.replace(/\s*!\s*important\s*$/i, '');
  if (!dom.style(element) || !CSS.supports(name, plain)) {
    return { fault: 'kind', message: `${name}: ${value} is not a valid declaration`, description: describe(element) };
  }
  const old = getComputedStyle(element).getPropertyValue(name);
  const before = { value: dom.style(element).getPropertyValue(name), priority: dom.style(element).getPropertyPriority(name) };
  dom.style(element).setProperty(name, plain, 'important');
  return { number: numberOf(element), document: DOCUMENT_ID, before, old };
}

/**
 * Undoes `setStyle`. → true, or false if the element is gone
 * @param {Place} place
 * @param {string} property
 * @param {StyleBefore} before
 */
function restoreStyle(place, property, before) {
  const element = heldElement(place);
  if (!element) return false;
  putBack(element, property, before);
  return true;
}

/** @param {Element} element @param {string} property @param {StyleBefore} given */
function putBack(element, property, { value, priority }) {
  if (value) dom.style(element).setProperty(property, value, priority);
  else dom.style(element).removeProperty(property);
  if (dom.getAttribute(element, 'style') === '') dom.removeAttribute(element, 'style');
}

/* The elements hidden for one screenshot: [element, property, before]. */
/** @type {[Element, string, StyleBefore][]} */
let putAway = [];

/** @param {Element} element */
function hideElement(element) {
  overrideStyle(element, 'display', 'none');
}

/** Hides an element and leaves its space blank. @param {Element} element */
function blankElement(element) {
  // A transition of the page would show it for a while.
  overrideStyle(element, 'transition', 'none');
  overrideStyle(element, 'opacity', '0');
}

/** @param {Element} element @param {string} property @param {string} value */
function overrideStyle(element, property, value) {
  putAway.push([
    element,
    property,
    { value: dom.style(element).getPropertyValue(property), priority: dom.style(element).getPropertyPriority(property) },
  ]);
  dom.style(element).setProperty(property, value, 'important');
}

/* Undoes all `cleanUp` and `hideAll` calls since the last time. */
function unhide() {
  const [transitions, others] = [putAway.filter(([, name]) => name === 'transition'), putAway.filter(([, name]) => name !== 'transition')];
  for (const [element, property, before] of others.reverse()) putBack(element, property, before);
  // Shown again before the page's transitions are restored: otherwise it would fade in.
  if (transitions.length > 0) dom.getBoundingClientRect(dom.documentElement(document));
  for (const [element, property, before] of transitions.reverse()) putBack(element, property, before);
  putAway = [];
  return null;
}

/** @type {Record<Exclude<Clutter, 'sticky'>, string[]>} */
const CLUTTER = {
  ads: [
    '.adsbygoogle',
    '[id^="google_ads"]',
    '[id^="div-gpt-ad"]',
    'iframe[src*="doubleclick.net"]',
    'iframe[src*="googlesyndication"]',
    '[data-ad-slot]',
    '[data-ad-unit]',
    '[class~="ad"]',
    '[class~="ads"]',
    '[class~="advert"]',
    '[class*="advertisement" i]',
    '[class*="ad-banner" i]',
    '[class*="ad-container" i]',
    '[class*="ad-slot" i]',
    '[class*="sponsored" i]',
    '[id="ad"]',
    '[id="ads"]',
    '[aria-label="Advertisement" i]',
  ],
  cookies: [
    '#onetrust-consent-sdk',
    '#CybotCookiebotDialog',
    '#didomi-host',
    '.qc-cmp2-container',
    '[id^="sp_message_container"]',
    '.truste_overlay',
    '[class*="cookie-banner" i]',
    '[id*="cookie-banner" i]',
    '[class*="cookie-consent" i]',
    '[id*="cookie-consent" i]',
    '[class*="cookieconsent" i]',
    '[id*="cookieconsent" i]',
    '[class*="cookie-notice" i]',
    '[id*="cookie-notice" i]',
    '[class*="consent-banner" i]',
    '[id*="consent-banner" i]',
    '[class*="gdpr" i]',
    '[id*="gdpr" i]',
    '[role="dialog"][aria-label*="cookie" i]',
  ],
  social: [
    '[class*="social-share" i]',
    '[class*="share-buttons" i]',
    '[class*="share-bar" i]',
    '[class*="sharebar" i]',
    '.addthis_toolbox',
    '.a2a_kit',
    '.sharethis-inline-share-buttons',
    '.fb-like',
    '.fb-share-button',
    '.twitter-share-button',
  ],
  overlays: [
    '[class*="modal-backdrop" i]',
    '[class*="popup-overlay" i]',
    '[class*="newsletter-popup" i]',
    '[class*="newsletter-modal" i]',
    '[class*="paywall" i]',
    '[class*="interstitial" i]',
    '[class*="exit-intent" i]',
  ],
  clutter: [
    '[class*="newsletter" i]',
    '[class*="related-posts" i]',
    '[class*="recommended-" i]',
    '[class*="back-to-top" i]',
    '[class*="promo-banner" i]',
    '#intercom-container',
    '.intercom-lightweight-app',
    '#hubspot-messages-iframe-container',
    '#drift-widget',
    '[class*="chat-widget" i]',
  ],
};

const SITE_PARTS = 'html, body, main, [role="main"], header, nav, [role="banner"], [role="navigation"], article';
/* A fixed element that covers this part of the window is an overlay. */
const OVERLAY_SHARE = 0.5;

/**
 * Returns true if the element contains the page's main content, or is an essential part of the site.
 * @param {Element} element
 */
const isSitesOwn = (element) =>
  dom.matches(element, SITE_PARTS) ||
  dom.querySelector(element, 'main, [role="main"], nav, [role="navigation"]') !== null ||
  dom.closest(element, 'header, nav, [role="banner"], [role="navigation"]') !== null;

/**
 * kinds: those of CLUTTER and 'sticky'. → {kind: how many}, and {scrolling: 1} if it was locked
 * @param {Clutter[]} kinds
 */
function cleanUp(kinds) {
  /** @type {{ [kind: string]: number }} */
  const counts = {};
  for (const kind of kinds) {
    let found = kind === 'sticky' ? [] : Array.from(dom.querySelectorAll(document, CLUTTER[kind].join(', ')));
    if (kind === 'sticky' || kind === 'overlays') found = found.concat(floating(kind === 'overlays'));
    for (const element of new Set(found)) {
      if (isOwnHost(element) || isSitesOwn(element) || !isVisible(element)) continue;
      hideElement(element);
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  }
  for (const element of [dom.documentElement(document), dom.body(document)]) {
    if (!element) continue;
    const style = getComputedStyle(element);
    if (style.overflowY !== 'hidden' && style.overflowY !== 'clip') continue;
    overrideStyle(element, 'overflow', 'auto');
    counts.scrolling = 1;
  }
  return counts;
}

/**
 * Returns the elements that stay in place while the page scrolls: those over most of the window, or the others.
 * @param {boolean} overlays
 */
function floating(overlays) {
  /** @type {Element[]} */
  const found = [];
  eachElement((/** @type {Element} */ element) => {
    const { position, display } = getComputedStyle(element);
    if (display === 'none' || (position !== 'fixed' && position !== 'sticky')) return;
    const { width, height } = dom.getBoundingClientRect(element);
    const covers = (width * height) / (innerWidth * innerHeight) >= OVERLAY_SHARE;
    if (covers === overlays && !(overlays && position === 'sticky')) found.push(element);
  });
  return found;
}

/**
 * Hides everything that these selectors match; with `keepsPlace` the layout stays the same. → {count} or a fault
 * @param {string[]} selectors
 * @param {boolean} keepsPlace
 * @returns {Refusal | { count: number }}
 */
function hideAll(selectors, keepsPlace) {
  let count = 0;
  for (const selector of selectors) {
    let found;
    try {
      found = queryAll(selector);
    } catch (error) {
      if (error instanceof SelectorError) return { fault: 'selector', message: error.message };
      throw error;
    }
    for (const element of found) keepsPlace ? blankElement(element) : hideElement(element);
    count += found.length;
  }
  return { count };
}

/**
 * Scrolls the first visible element that matches a selector, or contains this text, into view. → {count: 1} or a fault
 * @param {string} wanted
 * @returns {Refusal | { count: number }}
 */
function scrollToFirst(wanted) {
  /** @param {string} selector */
  const visible = (selector) => {
    try {
      return queryAll(selector).find(isVisible);
    } catch (error) {
      if (error instanceof SelectorError) return undefined;
      throw error;
    }
  };
  const element = visible(wanted) ?? visible(`text=${wanted}`);
  if (!element) return { fault: 'missing', message: 'nothing visible matches' };
  scrollIntoView(element, 'start');
  return { count: 1 };
}
