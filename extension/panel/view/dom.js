/**
 * Creates nodes: elements with attributes and listeners, icons, buttons, keyed lists. Text becomes text nodes only;
 * nothing here accepts HTML.
 */
import { t } from "../../shared/i18n.js";

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Properties */

/**
 * Creates an element. `on…` properties become listeners; `true` becomes an empty attribute; `false`, `null` and
 * `undefined` are omitted.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Properties} properties
 * @param {...(Node | string | number | null | undefined | false)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, properties, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else setAttribute(element, name, value);
  }
  element.append(
    ...children
      .filter((child) => child != null && child !== false)
      .map((child) => (typeof child === "number" ? String(child) : /** @type {Node | string} */ (child))),
  );
  return element;
}

/** @param {Element} element @param {string} name @param {string | number | boolean | null | undefined} value */
export function setAttribute(element, name, value) {
  if (value === true) element.setAttribute(name, "");
  else if (value === false || value == null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * Sets the text only if it differs, so that a selection in it survives.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes a button inactive for now. Unlike a disabled button it keeps the focus.
 * @param {HTMLButtonElement} button
 * @param {boolean} rests
 */
export function setResting(button, rests) {
  setAttribute(button, "aria-disabled", rests ? "true" : null);
}

/** @param {HTMLButtonElement} button */
export function isResting(button) {
  return button.getAttribute("aria-disabled") === "true";
}

const SVG = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string>} attributes @param {...Node} children */
export function svg(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * Returns how much larger an element's rectangle is than its own lengths, because of the panel's text size. Browsers
 * without `currentCSSZoom` do not enlarge rectangles.
 * @param {Element} element
 */
export function zoomOf(element) {
  return element.currentCSSZoom ?? 1;
}

/** Returns an icon of the sprite. @param {string} name @param {string} [className] */
export function icon(name, className = "icon") {
  return svg("svg", { class: className, "aria-hidden": "true" }, svg("use", { href: `#i-${name}` }));
}

export function spinner() {
  return svg(
    "svg",
    { class: "spinner", viewBox: "0 0 16 16", "aria-hidden": "true" },
    svg("circle", { class: "spinner__track", cx: "8", cy: "8", r: "5.25" }),
    svg("path", { d: "M8 2.75A5.25 5.25 0 0 1 13.25 8" }),
  );
}

/**
 * Returns a page's favicon from Chrome's own cache: nothing is fetched from the site.
 * @param {string} url  of the page
 */
export function favicon(url) {
  if (!/^https?:/.test(url)) return icon("globe");
  const source = new URL(chrome.runtime.getURL("/_favicon/"));
  source.searchParams.set("pageUrl", url);
  source.searchParams.set("size", "32");
  return h("img", { class: "favicon", src: source.href, alt: "", width: "16", height: "16" });
}

/**
 * @param {string} name  of the icon
 * @param {string} label
 * @param {(event: MouseEvent) => void} onclick
 * @param {string} [className]
 */
export function iconButton(name, label, onclick, className = "icon-button") {
  return h("button", { class: className, type: "button", "aria-label": label, title: label, onclick }, icon(name));
}

/** How long a copy button confirms the copy. */
const COPIED_MS = 1500;

/** Copies the text and confirms it with the button's icon. @param {HTMLElement} button @param {string} text */
async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  const before = button.querySelector(".icon");
  const done = icon("check");
  before?.replaceWith(done);
  const label = button.getAttribute("aria-label");
  setAttribute(button, "aria-label", t("copied"));
  setTimeout(() => {
    if (before) done.replaceWith(before);
    setAttribute(button, "aria-label", label);
  }, COPIED_MS);
}

/** Returns a small button that copies a text. @param {string} label @param {() => string} text */
export function copyButton(label, text) {
  return iconButton(
    "copy",
    label,
    (event) => void copy(/** @type {HTMLElement} */ (event.currentTarget), text()),
    "icon-button icon-button--small",
  );
}

/** Returns a shell command with its copy button. @param {string} command */
export function commandLine(command) {
  return h(
    "div",
    { class: "command" },
    h("code", {}, command),
    h(
      "button",
      {
        class: "button button--quiet button--small",
        type: "button",
        "aria-label": t("copy"),
        title: t("copy"),
        onclick: (event) => void copy(event.currentTarget, command),
      },
      icon("copy"),
      h("span", { class: "command__copy" }, t("copy")),
    ),
  );
}

/**
 * @template Item
 * @typedef {object} View
 * @property {Element} element
 * @property {(item: Item) => void} update
 */

/**
 * Keyed children: existing children keep their nodes, and unchanged ones are not touched.
 * @template {{ key: string }} Item
 */
export class KeyedList {
  /** @type {Map<string, { view: View<Item>, item: Item }>} */ #held = new Map();

  /**
   * @param {Element} parent
   * @param {(item: Item) => View<Item>} create  `update` is called right after it
   * @param {Element | null} [before]  the child of `parent` that all are inserted before
   */
  constructor(parent, create, before = null) {
    this.parent = parent;
    this.create = create;
    this.before = before;
  }

  /** @param {readonly Item[]} items */
  update(items) {
    const keys = new Set(items.map(({ key }) => key));
    for (const [key, { view }] of this.#held) {
      if (keys.has(key)) continue;
      view.element.remove();
      this.#held.delete(key);
    }
    /** @type {Element | null} */
    let next = this.before;
    for (const item of items.toReversed()) {
      let held = this.#held.get(item.key);
      if (!held) {
        held = { view: this.create(item), item };
        this.#held.set(item.key, held);
        held.view.update(item);
      } else if (held.item !== item) {
        held.item = item;
        held.view.update(item);
      }
      const { element } = held.view;
      if (element.parentNode !== this.parent || element.nextElementSibling !== next) this.parent.insertBefore(element, next);
      next = element;
    }
  }

  /** @param {string} key */
  get(key) {
    return this.#held.get(key)?.view;
  }

  /** All views, in no guaranteed order. */
  get views() {
    return [...this.#held.values()].map(({ view }) => view);
  }
}
