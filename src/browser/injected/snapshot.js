/*
 * The snapshot: one pass over the composed tree into lines.
 *
 * Owns the choice of nodes; `printed.js` makes the lines, `counted.js` those beyond the limit. Never assigns refs for
 * the tab, never joins frames: the daemon does both.
 */

/* The number of options shown per list: a country list would bury the page. */
const OPTION_LIMIT = 50;
/** Returns true for elements that end a run of text: all that are not inline. @param {string} tag */
const endsText = (tag) => !INLINE.has(tag);

/**
 * options: {interactive, compact, depth (null: all), cursor, root: Element|null, limit: UTF-16 units of text, beyond
 * which lines are only counted, stops: nothing is counted and `more` is 1 if there is more, marks: text that the user cannot
 * see is marked} → {lines: string, more: number, cursorLines: string, frames: [number], origin: string}; with `suspects`, null at the first
 * element about which the browser must be asked
 * @param {SnapshotOptions} options
 */
function takeSnapshot({
  interactive = false,
  compact = false,
  depth = null,
  cursor = false,
  root = null,
  limit = Infinity,
  stops = false,
  marks = false,
  suspects = false,
}) {
  beginPass();
  beginWalk(root ?? dom.documentElement(document) ?? document);
  /** @param {Element[]} first */
  const walked = (first) => {
    /** @type {Walk} */
    const walk = {
      interactive,
      compact,
      cursor,
      limit,
      stops,
      size: 0,
      frames: [],
      cursorNodes: [],
      modal: topModal(),
      sight: marks ? new Sight() : null,
      // Deeper lines are not printed and use no space. If bare structure is left out, the depth of a line is known only
      // when it is printed.
      deepest: compact || depth === null ? Infinity : depth,
      // The last node: its text is printed even if it reaches the limit.
      last: null,
      done: new Set(),
      alike: new Map(),
      floating: new Map(),
      suspects,
      mustAsk: false,
    };
    const top = lineNode({ kids: [], depth: -1, mute: false, leaf: false, fresh: true });
    for (const part of first) {
      visitElement(part, top, flagsOf(walk, part), walk);
      walk.done.add(part);
    }
    if (root) visitElement(root, top, { ...flagsOf(walk, root), inModal: true }, walk);
    else if (dom.documentElement(document)) visitElement(dom.documentElement(document), top, flagsOf(walk, null), walk);
    return { walk, top };
  };
  let { walk, top } = walked([]);
  if (walk.mustAsk) {
    beginPass();
    return null;
  }
  if (!root && walk.size > limit * CROWDED) {
    // The lines at the end are cut: what a person can reach now comes first.
    const first = partsInReach();
    if (first.length > 0) ({ walk, top } = walked(first));
  }
  /** @type {string[]} */
  const out = [];
  const printed = { more: 0 };
  printKids(top, 0, { compact, depth, interactive }, out, printed);
  beginPass();
  return {
    lines: out.join('\n'),
    more: stops ? Number(isFull(walk)) : printed.more,
    cursorLines: walk.cursorNodes.join('\n'),
    frames: walk.frames,
    origin: globalThis.origin,
  };
}

/* The joined lines are longer than those of a frame: they have refs. */
const CROWDED = 0.6;

/** @param {Walk} walk @param {Element | null} root @returns {Flags} */
const flagsOf = (walk, root) => ({
  disabled: root !== null && isDisabledByAria(root),
  pointer: false,
  silent: false,
  inModal: !walk.modal || (root !== null && composedContains(walk.modal, root)),
});

/** Creates a node with the given fields; the others are not used for its kind. @param {Partial<LineNode>} parts */
const lineNode = (parts) => /** @type {LineNode} */ (parts);

/* The topmost modal dialog: everything outside of it is inert. */
function topModal() {
  /** @type {Element | null} */
  let found = null;
  for (const dialog of dom.querySelectorAll(document, 'dialog:modal')) found = dialog;
  return found;
}

