/*
 * Tables, field values and boxes, and the facts that a page states about itself, as data.
 *
 * Owns the output formats of `table`, `value`, `snapshot --boxes` and `extract`. Changes nothing.
 */

/* A longer table is a data set: it is cut, and the missing rows are counted. */
const MOST_ROWS = 5000;
const MOST_FACTS = 2000;

/**
 * Reads the table that a target names; without a target, the only table of the page. → {head, rows, more} or a fault
 * @param {Target | null} target
 */
function readTable(target) {
  const resolved = resolveOne(target ?? { selector: 'role=table' });
  if (!resolved.element) {
    return resolved.fault === 'several' && !target ? { ...resolved, message: `${resolved.message}\nName one of them` } : resolved;
  }
  const { element } = resolved;
  const table = dom.closest(element, 'table, [role=table], [role=grid], [role=treegrid]');
  if (!table) return { fault: /** @type {const} */ ('kind'), message: 'it is not a table and in none', description: describe(element) };
  return tableOf(table);
}

/** @param {Element} table @returns {{ head: string[]; rows: string[][]; more: number }} */
function tableOf(table) {
  const isHead = (/** @type {Element} */ cell) => tagOf(cell) === 'th' || dom.getAttribute(cell, 'role') === 'columnheader';
  const lines = rowsOf(table);
  const grid = gridOf(lines);
  // The head: the leading rows that contain only header cells.
  let heads = 0;
  while (heads < lines.length && cellsOf(lines[heads]).length > 0 && cellsOf(lines[heads]).every(isHead)) heads += 1;
  if (heads === lines.length) heads = Math.min(heads, 1);
  const head = heads ? (grid[heads - 1] ?? []) : [];
  const body = grid.slice(heads).filter((row) => row.some((text) => text !== ''));
  return { head, rows: body.slice(0, MOST_ROWS), more: Math.max(0, body.length - MOST_ROWS) };
}

/** @param {Element} table @returns {Element[]} */
function rowsOf(table) {
  const rows = Array.from(dom.querySelectorAll(table, 'tr, [role=row]'));
  return rows.filter((row) => dom.closest(row, 'table, [role=table], [role=grid], [role=treegrid]') === table && isVisible(row));
}

/** @param {Element} row @returns {Element[]} */
const cellsOf = (row) =>
  Array.from(dom.querySelectorAll(row, 'td, th, [role=cell], [role=gridcell], [role=columnheader], [role=rowheader]')).filter(
    (cell) => dom.closest(cell, 'tr, [role=row]') === row,
  );

/**
 * Returns texts by row and column: a cell that spans several is repeated in each.
 * @param {Element[]} rows
 * @returns {string[][]}
 */
function gridOf(rows) {
  /** @type {string[][]} */
  const grid = rows.map(() => []);
  rows.forEach((row, at) => {
    let column = 0;
    for (const cell of cellsOf(row)) {
      while (grid[at][column] !== undefined) column += 1;
      const spans = /** @type {HTMLTableCellElement} */ (/** @type {unknown} */ (cell));
      const [wide, high] = [Math.min(spans.colSpan || 1, 100), Math.min(spans.rowSpan || 1, rows.length - at)];
      const text = squeeze(readText(cell, false));
      for (let down = 0; down < high; down += 1) for (let right = 0; right < wide; right += 1) grid[at + down][column + right] = text;
      column += wide;
    }
  });
  return grid.map((row) => Array.from(row, (text) => text ?? ''));
}

/**
 * Returns a field's value; a password is never read. → {value} or a fault
 * @param {Target} target
 * @returns {Refusal | { value: string }}
 */
