/**
 * Loads the icons' drawings into the panel's own document.
 *
 * A `<use>` that refers to another file creates a document each time it is drawn, which stays until memory runs short.
 */

/** Inserts them. `icon` of dom.js draws them; they are invisible themselves. */
export async function loadIcons() {
  const file = await fetch("icons.svg");
  const drawings = new DOMParser().parseFromString(await file.text(), "image/svg+xml").documentElement;
  const own = document.importNode(drawings, true);
  own.setAttribute("aria-hidden", "true");
  own.style.display = "none";
  document.body.prepend(own);
}
