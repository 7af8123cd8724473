/*
 * Held keys: what a person presses for the side panel while the browser has the keyboard here for a moment.
 *
 * Owns the keys until they are taken over. The listeners are there from the document's first moment on, before any of
 * the page's; while nothing is held they do nothing. Never holds keys that an agent presses: none are pressed meanwhile.
 */

/* A command that was cut off must not leave the page without a keyboard. */
const HOLD_LIMIT_MS = 2000;
let holding = false;
let holdEnds = 0;
/** @type {{ key: string; at: number }[]} */
const pressedKeys = [];

/** @param {KeyboardEvent} event */
function holdKey(event) {
  if (!holding || !event.isTrusted) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // A shortcut is not text; what it would have done in the panel is lost rather than done in the page.
  if (event.type === 'keydown' && !event.ctrlKey && !event.metaKey)
    pressedKeys.push({ key: event.key, at: performance.timeOrigin + event.timeStamp });
}
for (const type of /** @type {const} */ (['keydown', 'keypress', 'keyup'])) addEventListener(type, holdKey, { capture: true });

function holdKeys() {
  clearTimeout(holdEnds);
  holding = true;
  holdEnds = setTimeout(() => {
    holding = false;
  }, HOLD_LIMIT_MS);
}

/* The keys since `holdKeys`, in order, and when each was pressed: what is typed in the panel meanwhile has its own times. */
function releaseKeys() {
  clearTimeout(holdEnds);
  holding = false;
  return pressedKeys.splice(0);
}
