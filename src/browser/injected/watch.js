/*
 * Reports changes of the page that have settled to the daemon.
 *
 * Owns the observer of this document. Reports only that something changed: the daemon reads the page itself.
 */

/* A page has settled if nothing changed for this long. */
const REST_MS = 400;
/* A page that never settles (a clock, an animation) is reported at least this often. */
const LONGEST_UNREST_MS = 3000;

let observing = false;

/**
 * Starts to observe. `binding`: the name of the function that the daemon has added to this world.
 * @param {string} binding
 */
function observeChanges(binding) {
  if (observing) return null;
  observing = true;
  let timer = 0;
  let since = 0;
  const tell = () => {
    since = 0;
    /** @type {any} */ (globalThis)[binding]?.('');
  };
  const changed = () => {
    const now = performance.now();
    since ||= now;
    clearTimeout(timer);
    if (now - since >= LONGEST_UNREST_MS) tell();
    else timer = setTimeout(tell, REST_MS);
  };
  // Our own drawings are not changes of the page.
  /** @param {MutationRecord} given */
  const isOurs = ({ type, target, addedNodes, removedNodes }) =>
    type === 'attributes'
      ? isOwnHost(/** @type {Element} */ (target))
      : type === 'childList' &&
        [...addedNodes, ...removedNodes].every(
          (node) => dom.nodeType(node) === Node.ELEMENT_NODE && isOwnHost(/** @type {Element} */ (node)),
        );
  new MutationObserver((records) => {
    if (!records.every(isOurs)) changed();
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  // Typing changes no node.
  addEventListener('input', changed, { capture: true, passive: true });
  return null;
}
