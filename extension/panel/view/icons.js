/**
 * The icons' drawings within the panel's own document.
 *
 * A `<use>` that names another file makes a document of its own each time it is drawn, and these stay until memory is short.
 */

/** Brings them in. They are drawn by `icon` of dom.js, and show nothing themselves. */
export async function loadIcons() {
  const file = await fetch("icons.svg");
  const drawings = new DOMParser().parseFromString(await file.text(), "image/svg+xml").documentElement;
  const own = document.importNode(drawings, true);
  own.setAttribute("aria-hidden", "true");
  own.style.display = "none";
  document.body.prepend(own);
}