/** @param {Element} element @param {LineNode} parent @param {Flags} flags @param {Walk} walk */
function visitElement(element, parent, flags, walk) {
  const tag = tagOf(element);
  if (walk.mustAsk || NEVER_SHOWN.has(tag) || (walk.done.size > 0 && walk.done.has(element))) return;
  const plain = !dom.hasAttributes(element);
  if (!plain && (dom.getAttribute(element, 'aria-hidden') === 'true' || dom.inert(element) || isOwnHost(element))) return;
  // Beyond the limit lines are only counted.
  if (isFull(walk) && plain && !walk.cursor && isOnlyWords(element, tag)) {
    if (flags.inModal && !flags.silent && !walk.interactive && (!parent.mute || parent.counted))
      addText(parent, dom.textContent(element) ?? '', walk, element);
    return;
  }
  if (isOver(walk)) return;
  const shown = rendering(element);
  if (walk.suspects && (showsSuspect(element, tag, shown) || isAsked(element, tag, shown))) walk.mustAsk = true;
  if (shown === GONE || walk.mustAsk) return;
  metShadowOf(element);
  if (tag === 'br') {
    parent.fresh = true;
    return;
  }
  let inside = flags;
  if (!flags.inModal) {
    if (element === walk.modal) inside = { ...flags, inModal: true };
    else if (!composedContains(element, walk.modal)) return;
  }
  // `:disabled` says it of each element by itself: a field in the first legend of a disabled fieldset is enabled.
  if (!inside.disabled && ariaOf(element, 'aria-disabled') === 'true') inside = { ...inside, disabled: true };
  let role = shown === SHOWN && inside.inModal ? roleOf(element) : '';
  const isOff = (INTERACTIVE.has(role) || (!plain && dom.hasAttribute(element, 'tabindex'))) && isTurnedOff(element);
  if (isOff) role = '';
  const isInteractive = INTERACTIVE.has(role);
  const block = endsText(tag);
  if (block) parent.fresh = true;

  if (walk.cursor && !isOff) inside = noteCursor(element, isInteractive, inside, walk);
  // Beyond the limit lines are only counted: no names, no text.
  const make = isFull(walk) ? countedNode : makeNode;
  const node = shown === SHOWN && inside.inModal && !isOff ? make(element, tag, role, parent, inside, walk) : null;
  const target = node ?? parent;
  // The text of a drawing is part of the image; the text of HTML inside it is not.
  const silent = (inside.silent || (tag === 'svg' && !drawsText(element, tag)) || namesAnother(element, tag)) && tag !== 'foreignObject';
  if (silent !== inside.silent) inside = { ...inside, silent };
  if (!isOpaque(element, tag)) {
    if (shown === SHOWN && inside.inModal) {
      const quiet = inside.silent || walk.interactive || (target.mute && !target.counted);
      // Looking for generated text is the most expensive step, so it is skipped when lines are only counted.
      const generated = !quiet && !isFull(walk);
      if (generated) addText(target, pseudoText(element, '::before'), walk);
      visitChildren(element, target, inside, walk, !quiet);
      if (generated) addText(target, pseudoText(element, '::after'), walk);
      if (!isFull(walk)) for (const text of scrollControls(element)) target.kids.push(lineNode({ text, left: 0, stands: true }));
    } else {
      visitChildren(element, target, inside, walk, false);
    }
  }
  if (walk.sight && node?.fromContent && !node.counted && tag !== 'option') markHidden(node, element, isInteractive, walk);
  if (block) parent.fresh = true;
}

/**
 * Returns true for an element without attributes that has no line of its own, nor contains an element with one.
 * @param {Element} element
 * @param {string} tag
 */
const isOnlyWords = (element, tag) => WORDS.has(tag) && !dom.firstElementChild(element) && !shadowOf(element);
const WORDS = new Set([...INLINE].filter((tag) => tag !== 'slot' && (!NATIVE_ROLES.has(tag) || PHRASES.has(NATIVE_ROLES.get(tag) ?? ''))));

/* Elements whose content is not part of the page, and drawings without controls. */
const OPAQUE = new Set(['textarea', 'video', 'audio', 'canvas']);
/** @param {Element} element @param {string} tag */
const isOpaque = (element, tag) =>
  OPAQUE.has(tag) ||
  holdsFrame(element, tag) ||
  (tag === 'svg' && !dom.querySelector(element, 'text, a, foreignObject, [role], [tabindex], [aria-label]'));

/** Returns true for an element that shows another document. @param {Element} element @param {string} tag */
const holdsFrame = (element, tag) =>
  tag === 'iframe' ||
  tag === 'frame' ||
  tag === 'embed' ||
  (tag === 'object' && !!(/** @type {HTMLObjectElement} */ (element).contentWindow));

