/**
 * What clean nodes still lack to be an answer: code blocks with a head, tables that scroll, headings in order.
 * Works on our own nodes only.
 */
import { t } from "../../shared/i18n.js";
import { copyButton, h } from "../view/dom.js";

/** The panel's own title is h1: an answer begins below it and has two levels that differ. */
const HEADINGS = /** @type {const} */ ({ H1: "h2", H2: "h2", H3: "h3", H4: "h3", H5: "h3", H6: "h3" });

/** @param {Node} node @returns {Node} */
export function finished(node) {
  if (!(node instanceof HTMLElement)) return node;
  if (node.localName === "pre") return codeBlock(node);
  if (node.localName === "table") return h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": t("table") }, node);
  if (node.localName === "ol") numberFrom(/** @type {HTMLOListElement} */ (node));
  const heading = HEADINGS[/** @type {keyof typeof HEADINGS} */ (node.tagName)];
  if (heading && heading !== node.localName) return h(heading, {}, ...node.childNodes);
  for (const child of [...node.children]) {
    const done = finished(child);
    if (done !== child) child.replaceWith(done);
  }
  return node;
}

/** The numbers are a CSS counter, which does not know `start`. @param {HTMLOListElement} list */
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
  return h("div", { class: "codeblock" },
    h("div", { class: "codeblock__head" }, h("span", { class: "truncate" }, language || t("code")), copyButton(t("copyCode"), () => text)),
    h("pre", { tabindex: "0" }, h("code", {}, ...lines)));
}

/** @param {string} line @param {boolean} isDiff */
function codeLine(line, isDiff) {
  const sign = isDiff ? line[0] : undefined;
  if (sign !== "+" && sign !== "-" && sign !== " ") return h("span", { class: "line" }, line || "\u200b");
  const kind = sign === "+" ? " line--add" : sign === "-" ? " line--del" : "";
  return h("span", { class: `line${kind}` }, h("span", { class: "sign" }, sign), line.slice(1));
}
