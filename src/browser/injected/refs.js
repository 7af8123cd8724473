/*
 * The elements that were named to a client, by numbers local to this document.
 *
 * Owns the numbering within one document. The daemon maps its tab-wide refs (`@e3`) to
 * (document, number) and never reuses them; an element keeps its number while the document lives.
 */

/* Random, so that a number is never taken for one of the document before. */
const DOCUMENT_ID = crypto.getRandomValues(new Uint32Array(2)).join('-');

const numbers = new WeakMap(); // element → number
const elements = new Map(); // number → WeakRef of the element
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

/** The element of a number; null once it was collected. It may have left the document. @param {number} number */
const elementOf = (number) => elements.get(number)?.deref() ?? null;

/** The element of {number, document}, while it is in this page. @param {Place} given */
function heldElement({ number, document: of }) {
  const element = of === DOCUMENT_ID ? elementOf(number) : null;
  return element?.isConnected ? element : null;
}
