/*
 * Areas of image maps: a part of a picture, which the picture itself receives events for in most ways, and the area in the rest.
 *
 * Owns the picture of an area and its points. Source: HTML, 4.8.14.
 */

/** Returns the picture that an area is a part of, or null. @param {Element} area @returns {Element | null} */
function pictureOf(area) {
  const map = dom.closest(area, 'map');
  return map?.name ? dom.querySelector(dom.getRootNode(area), `img[usemap="#${CSS.escape(map.name)}"]`) : null;
}

/** Returns the rectangle around an area, in the viewport. @param {Element} area */
function boxOfArea(area) {
  const picture = pictureOf(area);
  if (!picture) return null;
  const { left, top, width, height } = dom.getBoundingClientRect(picture);
  const shape = (dom.getAttribute(area, 'shape') ?? 'rect').toLowerCase();
  const at = (dom.getAttribute(area, 'coords') ?? '').split(/[\s,;]+/).map(Number);
  if (shape === 'default' || at.some(Number.isNaN) || at.length < 3) return new DOMRect(left, top, width, height);
  if (shape.startsWith('circ')) return new DOMRect(left + at[0] - at[2], top + at[1] - at[2], 2 * at[2], 2 * at[2]);
  const across = at.filter((_, place) => place % 2 === 0);
  const down = at.filter((_, place) => place % 2 === 1);
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return new DOMRect(left + x, top + y, Math.max(...across) - x, Math.max(...down) - y);
}

/* The number of points tried in each direction for an area that is not a rectangle. */
const AREA_STEPS = 7;

/** Returns a point in the window at which an area receives events, or null. @param {Element} area @returns {Point | null} */
function pointOfArea(area) {
  const box = boxOfArea(area);
  if (!box) return null;
  const middle = (AREA_STEPS - 1) / 2;
  const steps = Array.from({ length: AREA_STEPS ** 2 }, (_, at) => [at % AREA_STEPS, Math.floor(at / AREA_STEPS)]);
  steps.sort((a, b) => Math.hypot(a[0] - middle, a[1] - middle) - Math.hypot(b[0] - middle, b[1] - middle));
  /** @type {Point | null} */
  let first = null;
  for (const [across, down] of steps) {
    const point = { x: box.left + (box.width * (across + 0.5)) / AREA_STEPS, y: box.top + (box.height * (down + 0.5)) / AREA_STEPS };
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) continue;
    if (dom.elementFromPoint(dom.getRootNode(area), point.x, point.y) === area) return point;
    first ??= point;
  }
  return first;
}
