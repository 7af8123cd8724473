/*
 * Who owns an element where the page says so (`aria-owns`), and whether a role stands where ARIA asks for it.
 *
 * Owns what is remembered of `aria-owns` during one pass over the page. Never decides a role by itself.
 */

/* root → (owned element → its owner), for one pass. */
let ownedByTree = /** @type {Map<Tree, Map<Element, Element>>} */ (new Map());
/*
 * Whether a tree that was read in this walk has an owner. Known only during a walk from the top, which comes to every
 * tree before it comes to its elements; else null, and each element's tree is asked.
 */
let anyOwner = /** @type {boolean | null} */ (null);

/* Forgets what the pass before has read. */
const forgetOwned = () => {
  ownedByTree = new Map();
  anyOwner = null;
};

/** From here on each tree is read as the walk comes to it; the trees around its first element are read at once. @param {Element} element */
function readOwnedOnTheWay(element) {
  anyOwner = false;
  for (let /** @type {Tree | undefined} */ root = element.getRootNode(); root; root = root.host?.getRootNode()) ownedIn(root);
}

/**
 * owned element → owner, for one document or shadow tree. What is hidden owns nothing, an element has one owner,
 * and nothing owns what it lies in.
 * @param {Tree} root
 * @returns {Map<Element, Element>}
 */
function ownedIn(root) {
  let owned = ownedByTree.get(root);
  if (owned) return owned;
  owned = new Map();
  ownedByTree.set(root, owned);
  for (const owner of root.querySelectorAll?.('[aria-owns]') ?? []) {
    if (owner.closest('[aria-hidden="true"]') || rendering(owner) === GONE) continue;
    for (const element of referenced(owner, owner.getAttribute('aria-owns') ?? '')) {
      if (owned.has(element) || composedContains(element, owner)) continue;
      // Where it lies it may be out of sight for everybody; then it is so here too.
      if (rendering(element) !== GONE) owned.set(element, owner);
    }
  }
  if (owned.size > 0 && anyOwner === false) anyOwner = true;
  return owned;
}

/** @param {Element} element */
const ownerOf = (element) => (anyOwner === false ? null : (ownedIn(element.getRootNode()).get(element) ?? null));

/**
 * Child nodes in the accessibility tree: as rendered, without those that another element owns, then what it owns itself.
 * Null where they are the element's own child nodes: most elements of a page, and a list for each would cost.
 * @param {Element} element
 */
function treeChildren(element) {
  const shadow = shadowOf(element);
  const inShadow = shadow ? ownedIn(shadow) : null;
  if (anyOwner === false) return otherChildren(element);
  const owned = ownedIn(element.getRootNode());
  if (owned.size === 0 && !inShadow?.size) return otherChildren(element);
  const children = composedChildren(element);
  const own = Array.from(children).filter((child) => child.nodeType !== Node.ELEMENT_NODE || !ownerOf(child));
  const list = element.getAttribute('aria-owns');
  return list ? [...own, ...referenced(element, list).filter((target) => owned.get(target) === element)] : own;
}

/** The elements of an id list, in its order, from the element's own tree. @param {Element} element @param {string} ids */
function referenced(element, ids) {
  const root = element.getRootNode();
  if (!root.getElementById) return [];
  return ids
    .split(/\s+/)
    .filter(Boolean)
    .map((/** @type {string} */ id) => root.getElementById(id))
    .filter((found) => found !== null);
}

/*
 * Roles that mean nothing outside of others (ARIA 1.2, required context role). Controls are not here: an option in a
 * portal or a tab in a custom element is what its author calls it.
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

/** Whether what the role asks for is above the element. @param {Element} element @param {string} role */
function standsInContext(element, role) {
  const contexts = ROLE_CONTEXTS.get(role);
  if (!contexts) return true;
  for (let at = ownerOf(element) ?? composedParent(element); at; at = composedParent(at)) {
    if (contexts.includes(roleOf(at))) return true;
  }
  return false;
}

/** The list that an `li` is an item of: the nearest one, unless that is none any more. @param {Element} element */
function isListItem(element) {
  for (let at = ownerOf(element) ?? composedParent(element); at; at = composedParent(at)) {
    const tag = tagOf(at);
    if (tag === 'ul' || tag === 'ol' || tag === 'menu' || at.hasAttribute('role')) {
      const role = roleOf(at);
      if (role === 'list') return true;
      if (role && role !== 'generic') return false;
    }
    if (tag === 'li') return false;
  }
  return false;
}
