/*
 * Scrolls an element by a distance, to an edge, or until something appears.
 *
 * Owns the choice of the scroll container: the element itself, else the nearest scrollable ancestor, else the page.
 */

/* The time that a list has at its end to load more. */
const MORE_COMES_MS = 1500;
/* Frames until a page notices what is in view. */
const FRAMES_TO_NOTICE = 2;
/* The part of the container's height to scroll: content at one edge stays visible at the other. */
const SCROLL_PART = 0.8;

/**
 * Returns the nearest scroll container from an element on outwards; the page is the last.
 * @param {Element | null} from
 * @returns {Element}
 */
function scrollBoxOf(from) {
  const page = dom.scrollingElement(document) ?? dom.documentElement(document);
  for (let at = from; at && at !== page && at !== dom.body(document); at = composedParent(at)) if (scrolls(at)) return at;
  if (from || dom.scrollHeight(page) > dom.clientHeight(page) + 1) return page;
  // A page that does not scroll itself mostly has an element that scrolls instead.
  for (let at = elementAt({ x: innerWidth / 2, y: innerHeight / 2 }); at; at = composedParent(at)) if (scrolls(at)) return at;
  return page;
}

/** @param {Element} element */
function scrolls(element) {
  const { overflowX, overflowY } = getComputedStyle(element);
  const may = (/** @type {string} */ overflow) => /auto|scroll|overlay/.test(overflow);
  return (
    (may(overflowY) && dom.scrollHeight(element) > dom.clientHeight(element) + 1) ||
    (may(overflowX) && dom.scrollWidth(element) > dom.clientWidth(element) + 1)
  );
}

/** @param {Place | null} place @returns {Refusal | { element: Element, fault?: undefined }} */
function boxFor(place) {
  const element = place && heldElement(place);
  if (place && !element) return { fault: 'stale', message: 'the element left the page' };
  return { element: scrollBoxOf(element) };
}

/** @param {Element} box */
const isAtEnd = (box) => dom.scrollTop(box) + dom.clientHeight(box) >= dom.scrollHeight(box) - 2;

/**
 * Scrolls. → {x, y, ended}: the distance scrolled, and whether the end is reached, or a fault
 * @param {Place | null} place
 * @param {{ by?: [number, number]; to?: 'top' | 'bottom' | 'left' | 'right' }} how
 */
async function scrollWithin(place, how) {
  const found = boxFor(place);
  if (found.fault !== undefined) return found;
  const box = found.element;
  const [left, top] = [dom.scrollLeft(box), dom.scrollTop(box)];
  if (how.by) dom.scrollBy(box, { left: how.by[0], top: how.by[1], behavior: 'instant' });
  if (how.to === 'top') dom.scrollTo(box, { top: 0, behavior: 'instant' });
  if (how.to === 'bottom') dom.scrollTo(box, { top: dom.scrollHeight(box), behavior: 'instant' });
  if (how.to === 'left') dom.scrollTo(box, { left: 0, behavior: 'instant' });
  if (how.to === 'right') dom.scrollTo(box, { left: dom.scrollWidth(box), behavior: 'instant' });
  // Virtual lists render in the scroll event, which comes with the next frame.
  await nextFrame();
  await nextFrame();
  return { x: Math.round(dom.scrollLeft(box) - left), y: Math.round(dom.scrollTop(box) - top), ended: isAtEnd(box) };
}

/* A larger part of the box without anything in it belongs to a list that draws only what is in view. */
const EMPTY_PART = 1.5;
/* Finding out takes longer than scrolling through more. */
const MOST_LEAVES = 20_000;

/**
 * Returns true if everything in a box is in the document: then a jump to its end passes nothing over. A list that draws
 * only what is in view leaves the rest empty.
 * @param {Element} box
 */
