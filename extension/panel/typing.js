/**
 * Typing anywhere in the panel writes a message.
 *
 * Owns where a key goes that no field takes. Keys that act on what has the focus (Enter, Space, arrows) stay there.
 */

/** What an input method swallows has no key of its own. */
const COMPOSES = new Set(["Process", "Dead", "Unidentified"]);

/**
 * Whether a key writes something, and no field has the focus that takes it.
 * @param {KeyboardEvent} event
 */
export function writesElsewhere(event) {
  const { key, target } = event;
  const shortcut = event.ctrlKey || event.metaKey || event.altKey;
  // AltGr writes letters.
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
