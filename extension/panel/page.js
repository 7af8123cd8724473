/**
 * The elements of `sidepanel.html`. Owns their look-up.
 */

/** Returns the element with that id, which must exist. @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`sidepanel.html has no #${id}`);
  return element;
}