/** Returns true for a drawing with words in it. @param {Element} element @param {string} tag */
const drawsText = (element, tag) => tag === 'svg' && dom.querySelector(element, 'text') !== null;

/**
 * Returns true for text that is already the name of a control, group or table.
 * @param {Element} element
 * @param {string} tag
 */
const namesAnother = (element, tag) =>
  tag === 'label'
    ? !!element.control
    : (tag === 'legend' || tag === 'caption' || tag === 'figcaption') && NAMED_BY_CHILD.has(tagOf(dom.parentElement(element) ?? element));
const NAMED_BY_CHILD = new Set(['fieldset', 'table', 'figure']);

/** @param {Element} element @param {LineNode} target @param {Flags} flags @param {Walk} walk @param {boolean} withText */
function visitChildren(element, target, flags, walk, withText) {
  let options = 0;
  /** @param {AnyNode} child */
  const visit = (child) => {
    if (dom.nodeType(child) === Node.TEXT_NODE) {
      if (withText) addText(target, child.data, walk, element);
      else if (walk.sight && target.fromContent && !target.counted && /\S/.test(child.data)) noteSight(target, element, walk);
    } else if (dom.nodeType(child) === Node.ELEMENT_NODE) {
      if (dom.localName(child) === 'option' && ++options > OPTION_LIMIT) {
        if (options === OPTION_LIMIT + 1) {
          target.kids.push(
            lineNode({
              text: `… ${dom.querySelectorAll(element, ':scope > option').length - OPTION_LIMIT} more options`,
              left: 0,
              stands: true,
              counted: isFull(walk),
            }),
          );
        }
        return;
      }
      visitElement(child, target, flags, walk);
    }
  };
  const children = inReadingFlow(element, treeChildren(element));
  /** The text of the last line is printed whole. */
  const ends = () => isOver(walk) && target !== walk.last;
  if (children) for (const child of children) visit(/** @type {AnyNode} */ (child));
  else for (let child = dom.firstChild(element); child && !ends(); child = dom.nextSibling(child)) visit(/** @type {AnyNode} */ (child));
}

/**
 * Returns the node of an element, added to its parent; null if the element has no line of its own.
 * @param {Element} element
 * @param {string} tag
 * @param {string} role
 * @param {LineNode} parent
 * @param {Flags} flags
 * @param {Walk} walk
 */
function makeNode(element, tag, role, parent, flags, walk) {
  if (holdsFrame(element, tag)) {
    const number = numberOf(element);
    walk.frames.push(number);
    return put(
      parent,
      { kind: 'f', number, role: 'iframe', name: nameOf(element, 'iframe'), properties: '', value: null, kids: [], mute: true },
      walk,
    );
  }
  if (!role || role === 'none') return genericNode(element, parent, flags, walk);
  const isInteractive = INTERACTIVE.has(role);
  if (walk.interactive && !isInteractive && !groupsParts(element, role)) return null;
  if (parent.leaf && !isInteractive) return null;
  if (hasNoLine(element, role)) return null;
  const { name, fromContent } = nameWithSource(element, role);
  const disabled = flags.disabled || isNativelyDisabled(element);
  const leaf = LEAF_ROLES.has(role) && !drawsText(element, tag);
  // The cells of a row repeat its name, line by line.
  const printedName = fromContent && role === 'row' ? '' : name;
  return put(
    parent,
    {
      kind: 'e',
      element,
      number: 0,
      role,
      name: printedName,
      disabled,
      properties: propertiesOf(element, role, disabled),
      value: valueOf(element, role),
      kids: [],
      fresh: true,
      mute: (fromContent && role !== 'row') || walk.interactive || leaf,
      leaf,
      fromContent,
    },
    walk,
  );
}

/**
 * Returns true for a group of parts that are filled one by one, as those of a date: only its name says of which.
 * @param {Element} element
 * @param {string} role
 */
const groupsParts = (element, role) =>
  role === 'group' && !dom.querySelector(element, '[role=group]') && dom.querySelectorAll(element, '[role=spinbutton]').length > 1;

/**
 * Returns true for elements that only group rows, or are already a name.
 * @param {Element} element
 * @param {string} role
 */
const hasNoLine = (element, role) =>
  role === 'caption' || (role === 'rowgroup' && !hasOwnLabel(element)) || (PHRASES.has(role) && !dom.hasAttribute(element, 'role'));

/**
 * Records how a text in the name of a node is hidden, or that it is visible.
 * @param {LineNode} node
 * @param {Element} element
 * @param {Walk} walk
 */
