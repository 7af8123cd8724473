/*
 * Finds the elements on which React handles pointer events (`__reactProps$…`), in the page's own world.
 *
 * Everything that it returns is the page's word. Reads data properties alone, so that it runs none of the page's getters.
 */
(() => {
  const MOST_FOUND = 500;
  const MOST_ELEMENTS = 20_000;
  const REASONS = { onClick: 'onclick', onDoubleClick: 'double click', onContextMenu: 'right click', onDragStart: 'draggable' };
  const own = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.value;
  const all = document.getElementsByTagName('*');
  const found = [];
  let key;
  for (let at = 0; at < all.length && at < MOST_ELEMENTS && found.length < MOST_FOUND; at += 1) {
    const element = all[at];
    if (key === undefined || !Object.hasOwn(element, key)) {
      const other = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
      if (!other) continue;
      key = other;
    }
    const props = own(element, key);
    if (typeof props !== 'object' || props === null) continue;
    const reasons = Object.entries(REASONS)
      .filter(([name]) => typeof own(props, name) === 'function')
      .map(([, reason]) => reason);
    if (reasons.length === 0) continue;
    const path = [];
    for (let node = element; node.parentElement; node = node.parentElement)
      path.unshift(Array.prototype.indexOf.call(node.parentElement.children, node));
    found.push([path, reasons]);
  }
  return found;
})();