function valueOfField(target) {
  const resolved = resolveOne(target);
  if (!resolved.element) return resolved;
  const { element } = resolved;
  const field = tagOf(element) === 'label' && element.control ? element.control : element;
  if (secretAttribute(field) === 'value') return { value: readableValue(field) };
  if (tagOf(field) === 'select') return { value: Array.from(field.selectedOptions, (option) => squeeze(option.text)).join(', ') };
  if (tagOf(field) === 'input' || tagOf(field) === 'textarea') {
    const checked = checkedState(field, roleOf(field));
    return { value: checked || field.value };
  }
  const value = valueOf(field, roleOf(field));
  if (value !== null) return { value };
  if (dom.isContentEditable(field)) return { value: dom.innerText(field) };
  return { fault: 'kind', message: 'it has no value: text reads what it says', description: describe(field) };
}

/**
 * Returns the boxes of elements in this frame's viewport, by their numbers; null for one without a box.
 * @param {number[]} wanted
 */
function boxesOf(wanted) {
  return wanted.map((number) => {
    const element = elementOf(number);
    const box = element && dom.getBoundingClientRect(element);
    if (!box || (box.width === 0 && box.height === 0)) return null;
    return [box.x, box.y, box.width, box.height].map((length) => Math.round(length));
  });
}

/**
 * Returns the facts that a page states about itself: pairs of a label and a value, tables, and microdata items.
 * @returns {{ pairs: [string, string][]; tables: { head: string[]; rows: string[][] }[]; items: { [name: string]: string }[] }}
 */
function readFacts() {
  /** @type {[string, string][]} */
  const pairs = [];
  /** @param {string} label @param {string} value */
  const add = (label, value) => {
    const name = squeeze(label).replace(/\s*[:：]$/, '');
    if (name && name.length <= 80 && squeeze(value) && pairs.length < MOST_FACTS) pairs.push([name, squeeze(value)]);
  };
  /** @type {{ [name: string]: string }[]} */
  const items = [];
  eachElement((element) => {
    const tag = tagOf(element);
    if (dom.hasAttribute(element, 'itemscope') && items.length < MOST_FACTS) items.push(itemOf(element));
    if (!isVisible(element)) return;
    if (tag === 'dt') {
      for (let at = dom.nextElementSibling(element); at && tagOf(at) === 'dd'; at = dom.nextElementSibling(at))
        add(rawText(element), rawText(at));
    } else if (tag === 'th') {
      const [row, next] = [dom.parentElement(element), dom.nextElementSibling(element)];
      if (row && next && cellsOf(row).length === 2) add(rawText(element), rawText(next));
    } else if ((tag === 'input' || tag === 'select' || tag === 'textarea') && !isPassword(element)) {
      const value = tag === 'select' ? Array.from(element.selectedOptions, (option) => option.text).join(', ') : element.value;
      for (const label of labelTexts(element)) add(label, value);
    } else if (['p', 'li', 'div', 'span', 'td'].includes(tag) && !dom.querySelector(element, 'p, li, div, table, ul, ol')) {
      const said = /^([^:：\n]{1,60})[:：]\s+(\S.{0,300})$/s.exec(squeeze(rawText(element)));
      if (said) add(said[1], said[2]);
    }
  });
  const tables = Array.from(dom.querySelectorAll(document, 'table, [role=table], [role=grid]')).filter(isVisible).slice(0, 50).map(tableOf);
  return { pairs, tables, items };
}

/** @param {Element} scope @returns {{ [name: string]: string }} */
function itemOf(scope) {
  /** @type {{ [name: string]: string }} */
  const item = {};
  for (const element of dom.querySelectorAll(scope, '[itemprop]')) {
    const inner = dom.hasAttribute(element, 'itemscope') ? dom.parentElement(element) : element;
    if (!inner || dom.closest(inner, '[itemscope]') !== scope) continue;
    const value = dom.getAttribute(element, 'content') ?? dom.getAttribute(element, 'datetime') ?? rawText(element);
    for (const name of (dom.getAttribute(element, 'itemprop') ?? '').split(/\s+/)) if (name) item[name] ??= squeeze(value);
  }
  return item;
}
