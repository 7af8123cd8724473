/*
 * What the document and shadow trees of a walk use of what few pages use: `aria-owns`, text from style sheets, rare styles.
 *
 * Owns the answer "none of them does", so that a walk of a usual page asks no element. A walk meets each tree before its
 * elements. Outside of a walk from the top, each element's own tree is asked.
 */

/** @type {{ trees: Set<Tree>; owns: boolean; generates: boolean; rare: Set<string> } | null} */
let met = null;

const endWalk = () => {
  met = null;
};

/** Meets the trees around the first node of a walk. @param {Node} first */
function beginWalk(first) {
  met = { trees: new Set(), owns: false, generates: false, rare: new Set() };
  for (let /** @type {Tree | undefined} */ root = dom.getRootNode(first); root; root = root.host && dom.getRootNode(root.host))
    meetTree(root);
}

/** @param {Tree} root */
function meetTree(root) {
  if (!met || met.trees.has(root)) return;
  met.trees.add(root);
  if (ownedIn(root).size > 0) met.owns = true;
  if (hasGenerating(root)) met.generates = true;
  for (const name of rareIn(root).used) met.rare.add(name);
}

/** Returns the element's shadow root; a walk meets it. @param {Element} element */
function metShadowOf(element) {
  const shadow = shadowOf(element);
  if (shadow) meetTree(shadow);
  return shadow;
}
