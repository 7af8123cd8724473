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

/**
 * Returns the rectangle around an area, in the picture's own pixels.
 * @param {Element} area
 * @param {number} width
 * @param {number} height
 */
function boxOfArea(area, width, height) {
  const shape = (dom.getAttribute(area, 'shape') ?? 'rect').toLowerCase();
  const at = (dom.getAttribute(area, 'coords') ?? '').split(/[\s,;]+/).map(Number);
  if (shape === 'default' || at.some(Number.isNaN) || at.length < 3) return new DOMRect(0, 0, width, height);
  if (shape.startsWith('circ')) return new DOMRect(at[0] - at[2], at[1] - at[2], 2 * at[2], 2 * at[2]);
  const across = at.filter((_, place) => place % 2 === 0);
  const down = at.filter((_, place) => place % 2 === 1);
  const [x, y] = [Math.min(...across), Math.min(...down)];
  return new DOMRect(x, y, Math.max(...across) - x, Math.max(...down) - y);
}

/**
 * Returns the scale, rotation and skew of an element in the viewport, from all transforms and zooms around it.
 * @param {Element} element
 */
function drawnAs(element) {
  let all = new DOMMatrix().scale(dom.currentCSSZoom(element));
  for (let at = /** @type {Element | null} */ (element); at; at = composedParent(at)) {
    const { transform, rotate, scale } = getComputedStyle(at);
    const steps = [
      // With an axis it is a rotation in space.
      rotate === 'none' || rotate.includes(' ') ? '' : `rotate(${rotate})`,
      scale === 'none' ? '' : `scale(${scale.split(' ').slice(0, 2).join(', ')})`,
      transform === 'none' ? '' : transform,
    ];
    all = new DOMMatrix(steps.filter(Boolean).join(' ') || 'none').multiply(all);
  }
  return all;
}

/**
 * Returns the map from a picture's own pixels to the viewport, and its own size.
 * @param {Element} picture
 */
function drawnPicture(picture) {
  const { left, top, width, height } = dom.getBoundingClientRect(picture);
  const { a, b, c, d } = drawnAs(picture);
  const own = { width: dom.offsetWidth(picture), height: dom.offsetHeight(picture) };
  /** @param {number} x @param {number} y @returns {Point} */
  const point = (x, y) => {
    const [across, down] = [x - own.width / 2, y - own.height / 2];
    return { x: left + width / 2 + a * across + c * down, y: top + height / 2 + b * across + d * down };
  };
  return { ...own, point };
}
/* The number of points tried in each direction for an area that is not a rectangle. */
const AREA_STEPS = 7;

/** Returns a point in the window at which an area receives events, or null. @param {Element} area @returns {Point | null} */
function pointOfArea(area) {
  const picture = pictureOf(area);
  if (!picture) return null;
  const drawn = drawnPicture(picture);
  const box = boxOfArea(area, drawn.width, drawn.height);
  const middle = (AREA_STEPS - 1) / 2;
  const steps = Array.from({ length: AREA_STEPS ** 2 }, (_, at) => [at % AREA_STEPS, Math.floor(at / AREA_STEPS)]);
  steps.sort((a, b) => Math.hypot(a[0] - middle, a[1] - middle) - Math.hypot(b[0] - middle, b[1] - middle));
  /** @type {Point | null} */
  let first = null;
  for (const [across, down] of steps) {
    const point = drawn.point(box.left + (box.width * (across + 0.5)) / AREA_STEPS, box.top + (box.height * (down + 0.5)) / AREA_STEPS);
    if (point.x < 0 || point.y < 0 || point.x >= innerWidth || point.y >= innerHeight) continue;
    if (dom.elementFromPoint(dom.getRootNode(area), point.x, point.y) === area) return point;
    first ??= point;
  }
  return first;
}
