/**
 * Runs work once per frame: many changes, one redraw. Owns the scheduling only.
 */

/** A hidden panel has no frames. Work that must still run there (acknowledging) runs after this time. */
const HIDDEN_MS = 100;

/**
 * @param {() => void} work
 * @returns {() => void}  requests the work for the next frame; further requests before it have no effect
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
