/**
 * The menu behind the plus button: parts of the page in view, and pictures from disk.
 */
import { t } from "../../shared/i18n.js";
import { h, icon, iconButton } from "./dom.js";
import { Menu } from "./menu.js";

/** @typedef {"page" | "selection" | "screenshot" | "element" | "picture"} Source */

/** The attachable sources, with their icons. @type {[Source, string][]} */
const SOURCES = [
  ["page", "page"],
  ["selection", "selection"],
  ["screenshot", "camera"],
  ["element", "pick"],
  ["picture", "file"],
];

export class AttachMenu {
  /** @param {HTMLElement} element @param {(source: Source) => void} attach */
  constructor(element, attach) {
    element.setAttribute("aria-label", t("attach"));
    this.button = iconButton("plus", t("attach"), () => {});
    this.button.setAttribute("aria-haspopup", "menu");
    this.menu = new Menu(this.button, element, () =>
      element.replaceChildren(
        ...SOURCES.map(([source, picture]) =>
          h(
            "button",
            {
              class: "menu__item",
              type: "button",
              role: "menuitem",
              "data-source": source,
              onclick: () => {
                this.menu.close();
                attach(source);
              },
            },
            icon(picture),
            h("span", { class: "grow" }, t(`attach_${source}`)),
          ),
        ),
      ),
    );
  }
}
