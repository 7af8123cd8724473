/*
 * The guard: checks real input before the page sees it.
 *
 * Owns one verdict at a time. Its listeners are added at the start of the document, before any of the page's, so that
 * nobody sees a blocked event; without a guard they do nothing. Sends no input itself.
 */

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
/* A permanent listener for these would delay every touch scroll, so they are added only while a guard is set. */
const GUARDED_TOUCH = ['touchstart', 'touchend'];
/* A cancelled command must not leave a guard that blocks the user. */
const GUARD_LIMIT_MS = 2000;
/** @type {Guard | null} */
let guard = null;
/* The guard that expired while its command was still waiting for an answer: its verdict counts. */
/** @type {Guard | null} */
let expired = null;

/** @param {Event} event */
function lookAt(event) {
  if (!guard || !event.isTrusted) return;
  if (guard.verdict === null) {
    // The first event decides for the whole gesture: a page may move elements on mousedown.
    const hit = innerTarget(event);
    if (!guard.element) {
      guard.verdict = { verdict: 'covered', reason: 'another frame is in the way' };
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    // Our own elements let input through now: an element that only has our attribute is an ordinary cover.
    const taker = guard.itself ? otherTaker(guard.element, hit) : null;
    if (!takesEventsOf(guard.element, hit)) {
      guard.verdict = { verdict: 'covered', reason: missReason(guard.element, hit) };
    } else {
      guard.verdict = taker ? { verdict: 'covered', reason: takenBy(taker) } : { verdict: 'hit' };
    }
  }
  if (guard.verdict.verdict !== 'hit') {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  if (event.type === 'mouseup' && /** @type {MouseEvent} */ (event).button === 0) guard.released = true;
  if (event.type === 'click' && guard.element && takesEventsOf(guard.element, innerTarget(event))) guard.clicked = true;
}

/* A closed document takes no keys, text or drops either: a page can move the focus to it, or it under the pointer. */
const CLOSED_TO = ['keydown', 'keypress', 'keyup', 'beforeinput', 'dragenter', 'dragover', 'drop'];

/** @param {Event} event */
function keepOut(event) {
  if (!guard || guard.element || !event.isTrusted) return;
  guard.verdict = { verdict: 'covered', reason: 'another frame is in the way' };
  // To cancel these two would accept the drop.
  if (event.type !== 'dragenter' && event.type !== 'dragover') event.preventDefault();
  event.stopImmediatePropagation();
}
for (const type of CLOSED_TO) listenLastingly(type, keepOut, { capture: true });
for (const type of GUARDED) listenLastingly(type, lookAt, { capture: true, passive: false });

/**
 * Blocks pointer events that miss the element, until `releaseGuard`; `itself`: also those that another control inside
 * it would receive.
 * @param {Element} element
 * @param {boolean} itself
 */
function setGuard(element, itself) {
  arm(element, itself);
}

/**
 * Blocks input in this document, until `releaseGuard`: it is meant for another document.
 * @returns {string} this document's id
 */
function closeToPointer() {
  arm(null, false);
  return DOCUMENT_ID;
}

/**
 * Returns what would receive input at a point of this document instead of the element.
 * @param {Target} target
 * @param {Point} point
 * @returns {{ covered: string | null }}
 */
function coveredAt(target, point) {
  const { element } = resolveOne(target);
  return { covered: element ? hitBlocker(element, point) : 'it was removed from the page' };
}

/** @param {Element | null} element @param {boolean} itself */
function arm(element, itself) {
  releaseGuard();
  yieldOwn(true);
  /** @type {Guard} */
  const state = { element, itself, verdict: null, released: false, clicked: false, expiry: 0 };
  for (const type of GUARDED_TOUCH) addEventListener(type, lookAt, { capture: true, passive: false });
  state.expiry = setTimeout(() => {
    if (guard !== state) return;
    releaseGuard();
    expired = state;
  }, GUARD_LIMIT_MS);
  guard = state;
}

/** Returns the guard's verdict; null if no event arrived. @returns {Guarded | null} */
function releaseGuard(since = DOCUMENT_ID) {
  if (since !== DOCUMENT_ID) return { verdict: 'left' };
  const state = guard;
  const before = expired;
  guard = null;
  expired = null;
  if (!state) return before?.verdict ?? null;
  yieldOwn(false);
  clearTimeout(state.expiry);
  for (const type of GUARDED_TOUCH) removeEventListener(type, lookAt, { capture: true });
  // An element that the page removed at the press has done its work.
  const isMissed = state.released && !state.clicked && !!state.element && dom.isConnected(state.element);
  return isMissed && state.verdict?.verdict === 'hit' ? { verdict: 'pressed' } : state.verdict;
}
