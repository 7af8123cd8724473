/**
 * The list that `/` opens over the composer. The focus stays in the text; the list marks the active option.
 * @import { Command, Group } from "../state/slash.js"
 */
import { t } from "../../shared/i18n.js";
import { h, icon } from "./dom.js";

export class SlashMenu {
  /** @type {{ command: Command, element: HTMLElement }[]} */ #items = [];
  #at = 0;
  #drawn = "";

  /**
   * @param {HTMLElement} element
   * @param {HTMLTextAreaElement} text
   * @param {(command: Command) => void} choose
   */
  constructor(element, text, choose) {
    this.element = element;
    this.text = text;
    this.choose = choose;
    this.list = h("div", { class: "menu__list", id: "commands-list", role: "listbox", "aria-label": t("commands") });
    element.append(
      this.list,
      h(
        "div",
        { class: "menu__hint", "aria-hidden": "true" },
        h("span", {}, t("hintMove")),
        h("span", {}, t("hintRun")),
        h("span", {}, t("hintComplete")),
        h("span", {}, "esc"),
      ),
    );
    text.setAttribute("aria-autocomplete", "list");
    // A pointer press must not take the focus out of the text.
    element.addEventListener("pointerdown", (event) => event.preventDefault());
  }

  get isOpen() {
    return !this.element.hidden;
  }

  /** Shows the matching commands; closes if there are none. @param {Group[]} groups @param {string} typed */
  show(groups, typed) {
    if (groups.length === 0) return this.close();
    const drawn = JSON.stringify([typed, groups]);
    if (this.isOpen && drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#items = [];
    this.list.replaceChildren(
      ...groups.map(({ title, commands }, group) =>
        h(
          "div",
          { role: "group", "aria-labelledby": `commands-${group}` },
          h("div", { class: "menu__group", id: `commands-${group}`, role: "presentation" }, title),
          ...commands.map((command) => this.#item(command, typed)),
        ),
      ),
    );
    this.element.hidden = false;
    this.text.setAttribute("aria-controls", "commands-list");
    this.#select(0);
  }

  close() {
    if (!this.isOpen) return;
    this.element.hidden = true;
    this.text.removeAttribute("aria-controls");
    this.text.removeAttribute("aria-activedescendant");
  }

  /** @returns {Command | undefined} */
  get selected() {
    return this.#items[this.#at]?.command;
  }

  /** @param {number} by */
  move(by) {
    this.#select((this.#at + by + this.#items.length) % this.#items.length);
  }

  /** @param {number} at */
  #select(at) {
    this.#at = at;
    this.#items.forEach(({ element }, index) => element.setAttribute("aria-selected", String(index === at)));
    const { element } = this.#items[at] ?? {};
    if (!element) return;
    this.text.setAttribute("aria-activedescendant", element.id);
    element.scrollIntoView({ block: "nearest" });
  }

  /** @param {Command} command @param {string} typed */
  #item(command, typed) {
    const index = this.#items.length;
    const element = h(
      "div",
      {
        class: "menu__item",
        role: "option",
        id: `command-${index}`,
        onclick: () => this.choose(command),
        onpointermove: () => {
          if (this.#at !== index) this.#select(index);
        },
      },
      h(
        "span",
        { class: "menu__name" },
        ...marked(command.name, typed),
        command.hint && h("span", { class: "menu__argument" }, ` ${command.hint}`),
      ),
      h("span", { class: "menu__about truncate" }, command.about),
      icon("enter", "icon menu__enter"),
    );
    this.#items.push({ command, element });
    return element;
  }
}

/** Returns a command's name with its slash; the typed part is marked. @param {string} name @param {string} typed */
function marked(name, typed) {
  if (!typed) return [`/${name}`];
  const at = name.toLowerCase().indexOf(typed.toLowerCase());
  const end = at + typed.length;
  if (at === 0) return [h("mark", {}, `/${name.slice(0, end)}`), name.slice(end)];
  return ["/", name.slice(0, at), h("mark", {}, name.slice(at, end)), name.slice(end)];
}
