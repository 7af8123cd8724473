/**
 * The size of the panel's text: Chrome's zoom keys change only the page beside the panel, so the panel has its own.
 *
 * Owns the key `textSize` in `chrome.storage.local` and the zoom keys that are pressed in the panel.
 */

const KEY = "textSize";
/** The offered sizes. A panel that is 380 px wide is still usable at the largest. @type {readonly number[]} */
export const SIZES = [0.8, 0.9, 1, 1.1, 1.25, 1.5];
/** The keys' effect on the place in the list. @type {Record<string, number>} */
const STEPS = { "+": 1, "=": 1, "-": -1, _: -1 };

/** @param {unknown} value @returns {number} */
const known = (value) => SIZES.find((size) => size === value) ?? 1;

/** Returns the saved size. */
export async function readTextSize() {
  return known((await chrome.storage.local.get(KEY))[KEY]);
}

/** @param {number} size */
function apply(size) {
  document.documentElement.style.setProperty("--zoom", String(size));
}

/** @param {number} size */
export function setTextSize(size) {
  apply(size);
  void chrome.storage.local.set({ [KEY]: size });
}

/** @param {KeyboardEvent} event */
function zoomKey(event) {
  const { key, ctrlKey, metaKey, altKey } = event;
  if ((!ctrlKey && !metaKey) || altKey) return;
  const step = STEPS[key];
  if (step === undefined && key !== "0") return;
  event.preventDefault();
  const size = known(Number(getComputedStyle(document.documentElement).getPropertyValue("--zoom")));
  const at = SIZES.indexOf(size) + (step ?? 0);
  setTextSize(step === undefined ? 1 : (SIZES[Math.min(SIZES.length - 1, Math.max(0, at))] ?? 1));
}

/** Applies the chosen size, now and whenever another panel changes it. */
export async function followTextSize() {
  chrome.storage.local.onChanged.addListener((changes) => {
    const change = changes[KEY];
    if (change) apply(known(change.newValue));
  });
  document.addEventListener("keydown", zoomKey);
  apply(await readTextSize());
}
