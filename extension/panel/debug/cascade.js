/**
 * The rules that apply to an element, strongest first, and editing a value in place.
 *
 * Owns the fields. The `style` command makes the change itself, so that it can be undone.
 * @import { Declaration, Rule } from "./inspection.js"
 */
import { t } from "../../shared/i18n.js";
import { h, svg } from "../view/dom.js";
import { colourOf } from "./inspection.js";

/** @typedef {(property: string, value: string) => Promise<void>} Change */

/** @param {Rule[]} rules @param {Change} change */
export function cascade(rules, change) {
  const hasInline = rules.some(({ origin }) => origin === "inline");
  const inline = hasInline
    ? []
    : [ruleView({ selector: "element.style", specificity: null, origin: "inline", conditions: [], source: "", declarations: [] }, change)];
  return [...inline, ...rules.map((rule) => ruleView(rule, change))];
}

/** @param {Rule} rule @param {Change} change */
function ruleView(rule, change) {
  const { selector, specificity, origin, conditions, source, declarations } = rule;
  return h(
    "div",
    { class: "rule", "data-origin": origin },
    ...conditions.map((condition) => h("div", { class: "rule__condition truncate", title: condition }, condition)),
    h(
      "div",
      { class: "rule__head" },
      h("span", { class: "rule__selector truncate", title: selector }, selector),
      specificity && h("span", { class: "rule__weight", title: t("specificity") }, specificity.join(",")),
      h(
        "span",
        { class: "rule__source truncate", title: source },
        origin === "inline" ? "" : origin === "user-agent" ? t("browsersOwn") : source,
      ),
    ),
    ...declarations.map((declaration) => declarationView(declaration, origin === "inline", change)),
    origin === "inline" && addView(change),
  );
}

/** @param {Declaration} declaration @param {boolean} isInline @param {Change} change */
function declarationView({ name, value, important, overridden }, isInline, change) {
  const colour = colourOf(value);
  const words = important ? `${value} !important` : value;
  const shown = h(
    "button",
    {
      class: "declaration__value truncate",
      type: "button",
      title: t("changeValue", name),
      onclick: () => edit(shown, name, value, change),
    },
    words,
  );
  return h(
    "div",
    { class: `declaration${overridden ? " declaration--overridden" : ""}${isInline ? " declaration--changed" : ""}` },
    h("span", {}, `${name}:`),
    colour && svg("svg", { class: "swatch", "aria-hidden": "true" }, svg("rect", { width: "10", height: "10", fill: colour })),
    shown,
    overridden && h("span", { class: "visually-hidden" }, t("overridden")),
  );
}

/**
 * Replaces the shown value by a field: Enter applies, Escape cancels.
 * @param {HTMLElement} shown
 * @param {string} name
 * @param {string} value
 * @param {Change} change
 */
function edit(shown, name, value, change) {
  const field = h("input", { class: "edit", value, "aria-label": name, spellcheck: "false", autocomplete: "off" });
  let done = false;
  const end = (/** @type {boolean} */ keep) => {
    if (done) return;
    done = true;
    const wanted = field.value.trim();
    field.replaceWith(shown);
    if (keep && wanted !== "" && wanted !== value) void change(name, wanted);
  };
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    end(event.key === "Enter");
    shown.focus();
  });
  field.addEventListener("blur", () => end(true));
  shown.replaceWith(field);
  field.focus();
  field.select();
}

/** Draws the field that takes `property: value`. @param {Change} change */
function addView(change) {
  const field = h("input", {
    class: "edit edit--new",
    placeholder: t("addDeclaration"),
    "aria-label": t("addDeclaration"),
    spellcheck: "false",
    autocomplete: "off",
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && field.value !== "") {
      event.preventDefault();
      event.stopPropagation();
      field.value = "";
    }
    if (event.key !== "Enter") return;
    event.preventDefault();
    const [, name, value] = /^\s*(--[\w-]+|[a-z-]+)\s*:\s*(.+?);?\s*$/i.exec(field.value) ?? [];
    if (name && value) void change(name, value);
    else field.setAttribute("aria-invalid", "true");
  });
  field.addEventListener("input", () => field.removeAttribute("aria-invalid"));
  return h("div", { class: "declaration" }, field);
}
