/**
 * Work once per frame: many changes, one drawing. Owns the scheduling only.
 */

/** A hidden panel has no frames; what must still happen there (acknowledging) comes after this time. */
const HIDDEN_MS = 100;

/**
 * @param {() => void} work
 * @returns {() => void}  asks for the work in the next frame; asking again before it changes nothing
 */
export function oncePerFrame(work) {
  let asked = false;
  const run = () => {
    asked = false;
    work();
  };
  return () => {
    if (asked) return;
    asked = true;
    if (document.hidden) setTimeout(run, HIDDEN_MS);
    else requestAnimationFrame(run);
  };
}
