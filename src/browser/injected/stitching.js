/*
 * Scrolls the page for a picture that is larger than the window, part by part.
 *
 * Owns the scroll position, which is restored, and what stays in view while the page scrolls: it is shown once. The page
 * gets no `scroll` event for any of this. Takes no picture.
 */

/** @type {Stitching | null} */
let stitching = null;
/* A cancelled command must not keep `scroll` events from the page. */
const STITCH_LIMIT_MS = 60_000;

for (const type of ['scroll', 'scrollend']) {
  listenLastingly(
    type,
    (/** @type {Event} */ event) => {
      if (stitching && performance.now() < stitching.until && event.target === document) event.stopImmediatePropagation();
    },
    { capture: true, passive: true },
  );
}

/** Returns where an element is in the page, whatever the scroll position. @param {Element} element */
function placeInPage(element) {
  const { left, top, width, height } = dom.getBoundingClientRect(element);
  return { x: left + scrollX, y: top + scrollY, width, height };
}

/**
 * Starts: scrolls to the page's start and remembers where everything is that may stay in view. → the size of the window,
 * without scroll bars
 */
function beginStitching() {
  endStitching();
  const page = dom.scrollingElement(document) ?? dom.documentElement(document);
  /** @type {Stitching} */
  const state = { x: scrollX, y: scrollY, homes: new Map(), hidden: new Map(), until: performance.now() + STITCH_LIMIT_MS };
  stitching = state;
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  eachElement((element) => {
    const { position } = getComputedStyle(element);
    if (position === 'fixed' || position === 'sticky') state.homes.set(element, placeInPage(element));
  });
  return { width: dom.clientWidth(page), height: dom.clientHeight(page) };
}

/**
 * Scrolls to a point of the page and hides what is drawn elsewhere in the picture. `last`: the picture ends with this
 * part, which shows what sticks to the window's bottom. → where the window is
 * @param {number} x
 * @param {number} y
 * @param {boolean} last
 */
async function scrollForPart(x, y, last) {
  scrollTo({ left: x, top: y, behavior: 'instant' });
  const state = stitching;
  if (state) {
    for (const [element, home] of state.homes) {
      const now = placeInPage(element);
      const isPinned = Math.abs(now.x - home.x) > 1 || Math.abs(now.y - home.y) > 1;
      const isAtEnd = home.y + home.height / 2 > innerHeight / 2 && home.height < innerHeight / 2;
      const isFixed = getComputedStyle(element).position === 'fixed';
      const shows = isFixed && isAtEnd ? last : !isPinned;
      const hidden = state.hidden.get(element);
      if (shows && hidden) {
        hidden.cancel();
        state.hidden.delete(element);
      } else if (!shows && !hidden) {
        // An animation changes nothing that the page watches.
        state.hidden.set(element, dom.animate(element, { opacity: [0, 0] }, { duration: STITCH_LIMIT_MS, fill: 'both' }));
      }
    }
  }
  await nextFrame();
  await nextFrame();
  return { x: scrollX, y: scrollY };
}

/* Shows everything again and scrolls back. */
async function endStitching() {
  const state = stitching;
  if (!state) return null;
  for (const animation of state.hidden.values()) animation.cancel();
  state.hidden.clear();
  scrollTo({ left: state.x, top: state.y, behavior: 'instant' });
  // The event of this comes with the next frame.
  await nextFrame();
  await nextFrame();
  if (stitching === state) stitching = null;
  return null;
}

/**
 * Puts the parts of a picture together in another format than theirs. The numbers are device pixels.
 * @param {{ data: string; x: number; y: number }[]} parts
 * @param {{ width: number; height: number; type: string; quality: number }} picture
 * @returns {Promise<Refusal | { data: string }>}
 */
async function joinParts(parts, { width, height, type, quality }) {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d');
  if (!context) return { fault: 'size', message: 'the picture is too large' };
  for (const { data, x, y } of parts) {
    const part = await createImageBitmap(new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))]));
    context.drawImage(part, x, y);
    part.close();
  }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type, quality })).arrayBuffer());
  let text = '';
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { data: btoa(text) };
}
