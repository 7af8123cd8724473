/*
 * Held keys: keys that the user presses for the side panel while the browser has moved the keyboard focus here for a
 * moment.
 *
 * Owns the keys until the daemon takes them. The listeners are added at the start of the document, before any of the
 * page's; while nothing is held they do nothing. Never holds keys pressed by an agent: agents press none in this time.
 * Also keeps the browser's own context menu closed meanwhile, because it takes the keyboard until someone closes it.
 */

/* A cancelled command must not leave the page without keyboard input. */
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
  // A shortcut is not text. Its effect in the panel is lost, so that it cannot act on the page.
  if (event.type === 'keydown' && !event.ctrlKey && !event.metaKey)
    pressedKeys.push({ key: event.key, at: performance.timeOrigin + event.timeStamp });
}
for (const type of /** @type {const} */ (['keydown', 'keypress', 'keyup'])) addEventListener(type, holdKey, { capture: true });
// After the page's own listeners, which see the event as it is: a menu of the page's own opens.
addEventListener('contextmenu', (event) => {
  if (holding) event.preventDefault();
});

function holdKeys() {
  clearTimeout(holdEnds);
  holding = true;
  holdEnds = setTimeout(() => {
    holding = false;
  }, HOLD_LIMIT_MS);
}

/* The keys since `holdKeys`, in order, with their times: keys typed in the panel in between have times of their own. */
function releaseKeys() {
  clearTimeout(holdEnds);
  holding = false;
  return pressedKeys.splice(0);
}
