/*
 * Reads React's components from the fibers that it keeps on the page's elements (`__reactFiber$…`), in the page's own world.
 *
 * Everything that it returns is the page's word. Reads data properties alone, so that it runs none of the page's getters.
 * Source: ReactWorkTags.js and ReactFiberHooks.js of React 16 to 19, https://github.com/facebook/react
 */
({ most, path }) => {
  const CLASS = 1;
  const HOST_ROOT = 3;
  const HOST_ELEMENT = 5;
  const SUSPENSE = 13;
  const MOST_FIBERS = 100_000;
  const MOST_ELEMENTS = 50_000;
  const MOST_HOOKS = 50;
  const MOST_KEYS = 30;
  const DEEPEST = 4;
  const LONGEST = 300;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  /** A data property of the object itself. */
  const own = (object, name) => (isObject(object) ? Object.getOwnPropertyDescriptor(object, name)?.value : undefined);
  const onElement = (element, ...starts) => {
    const name = Object.keys(element).find((key) => starts.some((start) => key.startsWith(start)));
    return name && own(element, name);
  };
  const fiberOf = (element) => onElement(element, '__reactFiber$', '__reactInternalInstance$');
  const text = (value) => (typeof value === 'string' && value !== '' ? value.slice(0, LONGEST) : undefined);

  /** The component's name; undefined for elements, fragments, contexts. */
  function nameOf(fiber) {
    const type = own(fiber, 'type');
    if (own(fiber, 'tag') === SUSPENSE) return 'Suspense';
    if (typeof type === 'function') return text(own(type, 'displayName')) ?? text(own(type, 'name')) ?? 'Anonymous';
    if (!isObject(type)) return undefined;
    const inner = own(type, 'render') ?? own(type, 'type');
    if (!inner) return undefined;
    return text(own(type, 'displayName')) ?? text(own(inner, 'displayName')) ?? text(own(inner, 'name')) ?? 'Anonymous';
  }

  function rootOf(fiber) {
    let at = fiber;
    for (let steps = 0; isObject(at) && steps < MOST_FIBERS; steps += 1) {
      if (own(at, 'tag') === HOST_ROOT) return own(own(at, 'stateNode'), 'current');
      at = own(at, 'return');
    }
    return undefined;
  }

  /** The present tree of each root of the document. */
  function roots() {
    const found = new Set();
    const elements = [document, ...Array.from(document.querySelectorAll('*')).slice(0, MOST_ELEMENTS)];
    for (const element of elements) {
      const container = onElement(element, '__reactContainer$') ?? own(own(element, '_reactRootContainer'), '_internalRoot');
      const root = rootOf(container) ?? own(container, 'current');
      if (isObject(root)) found.add(root);
    }
    return [...found];
  }

  /** Each fiber of a tree with its depth among components, in document order, until `visit` returns true. */
  function walk(root, visit) {
    const waiting = [[root, 0]];
    for (let steps = 0; waiting.length > 0 && steps < MOST_FIBERS; steps += 1) {
      const [fiber, depth] = waiting.pop();
      const name = nameOf(fiber);
      if (visit(fiber, depth, name)) return true;
      const sibling = own(fiber, 'sibling');
      if (fiber !== root && isObject(sibling)) waiting.push([sibling, depth]);
      const child = own(fiber, 'child');
      if (isObject(child)) waiting.push([child, name ? depth + 1 : depth]);
    }
    return false;
  }

  function firstElement(fiber) {
    let element = null;
    walk(fiber, (at) => {
      const node = own(at, 'tag') === HOST_ELEMENT ? own(at, 'stateNode') : undefined;
      if (node instanceof Element) element = node;
      return element !== null;
    });
    return element;
  }

  function pathTo(element) {
    if (element?.getRootNode() !== document) return null;
    const places = [];
    for (let at = element; at !== document.documentElement; at = at.parentElement) {
      places.unshift(Array.prototype.indexOf.call(at.parentElement.children, at));
    }
    return places;
  }

  function placeOf(fiber) {
    const element = firstElement(fiber);
    if (!element) return { path: null, box: null };
    const { x, y, width, height } = element.getBoundingClientRect();
    return { path: pathTo(element), box: { x, y, width, height } };
  }

  /** A value as JSON can hold it, cut where it is long or deep. */
  function plain(value, depth = 0) {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
    if (typeof value === 'string') return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
    if (!isObject(value)) return `(${typeof value})`;
    if (typeof value === 'function') return `(function ${text(own(value, 'name')) ?? ''})`.replace(' )', ')');
    if (value instanceof Node) return `(${value.nodeName.toLowerCase()})`;
    if (own(value, '$$typeof'))
      return `(element ${nameOf({ type: own(value, 'type') }) ?? text(own(value, 'type')) ?? ''})`.replace(' )', ')');
    if (depth >= DEEPEST) return Array.isArray(value) ? '(array)' : '(object)';
    if (Array.isArray(value)) {
      const kept = Array.from({ length: Math.min(value.length, MOST_KEYS) }, (_, at) => plain(own(value, at), depth + 1));
      return value.length > MOST_KEYS ? [...kept, `(${value.length - MOST_KEYS} more)`] : kept;
    }
    const prototype = Object.getPrototypeOf(value);
    if (prototype !== null && prototype !== Object.prototype) {
      return `(${text(own(own(prototype, 'constructor'), 'name')) ?? 'object'})`;
    }
    const names = Object.keys(value);
    const entries = names.slice(0, MOST_KEYS).map((name) => {
      const property = Object.getOwnPropertyDescriptor(value, name);
      return [name, property && 'value' in property ? plain(property.value, depth + 1) : '(getter)'];
    });
    if (names.length > MOST_KEYS) entries.push(['…', `(${names.length - MOST_KEYS} more)`]);
    return Object.fromEntries(entries);
  }

  /** The state of a function component's hooks, in order; of a class, its one state. */
  function statesOf(fiber) {
    const first = own(fiber, 'memoizedState');
    if (own(fiber, 'tag') === CLASS) return first === null || first === undefined ? [] : [plain(first)];
    const states = [];
    let at = first;
    for (let steps = 0; isObject(at) && steps < MOST_HOOKS; steps += 1) {
      // Hooks without a queue are refs, memos and effects.
      if (isObject(own(at, 'queue')) && own(at, 'memoizedState') !== undefined) states.push(plain(own(at, 'memoizedState')));
      at = own(at, 'next');
    }
    return states;
  }

  function component() {
    const element = path.reduce((at, place) => at?.children[place], document.documentElement);
    let fiber;
    for (let at = element; at && !fiber; at = at.parentElement) fiber = fiberOf(at);
    while (isObject(fiber) && !nameOf(fiber)) fiber = own(fiber, 'return');
    if (!isObject(fiber)) return null;
    // An element may name the fiber of an earlier render: the present one is in the tree.
    let present = null;
    const root = rootOf(fiber);
    if (isObject(root)) {
      walk(root, (at) => {
        if (at === fiber || own(at, 'alternate') === fiber) present = at;
        return present !== null;
      });
    }
    const chosen = present ?? fiber;
    const within = [];
    for (let at = own(chosen, 'return'); isObject(at) && within.length < MOST_KEYS; at = own(at, 'return')) {
      const name = nameOf(at);
      if (name) within.push(name);
    }
    const props = own(chosen, 'memoizedProps');
    return {
      name: nameOf(chosen),
      key: own(chosen, 'key') ?? null,
      props: isObject(props) ? plain(props) : {},
      state: statesOf(chosen),
      within,
      ...placeOf(chosen),
    };
  }

  const trees = roots();
  if (path) return { present: trees.length > 0 || component() !== null, component: component() };
  const components = [];
  let total = 0;
  for (const tree of trees) {
    walk(tree, (fiber, depth, name) => {
      if (!name) return false;
      total += 1;
      if (components.length < most) {
        const key = own(fiber, 'key');
        components.push({ name, key: typeof key === 'string' ? key.slice(0, LONGEST) : null, depth, ...placeOf(fiber) });
      }
      return false;
    });
  }
  return { present: trees.length > 0, components, total };
};
