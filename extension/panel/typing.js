/**
 * Routes typing anywhere in the panel into the composer.
 *
 * Owns the keys that no field takes. Keys that act on the focused element (Enter, Space, arrows) stay there.
 */

/** A key that an input method consumes has no key value of its own. */
const COMPOSES = new Set(["Process", "Dead", "Unidentified"]);

/**
 * Returns whether a key inserts text and no focused field takes it.
 * @param {KeyboardEvent} event
 */
export function writesElsewhere(event) {
  const { key, target } = event;
  const shortcut = event.ctrlKey || event.metaKey || event.altKey;
  // AltGr types letters.
  if (shortcut && !event.getModifierState("AltGraph")) return false;
  const writes = (key.length === 1 && key !== " ") || COMPOSES.has(key);
  return writes && !takesText(target);
}

/** @param {EventTarget | null} target */
function takesText(target) {
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) return !["radio", "checkbox", "button", "submit", "range", "color", "file"].includes(target.type);
  return target instanceof HTMLElement && target.isContentEditable;
}
