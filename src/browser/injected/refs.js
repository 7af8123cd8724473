/*
 * The elements that clients know by number; the numbers are local to this document.
 *
 * Owns the numbering within one document. The daemon maps its tab-wide refs (`@e3`) to (document, number) and never
 * reuses them; an element keeps its number while the document lives.
 */

/* Random, so that a number is never mistaken for one of the previous document. */
const DOCUMENT_ID = crypto.getRandomValues(new Uint32Array(2)).join('-');

/** @type {WeakMap<Element, number>} */
const numbers = new WeakMap();
/** @type {Map<number, WeakRef<Element>>} */
const elements = new Map();
let lastNumber = 0;

/** @param {Element} element */
function numberOf(element) {
  let number = numbers.get(element);
  if (number === undefined) {
    number = ++lastNumber;
    numbers.set(element, number);
    elements.set(number, new WeakRef(element));
  }
  return number;
}

/**
 * Returns the element of a number; null once it was garbage collected. It may no longer be in the document.
 * @param {number} number
 */
const elementOf = (number) => elements.get(number)?.deref() ?? null;

/** Returns the element of {number, document} if it is in this page. @param {Place} given */
function heldElement({ number, document: of }) {
  const element = of === DOCUMENT_ID ? elementOf(number) : null;
  return element && dom.isConnected(element) ? element : null;
}
