/*
 * Whether a person can see the text of an element: transparent, tiny, in the colour of what is behind it, clipped away
 * or beyond the page's beginning is for machines only.
 *
 * Owns the judgement and its words, `[hidden text: …]`. What is not rendered at all is not text of the page and never
 * comes here. Something that covers a text, and colours that are merely near, are not looked for.
 */

const INVISIBLE_COLOR = /^(transparent|rgba\(.*, 0\)|.*\/ 0\))$/;
const CLIPPED = /^rect\(([01]px,? ){3}[01]px\)$/;

/* How a text is hidden. */
const CUT = 'cut'; // as pages do with words for screen readers: clipped away or pushed out of the page
const FADED = 'faded'; // as nobody does with words that anyone is to know

/** Nearly every colour is a plain one: it is told without a pattern. @param {string} color */
const isInvisible = (color) => !color.startsWith('rgb(') && INVISIBLE_COLOR.test(color);

/** What hides all that is in this element, of itself. @param {Element} element @param {CSSStyleDeclaration} style */
function hidesAll(element, style) {
  const { opacity, clip, clipPath } = style;
  if (opacity !== '1' && Number(opacity) < 0.05) return FADED;
  if ((clip !== 'auto' && CLIPPED.test(clip)) || (clipPath !== 'none' && /^inset\((50|100)%\)$/.test(clipPath))) return CUT;
  if (style.overflowX === 'visible' || style.display === 'inline') return '';
  return element.clientWidth <= 1 || element.clientHeight <= 1 ? CUT : '';
}

/**
 * The colour behind what is in this element; null where it can't be told. A picture is something to see a text on.
 * @param {CSSStyleDeclaration} style
 * @param {string | null} behind
 */
function backgroundOf(style, behind) {
  const color = style.backgroundColor;
  if (style.backgroundImage !== 'none') return null;
  return color.startsWith('rgb(') ? color : isInvisible(color) ? behind : null;
}

/** @param {Element} element */
function isBeyond(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0);
}

/* What is known of the elements in one pass: each is looked at once, and only those that hold text and what they are in. */
class Sight {
  /* element → {style, all, behind, beyond, own}: what hides all that is in it, the colour behind that, whether it is out
     of the page, what hides its own text; the last two once they are asked for */
  #known = new Map();
  #canvas = getComputedStyle(document.documentElement).colorScheme.includes('dark') ? null : 'rgb(255, 255, 255)';

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

  /** What hides an element with all that is in it; '' where nothing does. @param {Element} element */
  hidesAll(element) {
    const known = this.#of(element);
    return known.all || ((known.beyond ??= isBeyond(element)) ? CUT : '');
  }

  /** What hides the text that stands directly in an element; '' where nothing does. @param {Element} element */
  hidesText(element) {
    const known = this.#of(element);
    return (known.own ??= known.all || this.#hidesOwn(element, known));
  }

  /** @param {Element} element @param {Seen} known */
  #hidesOwn(element, known) {
    const { color, fontSize, textIndent } = known.style;
    if (color === known.behind || isInvisible(color) || parseFloat(fontSize) < 3) return FADED;
    if (textIndent !== '0px' && parseFloat(textIndent) < -500) return CUT;
    return (known.beyond ??= isBeyond(element)) ? CUT : '';
  }

  /** A text of an element, marked where nobody sees it. @param {Element} element @param {string} text */
  marked(element, text) {
    return /\S/.test(text) && this.hidesText(element) ? ` [hidden text: ${squeeze(text)}] ` : text;
  }
}