function noteSight(node, element, walk) {
  node.sights ??= new Set();
  if (walk.sight) node.sights.add(walk.sight.hidesText(element));
}

/**
 * Marks a node that is named by its text if that text, or a part of it, is hidden. Clipped text inside a control does
 * not count: it is the control's label for screen readers, beside a visible icon.
 * @param {LineNode} node
 * @param {Element} element
 * @param {boolean} isControl
 * @param {Walk} walk
 */
function markHidden(node, element, isControl, walk) {
  const sights = node.sights ?? new Set(['']);
  const hidden = sights.has(FADED) || (sights.has(CUT) && !isControl);
  const whole = walk.sight?.hidesAll(element) || (hidden && !sights.has('') && !(isControl && sights.has(CUT)));
  if (whole || hidden) node.properties = [node.properties, whole ? 'hidden' : 'partly hidden'].filter(Boolean).join(', ');
}

/**
 * Returns a node for an element without a role if it has a name or can be focused with the keyboard.
 * @param {Element} element
 * @param {LineNode} parent
 * @param {Flags} flags
 * @param {Walk} walk
 */
function genericNode(element, parent, flags, walk) {
  if (walk.interactive || parent.leaf) return null;
  const name = ariaLabel(element);
  const reachable = dom.hasAttribute(element, 'tabindex') && dom.tabIndex(element) >= 0;
  if (!name && !reachable) return null;
  return put(
    parent,
    {
      kind: 'e',
      element,
      number: 0,
      role: 'generic',
      name,
      disabled: flags.disabled,
      properties: propertiesOf(element, 'generic', flags.disabled),
      value: null,
      kids: [],
      fresh: true,
      mute: false,
      leaf: false,
    },
    walk,
  );
}

/** @param {LineNode} parent @param {Partial<LineNode>} made @param {Walk} walk */
function put(parent, made, walk) {
  const node = lineNode(made);
  parent.kids.push(node);
  parent.fresh = true;
  node.depth = parent.depth + 1;
  if (!node.counted) {
    walk.last = node;
    if (node.depth <= walk.deepest) walk.size += sizeOf(node, walk);
  }
  return node;
}

/**
 * Estimates the length of a node's line without its text. A compact row has its plain cells in one line.
 * @param {LineNode} node
 * @param {Walk} walk
 */
const sizeOf = (node, walk) =>
  walk.compact && CELLS.has(node.role)
    ? node.name.length + 3
    : node.role.length + node.name.length + node.properties.length + clipText(node.value ?? '').length + 12;

/** @param {Walk} walk */
const isFull = (walk) => walk.size > walk.limit;

/** Returns true if nothing more is visited. @param {Walk} walk */
const isOver = (walk) => walk.stops && isFull(walk);

/**
 * Adds a text. `of`: the element around the text; null for text from a style sheet. Only text that is kept is marked.
 * @param {LineNode} target
 * @param {string} text
 * @param {Walk} walk
 * @param {Element | null} [of]
 */
function addText(target, text, walk, of = null) {
  if (target.mute) {
    target.hasText ||= /\S/.test(text);
    return;
  }
  const open = target.fresh ? null : target.kids[target.kids.length - 1];
  const taken = (/** @type {number} */ kept) => (target.depth <= walk.deepest ? kept : 0);
  const said = () => (walk.sight && of ? walk.sight.marked(of, text) : text);
  if (open?.text !== undefined && !open.stands) {
    if (!open.counted) walk.size += taken(lengthen(open, said()));
    return;
  }
  if (!/\S/.test(text)) return;
  const isCounted = target.counted || (isFull(walk) && !(target === walk.last && !target.kids.length));
  const run = lineNode({ text: isCounted ? MARK : '', left: 0, counted: isCounted });
  target.kids.push(run);
  target.fresh = false;
  if (!isCounted) walk.size += taken(lengthen(run, said()));
}

/**
 * Appends a text to a run. Text beyond a line's limit is dropped; squeezing may still shorten what is kept. → the
 * length kept
 * @param {LineNode} run
 * @param {string} text
 */
function lengthen(run, text) {
  const kept = text.slice(0, Math.max(4 * LONGEST_TEXT - (run.text ?? '').length, 0));
  run.text = (run.text ?? '') + kept;
  run.left += text.length - kept.length;
  return kept.length;
}
