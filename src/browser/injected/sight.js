/*
 * Detects text that the user cannot see: transparent, tiny, in the color of its background, clipped away or outside of
 * the page. Such text is for machines only.
 *
 * Owns the decision and its mark, `[hidden text: …]`. Text that is not rendered at all never gets here. Text behind
 * another element, and text in a color merely similar to its background, is not detected.
 */

const INVISIBLE_COLOR = /^(transparent|rgba\(.*, 0\)|.*\/ 0\))$/;
const CLIPPED = /^rect\(([01]px,? ){3}[01]px\)$/;

/* The ways of hiding a text. */
const CUT = 'cut'; // as pages hide text for screen readers: clipped away or pushed out of the page
const FADED = 'faded'; // as pages hide text that nobody is meant to see

/**
 * Returns true for an invisible color. Most colors are plain `rgb(…)`, which needs no regular expression.
 * @param {string} color
 */
const isInvisible = (color) => !color.startsWith('rgb(') && INVISIBLE_COLOR.test(color);

/**
 * Returns the way in which this element itself hides all of its content.
 * @param {Element} element
 * @param {CSSStyleDeclaration} style
 */
function hidesAll(element, style) {
  const { opacity, clip, clipPath } = style;
  if (opacity !== '1' && Number(opacity) < 0.05) return FADED;
  if ((clip !== 'auto' && CLIPPED.test(clip)) || (clipPath !== 'none' && /^inset\((50|100)%\)$/.test(clipPath))) return CUT;
  if (style.overflowX === 'visible' || style.display === 'inline') return '';
  return dom.clientWidth(element) <= 1 || dom.clientHeight(element) <= 1 ? CUT : '';
}

/**
 * Returns the background color of this element's content; null if it is unknown. An image counts as a visible
 * background.
 * @param {CSSStyleDeclaration} style
 * @param {string | null} behind
 */
function backgroundOf(style, behind) {
  const color = style.backgroundColor;
  if (style.backgroundImage !== 'none') return null;
  return color.startsWith('rgb(') ? color : isInvisible(color) ? behind : null;
}

/* The results for the elements of one pass: each element with text, and each of its ancestors, is checked once. */
class Sight {
  /*
   * element → {style, all, behind, beyond, own}: the way all of its content is hidden, the color behind the content,
   * whether it is outside of the page, the way its own text is hidden; the last two are computed on demand
   */
  #known = new Map();
  #scrolled = { left: -scrollX, top: -scrollY };
  #canvas = getComputedStyle(dom.documentElement(document)).colorScheme.includes('dark') ? null : 'rgb(255, 255, 255)';

  /** @param {Element} element */
  #of(element) {
    const found = this.#known.get(element);
    if (found) return found;
    const above = [element];
    let known;
    for (let at = composedParent(element); at && !(known = this.#known.get(at)); at = composedParent(at)) above.push(at);
    let { all, behind } = known ?? { all: '', behind: this.#canvas };
    for (const at of above.reverse()) {
      const style = getComputedStyle(at);
      all ||= hidesAll(at, style);
      behind = backgroundOf(style, behind);
      known = { style, all, behind, beyond: undefined, own: undefined };
      this.#known.set(at, known);
    }
    return known;
  }

  /**
   * Returns the way in which an element is hidden with all of its content; '' if it is not.
   * @param {Element} element
   */
  hidesAll(element) {
    const known = this.#of(element);
    return known.all || ((known.beyond ??= this.#isBeyond(element)) ? CUT : '');
  }

  /** @param {Element} element */
  #isBeyond(element) {
    const box = dom.getBoundingClientRect(element);
    if (box.right > this.#scrolled.left && box.bottom > this.#scrolled.top) return false;
    return box.width > 0 && box.height > 0;
  }

  /** Returns the way in which the text directly in an element is hidden; '' if it is not. @param {Element} element */
  hidesText(element) {
    const known = this.#of(element);
    return (known.own ??= known.all || this.#hidesOwn(element, known));
  }

  /** @param {Element} element @param {Seen} known */
  #hidesOwn(element, known) {
    const { color, fontSize, textIndent } = known.style;
    if (color === known.behind || isInvisible(color) || parseFloat(fontSize) < 3) return FADED;
    if (textIndent !== '0px' && parseFloat(textIndent) < -500) return CUT;
    return (known.beyond ??= this.#isBeyond(element)) ? CUT : '';
  }

  /** Returns a text of an element, marked if it is hidden. @param {Element} element @param {string} text */
  marked(element, text) {
    return /\S/.test(text) && this.hidesText(element) ? ` [hidden text: ${squeeze(text)}] ` : text;
  }
}
