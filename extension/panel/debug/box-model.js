/**
 * Draws an element's box: margin, border, padding and content, each with its four lengths.
 * @import { Box } from "./inspection.js"
 */
import { t } from "../../shared/i18n.js";
import { h } from "../view/dom.js";
import { pixels } from "./inspection.js";

/** @param {Box} box */
export function boxModel(box) {
  const content = h("div", { class: "boxmodel__layer boxmodel__layer--content c" }, `${pixels(box.width)} × ${pixels(box.height)}`);
  const padding = layer("padding", box.padding, content);
  const border = layer("border", box.border, padding);
  return h(
    "div",
    {
      class: "boxmodel",
      role: "img",
      "aria-label": t(
        "boxOf",
        pixels(box.width),
        pixels(box.height),
        box.padding.map(pixels).join(" "),
        box.border.map(pixels).join(" "),
        box.margin.map(pixels).join(" "),
      ),
    },
    layer("margin", box.margin, border),
  );
}

/**
 * @param {"margin" | "border" | "padding"} name
 * @param {number[]} sides  top, right, bottom, left
 * @param {HTMLElement} inner
 */
function layer(name, sides, inner) {
  const lengths = ["t", "r", "b", "l"].map((side, index) =>
    h("span", { class: (sides[index] ?? 0) === 0 ? `${side} is-zero` : side }, pixels(sides[index] ?? 0)),
  );
  inner.classList.add("c");
  return h("div", { class: `boxmodel__layer boxmodel__layer--${name}` }, h("span", { class: "boxmodel__name" }, name), ...lengths, inner);
}
