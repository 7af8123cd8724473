/*
 * Scrolls an element by a distance, to an edge, or until something appears.
 *
 * Owns the choice of the scroll container: the element itself, else the nearest scrollable ancestor, else the page.
 */

/* The time that a list has at its end to load more. */
const MORE_COMES_MS = 1500;
/* The part of the container's height to scroll: content at one edge stays visible at the other. */
const SCROLL_PART = 0.8;

/**
 * Returns the nearest scroll container from an element on outwards; the page is the last.
 * @param {Element | null} from
 * @returns {Element}
 */
function scrollBoxOf(from) {
  const page = document.scrollingElement ?? document.documentElement;
  for (let at = from; at && at !== page && at !== document.body; at = composedParent(at)) if (scrolls(at)) return at;
  if (from || page.scrollHeight > page.clientHeight + 1) return page;
  // A page that does not scroll itself mostly has an element that scrolls instead.
  for (let at = elementAt({ x: innerWidth / 2, y: innerHeight / 2 }); at; at = composedParent(at)) if (scrolls(at)) return at;
  return page;
}

/** @param {Element} element */
function scrolls(element) {
  const { overflowX, overflowY } = getComputedStyle(element);
  const may = (/** @type {string} */ overflow) => /auto|scroll|overlay/.test(overflow);
  return (
    (may(overflowY) && element.scrollHeight > element.clientHeight + 1) || (may(overflowX) && element.scrollWidth > element.clientWidth + 1)
  );
}

/** @param {Place | null} place @returns {Refusal | { element: Element, fault?: undefined }} */
function boxFor(place) {
  const element = place && heldElement(place);
  if (place && !element) return { fault: 'stale', message: 'the element left the page' };
  return { element: scrollBoxOf(element) };
}

/** @param {Element} box */
const isAtEnd = (box) => box.scrollTop + box.clientHeight >= box.scrollHeight - 2;

/**
 * Scrolls. → {x, y, ended}: the distance scrolled, and whether the end is reached, or a fault
 * @param {Place | null} place
 * @param {{ by?: [number, number]; to?: 'top' | 'bottom' | 'left' | 'right' }} how
 */
async function scrollWithin(place, how) {
  const found = boxFor(place);
  if (found.fault !== undefined) return found;
  const box = found.element;
  const [left, top] = [box.scrollLeft, box.scrollTop];
  if (how.by) box.scrollBy({ left: how.by[0], top: how.by[1], behavior: 'instant' });
  if (how.to === 'top') box.scrollTo({ top: 0, behavior: 'instant' });
  if (how.to === 'bottom') box.scrollTo({ top: box.scrollHeight, behavior: 'instant' });
  if (how.to === 'left') box.scrollTo({ left: 0, behavior: 'instant' });
  if (how.to === 'right') box.scrollTo({ left: box.scrollWidth, behavior: 'instant' });
  // Virtual lists render in the scroll event, which comes with the next frame.
  await nextFrame();
  await nextFrame();
  return { x: Math.round(box.scrollLeft - left), y: Math.round(box.scrollTop - top), ended: isAtEnd(box) };
}

/**
 * Scrolls down in steps until something visible matches, for at most `timeout` ms. → {found, ended, y, steps} or a
 * fault
 * @param {Place | null} place
 * @param {string} selector
 * @param {number} timeout
 */
async function scrollUntil(place, selector, timeout) {
  const box = boxFor(place);
  if (box.fault !== undefined) return box;
  const { element } = box;
  const deadline = performance.now() + timeout;
  const top = element.scrollTop;
  let steps = 0;
  let waitedSince = 0;
  for (;;) {
    let match;
    try {
      match = queryAll(selector).find(isVisible);
    } catch (error) {
      if (error instanceof SelectorError) return { fault: /** @type {const} */ ('selector'), message: error.message };
      throw error;
    }
    if (match) {
      const point = pointOf(match);
      if (!point || hitBlocker(match, point) !== null) scrollIntoView(match);
    }
    const done = (ended = false) => ({ found: !!match, ended, y: Math.round(element.scrollTop - top), steps });
    if (match || performance.now() >= deadline) return done();
    if (isAtEnd(element)) {
      waitedSince ||= performance.now();
      if (performance.now() - waitedSince > MORE_COMES_MS) return done(true);
      await change(deadline);
      continue;
    }
    waitedSince = 0;
    steps += 1;
    element.scrollBy({ top: Math.max(1, element.clientHeight * SCROLL_PART), behavior: 'instant' });
    await nextFrame();
    await nextFrame();
  }
}
