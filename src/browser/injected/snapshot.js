/*
 * The snapshot: one pass over the composed tree into lines.
 *
 * Owns what becomes a line and what of it is printed. Never numbers refs for the tab, never joins frames: the
 * daemon does both. A line is tab-separated: depth, number (0 for text), kind (`e` element, `c` cursor-interactive,
 * `t` text, `f` frame), role, name, properties, text.
 */

/* Options of one list that are listed; a country list would bury the page. */
const OPTION_LIMIT = 50;
/* Elements that end a run of text: everything that is not part of a line by nature. */
const endsText = (tag) => !INLINE.has(tag);

/*
 * options: {interactive, compact, depth (null: all), cursor, root: Element|null, limit: UTF-16 units of text, beyond
 * which lines are only counted, marks: what no person sees is marked}
 * → {lines: string, more: number, cursorLines: string, frames: [number]}
 */
function takeSnapshot({ interactive = false, compact = false, depth = null, cursor = false, root = null, limit = Infinity, marks = false }) {
  beginPass();
  readOwnedOnTheWay(root ?? document.documentElement);
  const walk = {
    interactive, cursor, limit, size: 0, more: 0, frames: [], cursorNodes: [],
    modal: topModal(), sight: marks ? new Sight() : null,
  };
  const top = { kids: [], mute: false, leaf: false, fresh: true };
  const flags = { disabled: false, pointer: false, silent: false, inModal: !walk.modal || (root && composedContains(walk.modal, root)) };
  if (root) {
    flags.disabled = isDisabled(root);
    flags.inModal = true;
    visitElement(root, top, flags, walk);
  } else if (document.body) {
    visitElement(document.documentElement, top, flags, walk);
  }
  const out = [];
  const printed = { more: walk.more };
  printKids(top, 0, { compact, depth, interactive }, out, printed);
  beginPass();
  return {
    lines: out.join('\n'),
    more: printed.more,
    cursorLines: walk.cursorNodes.join('\n'),
    frames: walk.frames,
  };
}

/* The uppermost modal dialog: all else is inert beneath it. */
function topModal() {
  let found = null;
  for (const dialog of document.querySelectorAll('dialog:modal')) found = dialog;
  return found;
}

function visitElement(element, parent, flags, walk) {
  const tag = tagOf(element);
  if (NEVER_SHOWN.has(tag)) return;
  const plain = !element.hasAttributes();
  if (!plain && (element.getAttribute('aria-hidden') === 'true' || element.inert || isOwnHost(element))) return;
  // Beyond the limit lines are only counted.
  if (walk.size > walk.limit && plain && !walk.cursor && isOnlyWords(element, tag)) return;
  const shown = rendering(element);
  if (shown === GONE) return;
  if (tag === 'br') {
    parent.fresh = true;
    return;
  }
  let inside = flags;
  if (!flags.inModal) {
    if (element === walk.modal) inside = { ...flags, inModal: true };
    else if (!composedContains(element, walk.modal)) return;
  }
  const role = shown === SHOWN && inside.inModal ? roleOf(element) : '';
  const isInteractive = INTERACTIVE.has(role);
  const block = endsText(tag);
  if (block) parent.fresh = true;

  if (walk.cursor) inside = noteCursor(element, role, isInteractive, inside, walk);
  if (walk.size > walk.limit) {
    // Only counted from here on: no names, no text.
    if (walk.interactive ? isInteractive : role && role !== 'none' && !PHRASES.has(role)) walk.more += 1;
    if (!isOpaque(element, tag) && !LEAF_ROLES.has(role)) visitChildren(element, parent, inside, walk, false);
    return;
  }
  const node = shown === SHOWN && inside.inModal ? makeNode(element, tag, role, parent, inside, walk) : null;
  const target = node ?? parent;
  // The words of a drawing are parts of the picture; those of HTML in it are not.
  const silent = (inside.silent || tag === 'svg' || namesAnother(element, tag)) && tag !== 'foreignObject';
  if (silent !== inside.silent) inside = { ...inside, silent };
  if (node && node.disabled !== inside.disabled) inside = { ...inside, disabled: node.disabled };
  if (!isOpaque(element, tag)) {
    if (shown === SHOWN && inside.inModal) {
      const quiet = target.mute || inside.silent || walk.interactive;
      if (!quiet) addText(target, pseudoText(element, '::before'), walk);
      visitChildren(element, target, inside, walk, !quiet);
      if (!quiet) addText(target, pseudoText(element, '::after'), walk);
    } else {
      visitChildren(element, target, inside, walk, false);
    }
  }
  if (walk.sight && node?.fromContent && tag !== 'option') markHidden(node, element, isInteractive, walk);
  if (node) walk.size += node.role.length + node.name.length + node.properties.length + (node.value?.length ?? 0) + 12;
  if (block) parent.fresh = true;
}

