/**
 * The text that a page shows.
 *
 * Owns reading it, for the panel and for `text` where no debugger may attach. Runs in the page, in our own world, where nothing else
 * of this file exists; a named element of the page hides members of its document there too: `<img name="body">`.
 */

/**
 * Returns the page's address and the text that a person can scroll to. Chromium 156 leaves out of `innerText` what
 * `content-visibility: auto` has not drawn yet, so that is drawn for the read: by animations, which leave no trace in the page.
 */
export function shownText() {
  const body = Object.getOwnPropertyDescriptor(Document.prototype, "body")?.get?.call(document);
  if (!(body instanceof HTMLElement)) return { url: location.href, text: "" };
  const all = Array.from(/** @type {NodeListOf<Element>} */ (Document.prototype.querySelectorAll.call(document, "*")));
  // All are asked before the first changes: each change would make the next question cost a pass over the page.
  const later = all.filter((element) => getComputedStyle(element).contentVisibility === "auto");
  const visible = { contentVisibility: ["visible", "visible"] };
  const drawn = later.map((element) => Element.prototype.animate.call(element, visible, { duration: 1e6, fill: "both" }));
  try {
    return { url: location.href, text: body.innerText };
  } finally {
    for (const one of drawn) one.cancel();
  }
}
