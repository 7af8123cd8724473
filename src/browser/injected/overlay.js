/*
 * Drawings over the page for the user: the refs of the last snapshot, an outline around one element, while refs are
 * shown an outline around the element of the current action, and the subjects of open approval cards.
 *
 * Owns four layers of our root. Nothing here receives pointer events. Positions are read once per animation frame, and
 * only while something is shown: the page may scroll, resize or change its layout at any time.
 */

const OVERLAY_RULES = `
  .refs, .pointed, .touched, .asked { all: initial; position: absolute; left: 0; top: 0; pointer-events: none; direction: ltr; }
  .ref { position: absolute; left: 0; top: 0; padding: 0 4px; border-radius: 4px; background: #0c0c0c; color: #fafafa;
    box-shadow: 0 0 0 1px #3f3f46;
    white-space: nowrap; font: 500 11px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
  .ref.is-target { background: #f59e0b; color: #0c0c0c; box-shadow: none; z-index: 1; }
  .outline { position: absolute; left: 0; top: 0; box-sizing: border-box; border: 2px solid #f59e0b;
    border-radius: 6px; background: rgb(245 158 11 / .08);
    box-shadow: 0 0 0 1px rgb(0 0 0 / .35), inset 0 0 0 1px rgb(0 0 0 / .2); }
  .name { position: absolute; left: 0; top: 0; max-width: min(420px, 90vw); box-sizing: border-box; padding: 2px 8px;
    border-radius: 4px; background: #f59e0b; color: #0c0c0c;
    overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
    font: 500 11px/16px "JetBrains Mono", ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; }
  .asked .outline { border-style: dashed; }
  .ghost { position: absolute; left: 0; top: 0; box-sizing: border-box; overflow: hidden; white-space: pre-wrap;
    overflow-wrap: anywhere; border-radius: 4px; background: #fff7e6; color: #7c4a03; }`;

/* The distance between an element and its outline. */
const OUTLINE_GAP = 3;
/* The offset of a badge from its element's corner, as far as the window has room. */
const BADGE_LEFT = 4;
const BADGE_ABOVE = 13;

/*
 * The mark on an element stays this long after the action: otherwise it would be too short to see. The cursor's label
 * disappears at the same time.
 */
const TOUCH_LASTS_MS = 600;

/**
 * @type {{
 *   refs: HTMLElement | null; pointed: HTMLElement | null; touched: HTMLElement | null; asked: HTMLElement | null;
 *   badges: Map<Element, HTMLElement>; shown: Set<Element>; seen: IntersectionObserver | null; styled: boolean;
 *   target: Outlined | null; touch: Outlined | null; untouch: number; frame: number;
 *   asks: Map<string, Outlined & { outline: HTMLElement; ghost: HTMLElement }>;
 * }}
 */
const overlay = {
  refs: null,
  pointed: null,
  touched: null,
  badges: new Map(),
  shown: new Set(),
  seen: null,
  target: null,
  touch: null,
  untouch: 0,
  asked: null,
  asks: new Map(),
  frame: 0,
  styled: false,
};

/** @param {'refs' | 'pointed' | 'touched' | 'asked'} name */
function overlayLayer(name) {
  const there = overlay[name];
  if (there) {
    showLayer(there);
    return there;
  }
  const layer = addLayer(name, overlay.styled ? '' : OVERLAY_RULES);
  overlay.styled = true;
  overlay[name] = layer;
  return layer;
}

/**
 * Shows a badge at each {number, label} that is in the page, and removes all others. → how many
 * @param {Named[]} named
 */
function drawRefs(named) {
  clearBadges();
  const layer = overlayLayer('refs');
  // Only visible badges are placed: a long page may have thousands.
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const badge = overlay.badges.get(target);
      if (!badge) continue;
      if (isIntersecting) {
        overlay.shown.add(target);
        dom.append(layer, badge);
      } else {
        overlay.shown.delete(target);
        dom.remove(badge);
      }
    }
    // Placed before they are drawn for the first time.
    placeAll();
  });
  overlay.seen = seen;
  for (const { number, label } of named) {
    const element = elementOf(number);
    if (!element || !dom.isConnected(element)) continue;
    const badge = dom.createElement(document, 'span');
    badge.className = 'ref';
    badge.textContent = label;
    overlay.badges.set(element, badge);
    markBadge(element);
    seen.observe(element);
  }
  followPage();
  return overlay.badges.size;
}

