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
      if (stitching && performance.now() < stitching.until && (event.target === document || event.target === stitching.inner)) {
        event.stopImmediatePropagation();
      }
    },
    { capture: true, passive: true },
  );
}

/* An inner box that scrolls in place of the page covers at least this part of the window's width and height. */
const PART_OF_INNER = 0.5;

/** Returns the box that scrolls in place of the page, or null. @returns {Element | null} */
function innerScroller() {
  const page = dom.scrollingElement(document) ?? dom.documentElement(document);
  if (!page || dom.scrollHeight(page) > dom.clientHeight(page) + 1) return null;
  let [found, largest] = [/** @type {Element | null} */ (null), 0];
  eachElement((element) => {
    const [width, height] = [dom.clientWidth(element), dom.clientHeight(element)];
    if (width < innerWidth * PART_OF_INNER || height < innerHeight * PART_OF_INNER || width * height <= largest) return;
    if (element === page || dom.scrollHeight(element) <= height + 1 || !/auto|scroll/.test(getComputedStyle(element).overflowY)) return;
    const box = dom.getBoundingClientRect(element);
    if (box.top < 0 || box.top + height > innerHeight + 1) return;
    [found, largest] = [element, width * height];
  });
  return found;
}

/** Returns the height that the box which scrolls in place of the page does not show. */
function heightInside() {
  const inner = innerScroller();
  return inner ? dom.scrollHeight(inner) - dom.clientHeight(inner) : 0;
}

/** Returns where an element is in the page, whatever the scroll position. @param {Element} element */
function placeInPage(element) {
  const { left, top, width, height } = dom.getBoundingClientRect(element);
  const inner = stitching?.inner;
  const inside = inner && composedContains(inner, element) ? dom.scrollTop(inner) : 0;
  return { x: left + scrollX, y: top + scrollY + inside, width, height };
}

/**
 * Starts: scrolls to the page's start and remembers where everything is that may stay in view. `inside`: the box that
 * scrolls in place of the page is scrolled. → the size of the window, without scroll bars
 * @param {boolean} inside
 */
function beginStitching(inside) {
  endStitching();
  const inner = inside ? innerScroller() : null;
  const page = dom.scrollingElement(document) ?? dom.documentElement(document);
  /** @type {Stitching} */
  const state = {
    x: scrollX,
    y: scrollY,
    inner,
    top: inner ? dom.scrollTop(inner) : 0,
    homes: new Map(),
    hidden: new Map(),
    until: performance.now() + STITCH_LIMIT_MS,
  };
  stitching = state;
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  if (inner) dom.scrollTo(inner, { top: 0, behavior: 'instant' });
  eachElement((element) => {
    const { position } = getComputedStyle(element);
    if (position === 'fixed' || position === 'sticky') state.homes.set(element, placeInPage(element));
  });
  return { width: dom.clientWidth(page), height: dom.clientHeight(page) };
}

/**
 * Scrolls to a point of the page and hides what is drawn elsewhere in the picture. `last`: the picture ends with this
 * part, which shows what sticks to the window's bottom. → where the window is; for an inner box, `shift` is how far the
 * picture's places lie below the page's, and `height` the part of the window that shows the picture
 * @param {number} x
 * @param {number} y
 * @param {boolean} last
 */
async function scrollForPart(x, y, last) {
  const state = stitching;
  const inner = state?.inner ?? null;
  if (inner) dom.scrollTo(inner, { top: Math.max(y - innerTop(inner), 0), behavior: 'instant' });
  else scrollTo({ left: x, top: y, behavior: 'instant' });
  if (state) {
    for (const [element, home] of state.homes) {
      const now = placeInPage(element);
      const isPinned = Math.abs(now.x - home.x) > 1 || Math.abs(now.y - home.y) > 1;
      const isAtEnd = home.y + home.height / 2 > innerHeight / 2 && home.height < innerHeight / 2;
      const isFixed = getComputedStyle(element).position === 'fixed';
      const isOutside = inner !== null && isFixed && !isAtEnd;
      const shows = isFixed && isAtEnd ? last : isOutside ? dom.scrollTop(inner) === 0 : !isPinned;
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
  if (!inner) return { x: scrollX, y: scrollY };
  const shift = dom.scrollTop(inner);
  const isAtEnd = shift + dom.clientHeight(inner) >= dom.scrollHeight(inner) - 1;
  return { x: 0, y: shift, shift, height: isAtEnd ? innerHeight : innerTop(inner) + dom.clientHeight(inner) };
}

/** The top of what a box shows, in the window. @param {Element} inner */
const innerTop = (inner) => dom.getBoundingClientRect(inner).top + dom.clientTop(inner);

/* Shows everything again and scrolls back. */
async function endStitching() {
  const state = stitching;
  if (!state) return null;
  for (const animation of state.hidden.values()) animation.cancel();
  state.hidden.clear();
  scrollTo({ left: state.x, top: state.y, behavior: 'instant' });
  if (state.inner) dom.scrollTo(state.inner, { top: state.top, behavior: 'instant' });
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
