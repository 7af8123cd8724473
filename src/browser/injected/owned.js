/*
 * The owner of an element by `aria-owns`, and whether a role is in its required context.
 *
 * Owns the records of `aria-owns` during one pass over the page. Never decides a role by itself.
 */

/* root → (owned element → its owner), for one pass. */
let ownedByTree = /** @type {Map<Tree, Map<Element, Element>>} */ (new Map());

/* Drops the records of the previous pass. */
const forgetOwned = () => {
  ownedByTree = new Map();
};

/**
 * Returns owned element → owner for one document or shadow tree. Hidden elements own nothing, an element has one owner,
 * and nothing owns its own ancestor.
 * @param {Tree} root
 * @returns {Map<Element, Element>}
 */
function ownedIn(root) {
  let owned = ownedByTree.get(root);
  if (owned) return owned;
  owned = new Map();
  ownedByTree.set(root, owned);
  for (const owner of dom.querySelectorAll(root, '[aria-owns]') ?? []) {
    if (dom.closest(owner, '[aria-hidden="true"]') || rendering(owner) === GONE) continue;
    for (const element of referencedBy(owner, 'aria-owns')) {
      if (owned.has(element) || composedContains(element, owner)) continue;
      // An element that is hidden in its own position stays hidden here too.
      if (rendering(element) !== GONE) owned.set(element, owner);
    }
  }
  return owned;
}

/** @param {Element} element */
const ownerOf = (element) => (met?.owns === false ? null : (ownedIn(dom.getRootNode(element)).get(element) ?? null));

/**
 * Returns the child nodes in the accessibility tree: as rendered, without those that another element owns, followed by
 * those it owns itself. Returns null if they are the element's own child nodes: that is the common case, and a list for
 * each element would be expensive.
 * @param {Element} element
 */
function treeChildren(element) {
  const shadow = metShadowOf(element);
  if (met?.owns === false) return otherChildren(element, shadow);
  const inShadow = shadow ? ownedIn(shadow) : null;
  const owned = ownedIn(dom.getRootNode(element));
  if (owned.size === 0 && !inShadow?.size) return otherChildren(element, shadow);
  const children = composedChildren(element);
  const own = Array.from(children).filter((child) => dom.nodeType(child) !== Node.ELEMENT_NODE || !ownerOf(child));
  return [...own, ...referencedBy(element, 'aria-owns').filter((target) => owned.get(target) === element)];
}

/**
 * Returns the elements of an ARIA attribute. A script may have set them without ids (`ariaLabelledByElements`): the
 * attribute is then empty.
 * @param {Element} element
 * @param {string} attribute
 * @returns {Element[]}
 */
function referencedBy(element, attribute) {
  const ids = dom.getAttribute(element, attribute);
  if (ids === null) return [];
  if (/\S/.test(ids)) return referenced(element, ids);
  const set = attribute === 'aria-owns' ? dom.ariaOwnsElements(element) : dom.ariaLabelledByElements(element);
  return [...(set ?? [])];
}

/**
 * Returns the elements of an id list, in its order, from the element's own tree.
 * @param {Element} element
 * @param {string} ids
 */
function referenced(element, ids) {
  const root = dom.getRootNode(element);
  return ids
    .split(/\s+/)
    .filter(Boolean)
    .map((/** @type {string} */ id) => dom.getElementById(root, id))
    .filter((found) => !!found);
}

/*
 * Roles that are meaningless outside of others (ARIA 1.2, required context role). Controls are not included: an option
 * in a portal or a tab in a custom element keeps its author's role.
 */
const ROLE_CONTEXTS = new Map(
  Object.entries({
    caption: ['figure', 'grid', 'table', 'treegrid'],
    cell: ['row'],
    columnheader: ['row'],
    gridcell: ['row', 'grid', 'treegrid'],
    listitem: ['list', 'directory'],
    row: ['grid', 'rowgroup', 'table', 'treegrid'],
    rowgroup: ['grid', 'table', 'treegrid'],
    rowheader: ['row'],
  }),
);

/** Returns true if an ancestor has a role that this role requires. @param {Element} element @param {string} role */
function standsInContext(element, role) {
  const contexts = ROLE_CONTEXTS.get(role);
  if (!contexts) return true;
  for (let at = ownerOf(element) ?? composedParent(element); at; at = composedParent(at)) {
    if (contexts.includes(roleOf(at))) return true;
  }
  return false;
}

/**
 * Returns true if an `li` is an item of a list: the nearest list, unless its role was removed.
 * @param {Element} element
 */
function isListItem(element) {
  for (let at = ownerOf(element) ?? composedParent(element); at; at = composedParent(at)) {
    const tag = tagOf(at);
    if (tag === 'ul' || tag === 'ol' || tag === 'menu' || dom.hasAttribute(at, 'role')) {
      const role = roleOf(at);
      if (role === 'list') return true;
      if (role && role !== 'generic') return false;
    }
    if (tag === 'li') return false;
  }
  return false;
}
