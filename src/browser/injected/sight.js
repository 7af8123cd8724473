/*
 * Whether a person can see the text of an element: transparent, tiny, in the colour of what is behind it, clipped away
 * or beyond the page's beginning is for machines only.
 *
 * Owns the judgement and its words, `[hidden text: …]`. What is not rendered at all is no text of the page and never
 * comes here. Something that covers a text, and colours that are merely near, are not looked for.
 */

const INVISIBLE_COLOR = /^(transparent|rgba\(.*, 0\)|.*\/ 0\))$/;
const CLIPPED = /^rect\(([01]px,? ){3}[01]px\)$/;

/* How a text is hidden. */
const CUT = 'cut'; // as pages do with words for screen readers: clipped away or pushed out of the page
const FADED = 'faded'; // as nobody does with words that anyone is to know

/* What hides all that is in this element, of itself. */
function hidesAll(element, style) {
  if (Number(style.opacity) < 0.05) return FADED;
  if (CLIPPED.test(style.clip) || /^inset\((50|100)%\)$/.test(style.clipPath)) return CUT;
  if (style.overflowX === 'visible' || style.display === 'inline') return '';
  return element.clientWidth <= 1 || element.clientHeight <= 1 ? CUT : '';
}

/* The colour behind what is in this element; null where it can't be told. A picture is something to see a text on. */
function backgroundOf(style, behind) {
  if (style.backgroundImage !== 'none') return null;
  const color = style.backgroundColor;
  if (INVISIBLE_COLOR.test(color)) return behind;
  return color.startsWith('rgb(') ? color : null;
}

function isBeyond(element) {
  const box = element.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && (box.right + scrollX <= 0 || box.bottom + scrollY <= 0);
}

/* What is known of the elements in one pass: each is looked at once, and only those that hold text. */
class Sight {
  /* element → {all, behind, own}: what hides all that is in it, the colour behind that, what hides its own text */
  #known = new Map();
  #canvas = getComputedStyle(document.documentElement).colorScheme.includes('dark') ? null : 'rgb(255, 255, 255)';

  #of(element) {
    const above = [];
    let known;
    for (let at = element; at && !known; at = composedParent(at)) {
      known = this.#known.get(at);
      if (!known && at.nodeType === Node.ELEMENT_NODE) above.push(at);
    }
    known ??= { all: '', behind: this.#canvas };
    while (above.length) {
      const at = above.pop();
      const style = getComputedStyle(at);
      known = { all: known.all || hidesAll(at, style), behind: backgroundOf(style, known.behind), own: undefined };
      this.#known.set(at, known);
    }
    return known;
  }

  /* What hides an element with all that is in it; '' where nothing does. */
  hidesAll(element) {
    return this.#of(element).all || (isBeyond(element) ? CUT : '');
  }

  /* What hides the text that stands directly in an element; '' where nothing does. */
  hidesText(element) {
    const known = this.#of(element);
    if (known.own === undefined) {
      const style = getComputedStyle(element);
      const faded = parseFloat(style.fontSize) < 3 || INVISIBLE_COLOR.test(style.color) || style.color === known.behind;
      known.own = known.all || (faded ? FADED : parseFloat(style.textIndent) < -500 || isBeyond(element) ? CUT : '');
    }
    return known.own;
  }

  /* A text of an element, marked where nobody sees it. */
  marked(element, text) {
    return text.trim() && this.hidesText(element) ? ` [hidden text: ${squeeze(text)}] ` : text;
  }
}
