/**
 * Ignores the second click of a double-click if the first one moved something else under the pointer: a card that
 * closes must not open the steps below it.
 */

/** The target of a click. */
const CONTROLS = "button, summary, a, input, label, [role=option]";

/** @param {Document} page */
export function ignoreStraySecondClicks(page) {
  /** @type {Element | null} */
  let first = null;
  page.addEventListener(
    "click",
    (event) => {
      const pressed = event.target instanceof Element ? event.target.closest(CONTROLS) : null;
      // A click on a label is followed by one on its control.
      const control = (pressed instanceof HTMLLabelElement && pressed.control) || pressed;
      // A key press has no count, and a first click has one of 1.
      if (event.detail <= 1) first = control;
      else if (control && control !== first) {
        event.preventDefault();
        event.stopImmediatePropagation();
      }
    },
    { capture: true },
  );
}
