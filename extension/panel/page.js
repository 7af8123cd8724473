/**
 * The places of `sidepanel.html`. Owns their look-up.
 */

/** The element of that id, which the page has. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`sidepanel.html has no #${id}`);
  return element;
}