function isWhole(box) {
  const inner = dom.clientHeight(box);
  const page = box === (dom.scrollingElement(document) ?? dom.documentElement(document));
  const start = (page ? 0 : dom.getBoundingClientRect(box).top) - dom.scrollTop(box);
  /** @type {{ top: number; bottom: number }[]} */
  const leaves = [];
  const walker = dom.createTreeWalker(document, box, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (dom.firstElementChild(node) || (!dom.textContent(node)?.trim() && !SHOWS_ITSELF.has(tagOf(node)))) continue;
    const { top, bottom, height } = dom.getBoundingClientRect(node);
    if (height > 0) leaves.push({ top: top - start, bottom: bottom - start });
    if (leaves.length > MOST_LEAVES) return false;
  }
  leaves.sort((one, other) => one.top - other.top);
  let reached = 0;
  for (const { top, bottom } of leaves) {
    if (top - reached > inner * EMPTY_PART) return false;
    reached = Math.max(reached, bottom);
  }
  return dom.scrollHeight(box) - reached <= inner * EMPTY_PART;
}
const SHOWS_ITSELF = new Set(['img', 'canvas', 'video', 'input', 'textarea', 'iframe', 'svg', 'hr']);

/* What a list shows while it loads more; a bar with a value measures something else. */
const LOADS = '[aria-busy="true"], [role="progressbar"]:not([aria-valuenow]), progress:not([value])';

/** Returns true if a box, what is around it, or something in it says that it is loading. @param {Element} box */
function isBusy(box) {
  const around = composedClosest(box, (/** @type {Element} */ at) => dom.getAttribute(at, 'aria-busy') === 'true');
  return around !== null || Array.from(dom.querySelectorAll(box, LOADS)).some(isVisible);
}

/** Scrolls a page's height up and back: a list that missed its end coming into view notices it now. @param {Element} box */
async function nudge(box) {
  const top = dom.scrollTop(box);
  dom.scrollBy(box, { top: -dom.clientHeight(box), behavior: 'instant' });
  for (let frame = 0; frame < FRAMES_TO_NOTICE; frame += 1) await nextFrame();
  dom.scrollTo(box, { top, behavior: 'instant' });
}

/**
 * Scrolls down until something visible matches, for at most `timeout` ms. → {found, ended, busy, y, steps} or a fault
 * @param {Place | null} place
 * @param {string} selector
 * @param {number} timeout
 */
async function scrollUntil(place, selector, timeout) {
  const deadline = performance.now() + timeout;
  let [distance, steps, grownAt, size, nudged] = [0, 0, performance.now(), '', false];
  for (;;) {
    // What scrolls may come with the first part of the list.
    const box = boxFor(place);
    if (box.fault !== undefined) return box;
    const { element } = box;
    let match;
    try {
      match = queryAll(selector).find(isVisible);
    } catch (error) {
      if (error instanceof SelectorError) return { fault: /** @type {const} */ ('selector'), message: error.message };
      throw error;
    }
    if (match) {
      const point = pointOf(match);
      if (!point || hitBlocker(match, point) !== null) {
        const before = dom.scrollTop(element);
        scrollIntoView(match);
        distance += dom.scrollTop(element) - before;
      }
    }
    const done = (ended = false) => ({ found: !!match, ended, busy: !match && isBusy(element), y: Math.round(distance), steps });
    if (match || performance.now() >= deadline) return done();
    // A list that has just grown may grow again.
    const now = `${dom.scrollHeight(element)} ${dom.getElementsByTagName(element, '*').length}`;
    if (now !== size) {
      // A list learns only from a drawn frame that its end is out of view, and asks for more when it is back in view.
      if (size !== '') for (let frame = 0; frame < FRAMES_TO_NOTICE; frame += 1) await nextFrame();
      [size, grownAt, nudged] = [`${dom.scrollHeight(element)} ${dom.getElementsByTagName(element, '*').length}`, performance.now(), false];
    }
    if (isAtEnd(element)) {
      const waited = performance.now() - grownAt;
      if (waited > MORE_COMES_MS && !isBusy(element)) return done(true);
      if (waited > MORE_COMES_MS / 3 && !nudged) {
        nudged = true;
        await nudge(element);
      }
      await change(deadline);
      continue;
    }
    steps += 1;
    const before = dom.scrollTop(element);
    const step = isWhole(element) ? dom.scrollHeight(element) : Math.max(1, dom.clientHeight(element) * SCROLL_PART);
    dom.scrollBy(element, { top: step, behavior: 'instant' });
    await nextFrame();
    await nextFrame();
    distance += dom.scrollTop(element) - before;
    grownAt = performance.now();
  }
}