function clearRefs() {
  clearBadges();
  untouch();
  return null;
}

function clearBadges() {
  overlay.seen?.disconnect();
  overlay.seen = null;
  overlay.badges.clear();
  overlay.shown.clear();
  if (overlay.refs) {
    dom.replaceChildren(overlay.refs);
    dropLayer(overlay.refs);
  }
}

/** Marks a badge in amber if its element is outlined or acted on. @param {Element} element */
function markBadge(element) {
  const badge = overlay.badges.get(element);
  if (badge) dom.classList(badge).toggle('is-target', element === overlay.target?.element || element === overlay.touch?.element);
}

/**
 * Outlines an element, or none. `label`: its name; null: its role and name. → whether it is in the page
 * @param {number | null} number
 * @param {string | null} [label]
 */
function pointAt(number, label = null) {
  const element = number === null ? null : elementOf(number);
  const before = overlay.target?.element;
  overlay.target = null;
  if (before) markBadge(before);
  if (!element || !dom.isConnected(element)) {
    if (overlay.pointed) dropLayer(overlay.pointed);
    return false;
  }
  const layer = overlayLayer('pointed');
  if (!dom.firstChild(layer)) {
    for (const name of ['outline', 'name']) dom.append(layer, Object.assign(dom.createElement(document, 'div'), { className: name }));
  }
  beginPass();
  const last = dom.lastChild(layer);
  if (last) last.textContent = label ?? calledBy(element);
  overlay.target = { element, layer };
  markBadge(element);
  followPage();
  return true;
}

/**
 * While refs are shown, outlines the element of the current action; null: the action has ended.
 * @param {number | null} number
 */
function touch(number) {
  clearTimeout(overlay.untouch);
  if (number === null) {
    overlay.untouch = setTimeout(untouch, TOUCH_LASTS_MS);
    return null;
  }
  untouch();
  const element = elementOf(number);
  if (!overlay.seen || !element || !dom.isConnected(element)) return null;
  const layer = overlayLayer('touched');
  if (!dom.firstChild(layer)) dom.append(layer, Object.assign(dom.createElement(document, 'div'), { className: 'outline' }));
  overlay.touch = { element, layer };
  markBadge(element);
  followPage();
  return null;
}

function untouch() {
  clearTimeout(overlay.untouch);
  if (!overlay.touch) return;
  const { element, layer } = overlay.touch;
  overlay.touch = null;
  markBadge(element);
  dropLayer(layer);
}

/**
 * Outlines the subject of an open approval card, and shows the text to be typed in it; null: none. `id`: the card's.
 * The page is neither scrolled nor focused. → whether it is in the page
 * @param {Target} target
 * @param {string} id
 * @param {string | null} text
 */
function showAsked(target, id, text) {
  hideAsked(id);
  const { element } = resolveOne(target);
  if (!element) return false;
  const layer = overlayLayer('asked');
  const [outline, ghost] = ['outline', 'ghost'].map((name) => Object.assign(dom.createElement(document, 'div'), { className: name }));
  if (text !== null) {
    ghost.textContent = text;
    dressAsField(ghost, getComputedStyle(element), tagOf(element) !== 'textarea');
    dom.append(layer, ghost);
  }
  dom.append(layer, outline);
  overlay.asks.set(id, { element, layer, outline, ghost });
  followPage();
  return true;
}

/**
 * Styles the text like the field's own.
 * @param {HTMLElement} ghost
 * @param {CSSStyleDeclaration} style
 * @param {boolean} isOneLine
 */
function dressAsField(ghost, style, isOneLine) {
  for (const name of [
    'font-family',
    'font-size',
    'font-weight',
    'line-height',
    'letter-spacing',
    'text-align',
    'direction',
    'padding-top',
    'padding-right',
    'padding-bottom',
    'padding-left',
  ]) {
    dom.style(ghost).setProperty(name, style.getPropertyValue(name));
  }
  if (!isOneLine) return;
  dom.style(ghost).setProperty('white-space', 'pre');
  dom.style(ghost).setProperty('display', 'grid');
  dom.style(ghost).setProperty('align-content', 'center');
}

