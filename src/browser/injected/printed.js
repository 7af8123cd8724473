/*
 * Prints the snapshot's nodes as lines.
 *
 * Owns the line format, and which nodes have a line: rows with their cells, a node with its text. Reads nothing from
 * the page.
 */

/* In UTF-16 units. One node must not use up the page's limit: `text` reads it completely. */
const LONGEST_TEXT = 2000;
/* Text from the page, such as the reason a field is invalid. */
const LONGEST_PROPERTIES = 300;

/** Returns a text as shown in a line, with the number of characters left out. @param {string} text */
function clipText(text, left = 0) {
  const held = text.length > LONGEST_TEXT ? clip(text, LONGEST_TEXT).slice(0, -1) : text;
  const rest = text.length - held.length + left;
  return rest > 0 ? `${held}… (${rest} more characters)` : held;
}

/** Returns runs of text as shown in one line. @param {LineNode[]} runs */
const textOfRuns = (runs) =>
  clipText(
    runs
      .map((run) => squeeze(run.text ?? ''))
      .filter(Boolean)
      .join(' '),
    runs.reduce((left, run) => left + run.left, 0),
  );

/**
 * Prints children. Text alone goes into its parent's line (the caller does that), everything else line by line.
 * @param {LineNode} node
 * @param {number} depth
 * @param {PrintOptions} options
 * @param {string[]} out
 * @param {Printed} printed
 */
function printKids(node, depth, options, out, printed, kids = node.kids) {
  for (const kid of kids) {
    if (kid.text !== undefined) {
      const text = kid.counted ? MARK : textOfRuns([kid]);
      if (text) line(out, printed, depth, options, kid, 0, 't', 'text', '', '', text);
      continue;
    }
    // An image is part of the name that was made from it.
    if (node.fromContent && kid.role === 'img') continue;
    const inline = inlineText(kid);
    if (options.compact && isBare(kid, inline) && kid.role !== 'row') {
      printKids(kid, depth, options, out, printed);
      continue;
    }
    if (options.compact && kid.role === 'row' && printRow(kid, depth, options, out, printed)) continue;
    line(out, printed, depth, options, kid, numberIn(kid, depth, options), kid.kind, kid.role, kid.name, kid.properties, inline);
    printKids(kid, depth + 1, options, out, printed, inline ? kid.kids.filter(standsAlone) : kid.kids);
  }
}

/** Returns true for a child with a line of its own even if its parent's line has text. @param {LineNode} kid */
const standsAlone = (kid) => kid.text === undefined || kid.stands;

/**
 * Assigns numbers only to nodes that are printed.
 * @param {LineNode} node
 * @param {number} depth
 * @param {PrintOptions} options
 */
const numberIn = (node, depth, options) => node.number || (within(depth, options) && !node.counted ? numberOf(node.element) : 0);

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);
/** @param {LineNode} kid */
const isPlainCell = (kid) => CELLS.has(kid.role) && !kid.properties && kid.kids.every((inner) => inner.text !== undefined);

/**
 * Prints a row with its plain cells in one line: `[row]: Nile | 6650`; cells with more content follow. Returns false if
 * it is not a row of cells.
 * @param {LineNode} row
 * @param {number} depth
 * @param {PrintOptions} options
 * @param {string[]} out
 * @param {Printed} printed
 */
function printRow(row, depth, options, out, printed) {
  if (!row.kids.some(isPlainCell) || !row.kids.every((/** @type {LineNode} */ kid) => kid.text !== undefined || CELLS.has(kid.role)))
    return false;
  // The limit may be reached within the row.
  const plain = row.kids
    .filter(isPlainCell)
    .map((/** @type {LineNode} */ cell) => (cell.counted && !row.counted ? '…' : cell.name || inlineText(cell)));
  const cells = plain
    .join(' | ')
    .replace(/( \| )+$/, '')
    .replace(/… \|( … \|)* …$/, '…');
  line(out, printed, depth, options, row, numberIn(row, depth, options), row.kind, row.role, row.name, row.properties, cells);
  const rest = row.kids
    .filter((/** @type {LineNode} */ kid) => !isPlainCell(kid))
    .flatMap((/** @type {LineNode} */ cell) => (saysOnlyItsContent(cell) ? cell.kids : [cell]));
  printKids(row, depth + 1, options, out, printed, rest);
  return true;
}

/** Returns true for a cell whose name is its content, which has lines of its own. @param {LineNode} cell */
const saysOnlyItsContent = (cell) =>
  cell.counted
    ? isOnlyItsKids(cell)
    : cell.kids !== undefined &&
      !cell.properties &&
      cell.kids.length > 0 &&
      cell.name === squeeze(cell.kids.map((/** @type {LineNode} */ kid) => kid.name ?? kid.text).join(' '));

/** @param {number} depth @param {{ depth: number | null }} options */
const within = (depth, options) => options.depth === null || depth <= options.depth;

/**
 * Adds a line. It is tab-separated: depth, number (0 for text), kind (`e` element, `c` cursor-interactive, `t` text,
 * `f` frame), role, name, properties, text.
 * @param {string[]} out
 * @param {Printed} printed
 * @param {number} depth
 * @param {PrintOptions} options
 * @param {LineNode} node
 * @param {number} number
 * @param {string | undefined} kind
 * @param {string} role
 * @param {string} name
 * @param {string} properties
 * @param {string} text
 */
function line(out, printed, depth, options, node, number, kind, role, name, properties, text) {
  if (!within(depth, options)) return;
  if (node.counted) printed.more += 1;
  else out.push([depth, number, kind, role, name, clip(properties, LONGEST_PROPERTIES), text].join('\t'));
}

/** Returns a control's value, or the text of a node that contains only text. @param {LineNode} node */
function inlineText(node) {
  if (node.value !== null && node.value !== undefined) return clipText(node.value);
  if (node.kids.length && node.kids.every((/** @type {LineNode} */ kid) => kid.text !== undefined))
    return node.counted ? MARK : textOfRuns(node.kids);
  return '';
}

/** @param {LineNode} node @param {string} inline */
const isBare = (node, inline) => node.kind === 'e' && STRUCTURAL.has(node.role) && !node.name && !inline && !node.properties;
