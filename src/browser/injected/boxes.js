/*
 * Labeled boxes around elements, for one screenshot.
 *
 * Owns one host element of ours with a closed shadow root. Removes it afterwards; changes nothing else.
 */

/* This host must be visible in the screenshot: `hideOwn` skips it. */
const BOXES = 'boxes';
/* Removes the boxes if nobody else does (the command was cancelled). */
const BOXES_LIVE_MS = 30_000;

/** Draws {number, label} boxes around the visible elements. → how many @param {Named[]} named */
function drawBoxes(named) {
  removeBoxes();
  const host = dom.createElement(document, 'div');
  dom.setAttribute(host, OWN_HOST, BOXES);
  dom.style(host).cssText =
    'all: initial; position: absolute; left: 0; top: 0; width: 0; height: 0; z-index: 2147483647; pointer-events: none;';
  const root = dom.attachShadow(host, { mode: 'closed' });
  let drawn = 0;
  for (const { number, label } of named) {
    const element = elementOf(number);
    if (!element || !dom.isConnected(element) || !isVisible(element)) continue;
    const { x, y, width, height } = dom.getBoundingClientRect(element);
    const box = dom.createElement(document, 'div');
    const place = `left: ${x + scrollX}px; top: ${y + scrollY}px; width: ${width}px; height: ${height}px;`;
    dom.style(box).cssText = `position: absolute; box-sizing: border-box; border: 2px solid #d93025; ${place}`;
    const tag = dom.createElement(document, 'span');
    tag.textContent = label;
    dom.style(tag).cssText =
      'position: absolute; left: -2px; top: -2px; padding: 0 3px; background: #d93025; color: #fff; ' +
      'font: bold 11px/14px monospace; white-space: nowrap;';
    dom.append(box, tag);
    dom.append(root, box);
    drawn += 1;
  }
  dom.append(dom.documentElement(document), host);
  // The body may be the containing block of absolute positions.
  const origin = dom.getBoundingClientRect(host);
  dom.style(host).translate = `${-origin.x - scrollX}px ${-origin.y - scrollY}px`;
  setTimeout(() => dom.remove(host), BOXES_LIVE_MS);
  return drawn;
}

function removeBoxes() {
  for (const host of dom.querySelectorAll(document, `[${OWN_HOST}="${BOXES}"]`)) dom.remove(host);
  return null;
}
