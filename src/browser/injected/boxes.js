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
  const host = document.createElement('div');
  host.setAttribute(OWN_HOST, BOXES);
  host.style.cssText = 'all: initial; position: absolute; left: 0; top: 0; width: 0; height: 0; z-index: 2147483647; pointer-events: none;';
  const root = host.attachShadow({ mode: 'closed' });
  let drawn = 0;
  for (const { number, label } of named) {
    const element = elementOf(number);
    if (!element?.isConnected || !isVisible(element)) continue;
    const { x, y, width, height } = element.getBoundingClientRect();
    const box = document.createElement('div');
    const place = `left: ${x + scrollX}px; top: ${y + scrollY}px; width: ${width}px; height: ${height}px;`;
    box.style.cssText = `position: absolute; box-sizing: border-box; border: 2px solid #d93025; ${place}`;
    const tag = document.createElement('span');
    tag.textContent = label;
    tag.style.cssText =
      'position: absolute; left: -2px; top: -2px; padding: 0 3px; background: #d93025; color: #fff; ' +
      'font: bold 11px/14px monospace; white-space: nowrap;';
    box.append(tag);
    root.append(box);
    drawn += 1;
  }
  document.documentElement.append(host);
  // The body may be the containing block of absolute positions.
  const origin = host.getBoundingClientRect();
  host.style.translate = `${-origin.x - scrollX}px ${-origin.y - scrollY}px`;
  setTimeout(() => host.remove(), BOXES_LIVE_MS);
  return drawn;
}

function removeBoxes() {
  for (const host of document.querySelectorAll(`[${OWN_HOST}="${BOXES}"]`)) host.remove();
  return null;
}
