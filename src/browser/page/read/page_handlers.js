/*
 * Finds the elements on which React handles pointer events (`__reactProps$…`), and those that listen for a double click or a
 * right click, in the page's own world.
 *
 * Everything that it returns is the page's word. Reads data properties alone, so that it runs none of the page's getters.
 */
(() => {
  const MOST_FOUND = 500;
  const MOST_ELEMENTS = 20_000;
  const REASONS = { onClick: 'onclick', onDoubleClick: 'double click', onContextMenu: 'right click', onDragStart: 'draggable' };
  /* Asking for listeners takes a few microseconds an element. */
  const MOST_ASKED = 2_000;
  const LISTENED = Object.entries({ dblclick: 'double click', contextmenu: 'right click' });
  /* A root of React listens to everything for what is in it. */
  const MOST_OWN = 20;
  // A function of the browser's console, which an evaluation may have.
  const listenersOf = typeof getEventListeners === 'function' ? getEventListeners : () => ({});
  const own = (object, name) => Object.getOwnPropertyDescriptor(object, name)?.value;
  const all = document.getElementsByTagName('*');
  const found = [];
  let key;
  const reactReasons = (element) => {
    if (key === undefined || !Object.hasOwn(element, key)) {
      const other = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
      if (!other) return [];
      key = other;
    }
    const props = own(element, key);
    if (typeof props !== 'object' || props === null) return [];
    return Object.entries(REASONS)
      .filter(([name]) => typeof own(props, name) === 'function')
      .map(([, reason]) => reason);
  };
  for (let at = 0; at < all.length && at < MOST_ELEMENTS && found.length < MOST_FOUND; at += 1) {
    const element = all[at];
    const isAsked = at < MOST_ASKED && element !== document.documentElement && element !== document.body;
    const listeners = (isAsked && listenersOf(element)) || {};
    const isRoot = Object.keys(listeners).length > MOST_OWN;
    const reasons = LISTENED.filter(([type]) => !isRoot && Object.hasOwn(listeners, type)).map(([, reason]) => reason);
    reasons.push(...reactReasons(element).filter((reason) => !reasons.includes(reason)));
    if (reasons.length === 0) continue;
    const path = [];
    for (let node = element; node.parentElement; node = node.parentElement)
      path.unshift(Array.prototype.indexOf.call(node.parentElement.children, node));
    found.push([path, reasons]);
  }
  return found;
})();
