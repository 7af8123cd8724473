/*
 * The guard: real pointer events are looked at before the page sees them.
 *
 * Owns one verdict at a time. Its listeners are there from the document's first moment on, before any of the page's,
 * so that what is held back is seen by nobody; without a guard they do nothing. Sends no input itself.
 */

const GUARDED = ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
/* A standing listener for these would make every scroll by touch wait for it: only while there is a guard. */
const GUARDED_TOUCH = ['touchstart', 'touchend'];
/* A command that was cut off must not leave the guard in a person's way. */
const GUARD_LIMIT_MS = 2000;
/** @type {Guard | null} */
let guard = null;
/* The guard that ended by itself while its command was still waiting for an answer: what it saw counts. */
/** @type {Guard | null} */
let expired = null;

/** @param {Event} event */
function lookAt(event) {
  if (!guard || !event.isTrusted) return;
  if (guard.verdict === null) {
    // The first event decides for the whole gesture: a page may move things on mousedown.
    const hit = innerTarget(event);
    // What is ours yields by now: an element that only says so is a cover like any other.
    const taker = guard.itself ? otherTaker(guard.element, hit) : null;
    if (!takesEventsOf(guard.element, hit)) {
      guard.verdict = { verdict: 'covered', reason: `it is covered by ${describe(coverOf(guard.element, hit))}` };
    } else {
      guard.verdict = taker ? { verdict: 'covered', reason: takenBy(taker) } : { verdict: 'hit' };
    }
  }
  if (guard.verdict.verdict !== 'hit') {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}
for (const type of GUARDED) listenLastingly(type, lookAt, { capture: true, passive: false });

/**
 * From now on, until `releaseGuard`, pointer events that miss the element are held back from the page; `itself`: also those
 * that another control in it would take.
 * @param {Element} element
 * @param {boolean} itself
 */
function setGuard(element, itself) {
  releaseGuard();
  yieldOwn(true);
  /** @type {Guard} */
  const state = { element, itself, verdict: null, expiry: 0 };
  for (const type of GUARDED_TOUCH) addEventListener(type, lookAt, { capture: true, passive: false });
  state.expiry = setTimeout(() => {
    if (guard !== state) return;
    releaseGuard();
    expired = state;
  }, GUARD_LIMIT_MS);
  guard = state;
}

/** What the guard saw; null where no event arrived. @returns {Guarded | null} */
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
  return state.verdict;
}