/** @param {string} id */
function hideAsked(id) {
  const asked = overlay.asks.get(id);
  if (!asked) return null;
  overlay.asks.delete(id);
  dom.remove(asked.outline);
  dom.remove(asked.ghost);
  if (overlay.asks.size === 0) dropLayer(asked.layer);
  return null;
}

/** Returns the role and name: `button "Apply"`. @param {Element} element */
function calledBy(element) {
  const role = roleOf(element) || tagOf(element);
  const name = nameOf(element, roleOf(element));
  return name ? `${role} "${name}"` : role;
}

function followPage() {
  cancelAnimationFrame(overlay.frame);
  const step = () => {
    overlay.frame = 0;
    if (overlay.badges.size === 0 && overlay.asks.size === 0 && !overlay.target && !overlay.touch) return;
    placeAll();
    overlay.frame = requestAnimationFrame(step);
  };
  step();
}

function placeAll() {
  const { host } = openRoot();
  // A transformed <html> moves the fixed elements in it.
  const origin = dom.getBoundingClientRect(host);
  const places = Array.from(overlay.shown, (element) => ({ badge: overlay.badges.get(element), box: dom.getBoundingClientRect(element) }));
  const outlined = [overlay.target, overlay.touch]
    .filter((one) => one !== null)
    .map((one) => ({ ...one, box: dom.getBoundingClientRect(boxOf(one.element) ?? one.element) }));
  const asks = Array.from(overlay.asks, ([id, { element, ...asked }]) => ({
    id,
    ...asked,
    box: dom.isConnected(element) ? dom.getBoundingClientRect(boxOf(element) ?? element) : null,
  }));
  // All reads come before all writes: one layout per frame.
  for (const { badge, box } of places) {
    if (!badge) continue;
    const left = Math.max(2, box.left - BADGE_LEFT);
    const top = Math.max(2, box.top - BADGE_ABOVE);
    moveTo(badge, left - origin.left, top - origin.top);
  }
  for (const one of outlined) placeOutline(one, origin);
  for (const { id, box, outline, ghost } of asks) {
    if (!box) {
      hideAsked(id);
      continue;
    }
    placeOver(outline, box, OUTLINE_GAP, origin);
    placeOver(ghost, box, 0, origin);
  }
}

/** @param {{ element: Element; layer: HTMLElement; box: DOMRect }} given @param {DOMRect} origin */
function placeOutline({ element, layer, box }, origin) {
  if (!dom.isConnected(element)) return layer === overlay.touched ? untouch() : void pointAt(null);
  const [outline, name] = dom.children(layer);
  const left = box.left - OUTLINE_GAP;
  const top = box.top - OUTLINE_GAP;
  placeOver(outline, box, OUTLINE_GAP, origin);
  if (!name) return;
  const size = dom.getBoundingClientRect(name);
  const below = box.bottom + OUTLINE_GAP + 4;
  const above = top - size.height - 4;
  const at = below + size.height <= innerHeight ? below : above >= 0 ? above : Math.max(0, innerHeight - size.height - 4);
  moveTo(name, Math.max(2, Math.min(left, innerWidth - size.width - 2)) - origin.left, at - origin.top);
}

/**
 * Places an element over a box, with a margin around it.
 * @param {Element} element
 * @param {DOMRect} box
 * @param {number} gap
 * @param {DOMRect} origin
 */
function placeOver(element, box, gap, origin) {
  moveTo(element, box.left - gap - origin.left, box.top - gap - origin.top);
  setSize(element, box.width + 2 * gap, box.height + 2 * gap);
}

/** @param {Element} element @param {number} x @param {number} y */
function moveTo(element, x, y) {
  const wanted = `translate(${Math.round(x * 2) / 2}px, ${Math.round(y * 2) / 2}px)`;
  if (dom.style(element).transform !== wanted) dom.style(element).transform = wanted;
}

/** @param {Element} element @param {number} width @param {number} height */
function setSize(element, width, height) {
  if (dom.style(element).width !== `${width}px`) dom.style(element).width = `${width}px`;
  if (dom.style(element).height !== `${height}px`) dom.style(element).height = `${height}px`;
}

/** @param {number} number */
function isHere(number) {
  const element = elementOf(number);
  return element !== null && dom.isConnected(element);
}

/** Returns those numbers whose elements are in the page. @param {number[]} numbers */
const presentOf = (numbers) => numbers.filter(isHere);