/* An element without attributes that neither has a line of its own nor holds one that has. */
const isOnlyWords = (element, tag) => WORDS.has(tag) && !element.firstElementChild && !shadowOf(element);
const WORDS = new Set([...INLINE].filter((tag) => tag !== 'slot' && (!NATIVE_ROLES.has(tag) || PHRASES.has(NATIVE_ROLES.get(tag)))));

/* Elements whose content is not part of the page, and drawings with nothing to act on. */
const OPAQUE = new Set(['textarea', 'iframe', 'frame', 'video', 'audio', 'canvas']);
const isOpaque = (element, tag) => OPAQUE.has(tag) || (tag === 'svg' && !element.querySelector('a, foreignObject, [role], [tabindex], [aria-label]'));

/* Text that is already the name of a control, group or table. */
const namesAnother = (element, tag) =>
  tag === 'label' ? !!element.control : (tag === 'legend' || tag === 'caption' || tag === 'figcaption') && NAMED_BY_CHILD.has(tagOf(element.parentElement ?? element));
const NAMED_BY_CHILD = new Set(['fieldset', 'table', 'figure']);

function visitChildren(element, target, flags, walk, withText) {
  let options = 0;
  const visit = (child) => {
    if (child.nodeType === Node.TEXT_NODE) {
      if (withText) addText(target, walk.sight ? walk.sight.marked(element, child.data) : child.data, walk);
      else if (walk.sight && target.fromContent && /\S/.test(child.data)) noteSight(target, element, walk);
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      if (child.localName === 'option' && ++options > OPTION_LIMIT) {
        if (options === OPTION_LIMIT + 1) {
          target.kids.push({ text: `… ${element.children.length - OPTION_LIMIT} more options` });
        }
        return;
      }
      visitElement(child, target, flags, walk);
    }
  };
  const children = treeChildren(element);
  if (children) for (const child of children) visit(child);
  else for (let child = element.firstChild; child; child = child.nextSibling) visit(child);
}

/* The node of an element, put into its parent; null where the element has no line of its own. */
function makeNode(element, tag, role, parent, flags, walk) {
  if (tag === 'iframe' || tag === 'frame') {
    const number = numberOf(element);
    walk.frames.push(number);
    return put(parent, { kind: 'f', number, role: 'iframe', name: nameOf(element, 'iframe'), properties: '', value: null, kids: [], mute: true });
  }
  if (!role || role === 'none') return genericNode(element, parent, flags, walk);
  const isInteractive = INTERACTIVE.has(role);
  if (walk.interactive && !isInteractive) return null;
  if (parent.leaf && !isInteractive) return null;
  // What only groups rows, or is a name already, says nothing of its own.
  if (role === 'caption' || (role === 'rowgroup' && !hasOwnLabel(element)) || (PHRASES.has(role) && !element.hasAttribute('role'))) return null;
  const { name, fromContent } = nameWithSource(element, role);
  const disabled = flags.disabled || isNativelyDisabled(element) || element.getAttribute('aria-disabled') === 'true';
  // A row's cells say the same again, line by line.
  const printedName = fromContent && role === 'row' ? '' : name;
  return put(parent, {
    kind: 'e', element, number: 0, role, name: printedName, disabled,
    properties: propertiesOf(element, role, disabled), value: valueOf(element, role), kids: [], fresh: true,
    mute: (fromContent && role !== 'row') || walk.interactive || LEAF_ROLES.has(role), leaf: LEAF_ROLES.has(role), fromContent,
  });
}

/* A text that is in the name of a node: seen, or hidden in one way or the other. */
function noteSight(node, element, walk) {
  node.sights ??= new Set();
  node.sights.add(walk.sight.hidesText(element));
}

/*
 * Says of a node that is named by its text that nobody sees that, or a part of it. Words that are cut away inside a
 * control are its label for screen readers, beside a picture that everybody sees.
 */
function markHidden(node, element, isControl, walk) {
  const sights = node.sights ?? new Set(['']);
  const hidden = sights.has(FADED) || (sights.has(CUT) && !isControl);
  const whole = walk.sight.hidesAll(element) || (hidden && !sights.has('') && !(isControl && sights.has(CUT)));
  if (whole || hidden) node.properties = [node.properties, whole ? 'hidden' : 'partly hidden'].filter(Boolean).join(', ');
}

/* An element without a role has a line only where it was named or can be reached by the keyboard. */
function genericNode(element, parent, flags, walk) {
  if (walk.interactive || parent.leaf) return null;
  const name = ariaLabel(element);
  const reachable = element.hasAttribute('tabindex') && element.tabIndex >= 0;
  if (!name && !reachable) return null;
  return put(parent, {
    kind: 'e', element, number: 0, role: 'generic', name, disabled: flags.disabled, properties: propertiesOf(element, 'generic', flags.disabled),
    value: null, kids: [], fresh: true, mute: false, leaf: false,
  });
}

