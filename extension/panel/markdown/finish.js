/**
 * Completes the allowed nodes to an answer: code blocks with a header, tables that scroll, headings in order. Works on
 * our own nodes only.
 */
import { t } from "../../shared/i18n.js";
import { copyButton, h, zoomOf } from "../view/dom.js";
import { colourWhenSeen } from "./highlight.js";

/** The panel's own title is h1, so an answer starts at h2 and has two distinct levels. */
const HEADINGS = /** @type {const} */ ({ H1: "h2", H2: "h2", H3: "h3", H4: "h3", H5: "h3", H6: "h3" });
/** The browser lays out all rows of a table together, so a longer table becomes several, each with the header. */
const TALLEST = 100;
/** A table's cell with more characters wraps. */
const LONG_CELL = 24;

/**
 * The text that a code block's copy button copies: the drawn block adds placeholders and empty lines of its own.
 * @type {WeakMap<Element, string>}
 */
const codeOf = new WeakMap();

/** @param {Node} node @returns {Node} */
export function finished(node) {
  if (!(node instanceof HTMLElement)) return node;
  if (node.localName === "pre") return codeBlock(node);
  if (node.localName === "table") {
    for (const cell of node.querySelectorAll("td")) if ((cell.textContent?.length ?? 0) > LONG_CELL) cell.classList.add("long");
    return h(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": t("table") },
      h("div", { class: "table-part" }, node),
    );
  }
  if (node.localName === "input") node.parentElement?.classList.add("task");
  if (node.localName === "ol") numberFrom(/** @type {HTMLOListElement} */ (node));
  const heading = HEADINGS[/** @type {keyof typeof HEADINGS} */ (node.tagName)];
  if (heading && heading !== node.localName) return h(heading, {}, ...node.childNodes);
  for (const child of [...node.children]) {
    const done = finished(child);
    if (done !== child) child.replaceWith(done);
  }
  return node;
}

/**
 * Appends a further piece of a block to the pieces before it.
 * @param {Node | null} before  the result of the previous piece
 * @param {Node | undefined} node  the finished piece
 * @param {boolean} glued  the cut was within a line
 * @returns {boolean} false where it has to stand by itself
 */
export function joined(before, node, glued) {
  if (!(before instanceof HTMLElement && node instanceof HTMLElement)) return false;
  const code = codeOf.get(node);
  const held = codeOf.get(before);
  if (code !== undefined && held !== undefined) {
    codeOf.set(before, `${held}${glued ? "" : "\n"}${code}`);
    before.querySelector("pre")?.append(...node.querySelectorAll("code"));
    return true;
  }
  const more = node.querySelector("table");
  if (!more || !before.matches(".table-scroll")) return false;
  addRows(before, more);
  return true;
}

/**
 * Sets the list's first number: the numbers are a CSS counter, which ignores `start`.
 * @param {HTMLOListElement} list
 */
function numberFrom(list) {
  if (list.start !== 1) list.style.counterReset = `item ${list.start - 1}`;
}

/** @param {HTMLElement} pre */
function codeBlock(pre) {
  const code = pre.querySelector("code");
  const text = (pre.textContent ?? "").replace(/\n$/, "");
  const language = /(?:^|\s)language-(\S+)/.exec(code?.className ?? "")?.[1] ?? "";
  const isDiff = language === "diff" || language === "patch";
  const lines = text.split("\n").map((line) => codeLine(line, isDiff));
  const drawn = h("code", {}, ...lines);
  /** @type {HTMLElement} */
  const block = h(
    "div",
    { class: "codeblock" },
    h(
      "div",
      { class: "codeblock__head" },
      h("span", { class: "truncate" }, language || t("code")),
      copyButton(t("copyCode"), () => codeOf.get(block) ?? ""),
    ),
    h("pre", { tabindex: "0" }, drawn),
  );
  if (!isDiff) colourWhenSeen(drawn, language);
  codeOf.set(block, text);
  return block;
}

/** @param {string} line @param {boolean} isDiff */
function codeLine(line, isDiff) {
  const sign = isDiff ? line[0] : undefined;
  if (sign !== "+" && sign !== "-" && sign !== " ") return h("span", { class: "line" }, line || "\u200b");
  const kind = sign === "+" ? " line--add" : sign === "-" ? " line--del" : "";
  return h("span", { class: `line${kind}` }, h("span", { class: "sign" }, sign), line.slice(1));
}

/** @param {HTMLElement} region @param {HTMLTableElement} more */
function addRows(region, more) {
  const last = region.lastElementChild?.querySelector("table");
  if (!last) return;
  if (last.rows.length + more.rows.length <= TALLEST + 1) return last.append(...more.tBodies);
  // The columns of stacked tables need the same widths.
  if (!last.querySelector("colgroup")) fixColumns(last);
  const columns = last.querySelector("colgroup");
  if (columns) more.prepend(columns.cloneNode(true));
  more.classList.add("table--fixed");
  more.style.width = last.style.width;
  region.append(h("div", { class: "table-part" }, more));
}

/** @param {HTMLTableElement} table */
function fixColumns(table) {
  const widths = [...(table.rows[0]?.cells ?? [])].map((cell) => cell.getBoundingClientRect().width / zoomOf(cell));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  // Without a layout (a drawer covers it) all columns get the same width.
  table.prepend(
    h(
      "colgroup",
      {},
      ...widths.map((width) => {
        const column = h("col", {});
        if (whole > 0) column.style.width = `${width}px`;
        return column;
      }),
    ),
  );
  if (whole > 0) table.style.width = `${whole}px`;
  table.classList.add("table--fixed");
}
