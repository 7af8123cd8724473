/*
 * The person's own input: reports each press of a mouse button, a key or a finger, so that an agent that works in the
 * tab can be paused.
 *
 * Reports the kind of press and nothing else: no key, no position. Scrolling is not reported, nor are keys that only
 * read the page. The listeners are added at the start of the document, before any of the page's and before the guard;
 * a page can neither call the binding, which is in our world alone, nor forge `isTrusted`. The daemon sorts out the
 * presses that it sent itself.
 */

const PERSON_BINDING = 'gstackPersonActs';
const MODIFIER_KEYS = new Set(['Alt', 'AltGraph', 'CapsLock', 'Control', 'Fn', 'Meta', 'NumLock', 'ScrollLock', 'Shift']);
/* They scroll the page unless an element has the focus. */
const SCROLL_KEYS = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'PageUp', 'PageDown', 'Home', 'End', ' ']);
/* With Ctrl or Cmd: copy, find, find the next one, print, zoom. */
const READING_KEYS = new Set(['c', 'f', 'g', 'p', '+', '-', '=', '0']);

/** @param {'pointer' | 'key'} kind */
function reportPerson(kind) {
  /** @type {any} */ (globalThis)[PERSON_BINDING]?.(kind);
}

/** @param {PointerEvent} event */
function personPresses(event) {
  if (!event.isTrusted) return;
  // A finger that scrolls ends with `pointercancel`, so a tap counts when the finger is lifted.
  const counts = event.pointerType === 'touch' ? event.type === 'pointerup' : event.type === 'pointerdown';
  if (counts && !isOnScrollbar(event)) reportPerson('pointer');
}

/** @param {KeyboardEvent} event */
function personTypes(event) {
  // Keys that are held back are meant for the side panel.
  if (!event.isTrusted || holding || MODIFIER_KEYS.has(event.key)) return;
  const { target } = event;
  if (SCROLL_KEYS.has(event.key) && (target === dom.body(document) || target === dom.documentElement(document))) return;
  if ((event.ctrlKey || event.metaKey) && READING_KEYS.has(event.key.toLowerCase())) return;
  reportPerson('key');
}

/** @param {PointerEvent} event */
function isOnScrollbar(event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target === dom.documentElement(document))
    return event.clientX >= dom.clientWidth(target) || event.clientY >= dom.clientHeight(target);
  const style = getComputedStyle(target);
  /** @param {string} width */
  const pixels = (width) => Number.parseFloat(width) || 0;
  const across = dom.offsetWidth(target) - dom.clientWidth(target) - pixels(style.borderLeftWidth) - pixels(style.borderRightWidth);
  const down = dom.offsetHeight(target) - dom.clientHeight(target) - pixels(style.borderTopWidth) - pixels(style.borderBottomWidth);
  const box = dom.getBoundingClientRect(target);
  const [x, y] = [event.clientX - box.left - dom.clientLeft(target), event.clientY - box.top - dom.clientTop(target)];
  return (across > 1 && (x >= dom.clientWidth(target) || x < 0)) || (down > 1 && y >= dom.clientHeight(target));
}

for (const type of /** @type {const} */ (['pointerdown', 'pointerup']))
  listenLastingly(type, personPresses, { capture: true, passive: true });
listenLastingly('keydown', personTypes, { capture: true, passive: true });
