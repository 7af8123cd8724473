/**
 * Runs work once per frame: many changes, one redraw. Owns the scheduling only.
 */

/** A hidden panel has no frames. Work that must still run there (acknowledging) runs after this time. */
const HIDDEN_MS = 100;

/**
 * @param {() => void} work
 * @param {{ first?: boolean }} [options]  first: after a frame without this work, it runs at once and not in the next frame
 * @returns {() => void}  requests the work; further requests before it runs have no effect
 */
export function oncePerFrame(work, { first = false } = {}) {
  let asked = false;
  /** It ran in this frame. */
  let ran = false;
  const run = () => {
    if (!asked) return;
    asked = false;
    work();
  };
  const inFrame = () => {
    ran = asked && first;
    run();
    // Whatever is asked for until then waits for it.
    if (ran) requestAnimationFrame(inFrame);
  };
  return () => {
    if (asked) return;
    asked = true;
    if (document.hidden) setTimeout(run, HIDDEN_MS);
    else if (!first) requestAnimationFrame(inFrame);
    else if (!ran) {
      ran = true;
      queueMicrotask(run);
      requestAnimationFrame(inFrame);
    }
  };
}