function put(parent, node) {
  parent.kids.push(node);
  parent.fresh = true;
  return node;
}

function addText(target, text, walk) {
  if (target.mute || walk.interactive || walk.size > walk.limit) return;
  const last = target.kids[target.kids.length - 1];
  if (last && last.text !== undefined && !target.fresh) {
    last.text += text;
  } else {
    if (!/\S/.test(text)) return;
    target.kids.push({ text });
    target.fresh = false;
  }
  walk.size += text.length;
}

/* Elements that react to the pointer although ARIA knows nothing of it. */
function noteCursor(element, role, isInteractive, flags, walk) {
  if (isInteractive) return flags.pointer ? flags : { ...flags, pointer: true };
  const reasons = [];
  const pointer = getComputedStyle(element).cursor === 'pointer';
  // The cursor is inherited: only the outermost element that has it is the one to click.
  if (pointer && !flags.pointer) reasons.push('cursor:pointer');
  if (element.hasAttribute('onclick')) reasons.push('onclick');
  if (element.hasAttribute('tabindex') && element.tabIndex >= 0) reasons.push('tabindex');
  if (reasons.length && tagOf(element) !== 'label' && isVisible(element)) {
    const text = clip(squeeze(element.textContent ?? ''), 80) || ariaLabel(element) || squeeze(element.getAttribute('title') ?? '');
    walk.cursorNodes.push([0, numberOf(element), 'c', reasons.join(', '), text, '', ''].join('\t'));
  }
  return pointer === flags.pointer ? flags : { ...flags, pointer };
}

/* Prints children: text alone goes into its parent's line (done by the caller), else line by line. */
function printKids(node, depth, options, out, printed) {
  for (const kid of node.kids) {
    if (kid.text !== undefined) {
      const text = squeeze(kid.text);
      if (text) line(out, printed, depth, options, 0, 't', 'text', '', '', text);
      continue;
    }
    // A picture is part of the name that was made from it.
    if (node.fromContent && kid.role === 'img') continue;
    const inline = inlineText(kid);
    if (options.compact && isBare(kid, inline) && kid.role !== 'row') {
      printKids(kid, depth, options, out, printed);
      continue;
    }
    if (options.compact && kid.role === 'row' && printRow(kid, depth, options, out, printed)) continue;
    const number = kid.number || (within(depth, options) ? numberOf(kid.element) : 0);
    line(out, printed, depth, options, number, kid.kind, kid.role, kid.name, kid.properties, inline);
    if (inline === '' || kid.kids.some((inner) => inner.text === undefined)) {
      printKids(inline ? { ...kid, kids: kid.kids.filter((inner) => inner.text === undefined) } : kid, depth + 1, options, out, printed);
    }
  }
}

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
const isPlainCell = (kid) => CELLS.has(kid.role) && !kid.properties && kid.kids.every((inner) => inner.text !== undefined);

/* A row with its plain cells in one line: `[row]: Nile | 6650`; cells with more in them follow. False: not one of cells. */
function printRow(row, depth, options, out, printed) {
  if (!row.kids.some(isPlainCell) || !row.kids.every((kid) => kid.text !== undefined || CELLS.has(kid.role))) return false;
  const plain = row.kids.filter(isPlainCell).map((cell) => cell.name || inlineText(cell));
  const number = within(depth, options) ? numberOf(row.element) : 0;
  line(out, printed, depth, options, number, row.kind, row.role, row.name, row.properties, plain.join(' | ').replace(/( \| )+$/, ''));
  const rest = row.kids.filter((kid) => !isPlainCell(kid)).flatMap((cell) => (saysOnlyItsContent(cell) ? cell.kids : [cell]));
  printKids({ ...row, kids: rest }, depth + 1, options, out, printed);
  return true;
}

/* A cell that is named by what is in it, which has lines of its own. */
const saysOnlyItsContent = (cell) =>
  cell.kids !== undefined && !cell.properties && cell.kids.length > 0 && cell.name === squeeze(cell.kids.map((kid) => kid.name ?? kid.text).join(' '));

const within = (depth, options) => options.depth === null || depth <= options.depth;

function line(out, printed, depth, options, ...fields) {
  if (within(depth, options)) out.push(`${depth}\t${fields.join('\t')}`);
}

/* A control's value, or the text of a node that has nothing but text in it. */
function inlineText(node) {
  if (node.value !== null && node.value !== undefined) return node.value;
  if (node.kids.length && node.kids.every((kid) => kid.text !== undefined)) {
    return squeeze(node.kids.map((kid) => kid.text).join(' '));
  }
  return '';
}

const isBare = (node, inline) =>
  node.kind === 'e' && STRUCTURAL.has(node.role) && !node.name && !inline && !node.properties;
