/*
 * Lists that a page draws itself, for `select`.
 *
 * Owns the detection of such lists and of the option that they show. Never chooses an option.
 */

/** Returns true for an element that opens or is a list without a <select>. @param {Place} place */
function customList(place) {
  const element = heldElement(place);
  if (!element || tagOf(element) === 'select' || element.control) return { custom: false };
  const role = roleOf(element);
  const popup = ariaOf(element, 'aria-haspopup');
  return { custom: role === 'combobox' || role === 'listbox' || popup === 'listbox' };
}

/**
 * Waits a moment until the list shows a choice. → {chosen, shows}
 * @param {Target} target
 * @param {string} wanted
 */
async function customShows(target, wanted) {
  const deadline = performance.now() + CUSTOM_SHOWS_MS;
  for (;;) {
    const resolved = resolveOne(target);
    if (!resolved.element) return resolved;
    const { element } = resolved;
    const shows = squeeze(valueOf(element, roleOf(element)) ?? readText(element));
    const isSelected = (/** @type {Element} */ option) =>
      nameOf(option, 'option') === wanted && (selectedState(option, 'option') || ariaOf(option, 'aria-checked') === 'true');
    if (shows.includes(squeeze(wanted)) || everyElement((at) => roleOf(at) === 'option' && isSelected(at)).length > 0)
      return { chosen: true, shows };
    if (performance.now() >= deadline) return { chosen: false, shows: clip(shows, NAME_LIMIT) };
    await change(deadline);
  }
}
const CUSTOM_SHOWS_MS = 1000;
