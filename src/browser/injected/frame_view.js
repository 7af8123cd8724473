/*
 * How a frame is drawn in its parent's document.
 *
 * Owns the size of a frame's viewport, the hit test at a point of it, and scrolling to that point. The daemon asks the
 * browser for the quad that the frame is drawn as.
 */

/**
 * Returns the size of the viewport of the frame that an element owns, in the frame's own CSS pixels, and the
 * device pixels of a CSS pixel of this document. `moved`: something was scrolled for it.
 * @param {number} number
 * @param {boolean} moved
 * @returns {Promise<Refusal | { width: number; height: number; ratio: number }>}
 */
async function frameView(number, moved) {
  // Hit testing finds an out-of-process frame only where it was last drawn.
  if (moved || performance.now() - lastScroll < SCROLL_SETTLES_MS) {
    await nextFrame();
    await nextFrame();
  }
  const element = elementOf(number);
  if (!element || !dom.isConnected(element)) return { fault: 'stale', message: 'the frame left the page' };
  const style = getComputedStyle(element);
  const length = (/** @type {string} */ property) => parseFloat(style.getPropertyValue(property)) || 0;
  return {
    width: dom.clientWidth(element) - length('padding-left') - length('padding-right'),
    height: dom.clientHeight(element) - length('padding-top') - length('padding-bottom'),
    ratio: devicePixelRatio,
  };
}

/* Where in the height of a box the point is brought: sticky parts are at its start and end. */
const REVEAL_PARTS = [0.5, 0.85, 0.15];

/**
 * Returns what receives input at a point of this document instead of the frame's element; null: the frame does.
 * @param {number} number
 * @param {Point} point
 * @returns {{ covered: string | null }}
 */
function frameHit(number, point) {
  const element = elementOf(number);
  return { covered: element && dom.isConnected(element) ? hitBlocker(element, point) : 'it left the page' };
}

/**
 * Returns the number of the frame's element that receives input at a point of this document; null: none is there.
 * @param {Point} point
 * @returns {number | null}
 */
function frameAt(point) {
  const hit = elementAt(point);
  return hit && isFrame(hit) ? numberOf(hit) : null;
}

/**
 * Scrolls each box around a frame's element, and the page, so that a point of the frame is in view. The point is in this
 * document's viewport, as it is before that. `attempt`: from 0; the later ones move what is in view already, because
 * something else may be drawn over its place.
 * @param {number} number
 * @param {Point} point
 * @param {number} attempt
 */
function revealFrame(number, point, attempt) {
  const part = REVEAL_PARTS[attempt % REVEAL_PARTS.length];
  const element = elementOf(number);
  if (!element) return null;
  let { x, y } = point;
  const page = dom.scrollingElement(document) ?? dom.documentElement(document);
  /** @param {Element} box @param {{ left: number; top: number; right: number; bottom: number }} seen */
  const bring = (box, { left, top, right, bottom }) => {
    const isInside = x > left && x < right && y > top && y < bottom;
    if (attempt === 0 && isInside) return;
    const before = dom.getBoundingClientRect(element);
    const aside = isInside ? 0 : x - (left + right) / 2;
    dom.scrollBy(box, { left: aside, top: y - (top + (bottom - top) * part), behavior: 'instant' });
    const after = dom.getBoundingClientRect(element);
    x += after.left - before.left;
    y += after.top - before.top;
  };
  for (let at = composedParent(element); at && at !== page; at = composedParent(at)) {
    // A box that hides what is beyond it is scrolled by scripts.
    const { overflowX, overflowY } = getComputedStyle(at);
    const clips = [overflowX, overflowY].some((overflow) => overflow !== 'visible' && overflow !== 'clip');
    const larger = dom.scrollHeight(at) > dom.clientHeight(at) || dom.scrollWidth(at) > dom.clientWidth(at);
    if (clips && larger && at !== dom.body(document)) bring(at, dom.getBoundingClientRect(at));
  }
  bring(page, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  return null;
}
