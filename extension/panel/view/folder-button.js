/**
 * The agent's working folder: shown on a small button, changed in a dialog over the composer.
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { lastOf } from "../format.js";
import { h, icon, setText } from "./dom.js";
import { Menu } from "./menu.js";

export class FolderButton {
  #folder = "";

  /**
   * @param {HTMLElement} dialog
   * @param {object} actions
   * @param {(folder: string) => Promise<void>} actions.choose
   * @param {(current: string) => Promise<string[]>} actions.recent  returns folders of other conversations
   */
  constructor(dialog, { choose, recent }) {
    this.choose = choose;
    this.recent = recent;
    this.dialog = dialog;
    dialog.setAttribute("aria-label", t("folder"));
    this.name = h("span", { class: "truncate" });
    this.button = h(
      "button",
      { class: "folder-button", type: "button", "aria-haspopup": "dialog", hidden: true },
      icon("folder"),
      this.name,
    );
    this.menu = new Menu(this.button, dialog, () => void this.#draw());
  }

  /**
   * @param {string} folder  empty while there is no conversation
   * @param {string} of  the repository whose git work tree it is, if any
   */
  update(folder, of = "") {
    if (folder === this.#folder) return;
    this.#folder = folder;
    const words = of ? t("worksInTree", folder, of) : t("worksIn", folder);
    setText(this.name, of ? t("workTree", lastOf(of)) : lastOf(folder));
    this.button.hidden = folder === "";
    this.button.title = words;
    this.button.setAttribute("aria-label", words);
    if (this.menu.isOpen) this.menu.close();
  }

  async #draw() {
    const folder = this.#folder;
    const field = h("input", {
      class: "field mono",
      type: "text",
      value: folder,
      "aria-label": t("folder"),
      spellcheck: "false",
      autocomplete: "off",
    });
    const trouble = h("p", { class: "setting__trouble", role: "alert", hidden: true });
    const places = h("div", {});
    const take = async (/** @type {string} */ to) => {
      trouble.hidden = true;
      try {
        await this.choose(to.trim());
        this.menu.close();
      } catch (error) {
        const { message, hint } = faultOf(error);
        trouble.textContent = [message, hint].filter(Boolean).join(" ");
        trouble.hidden = false;
        field.focus();
      }
    };
    const form = h(
      "form",
      {
        class: "menu__form",
        onsubmit: (event) => {
          event.preventDefault();
          void take(field.value);
        },
      },
      field,
      h("button", { class: "button", type: "submit" }, t("useFolder")),
    );
    this.dialog.replaceChildren(
      h("div", { class: "menu__group" }, t("folder")),
      form,
      trouble,
      places,
      h("p", { class: "menu__hint" }, t("folderHint")),
    );
    field.focus();
    field.select();
    const recent = await this.recent(folder).catch(() => []);
    if (recent.length > 0 && places.isConnected) {
      places.replaceChildren(
        h("div", { class: "menu__group" }, t("recentFolders")),
        ...recent.map((path) =>
          h(
            "button",
            { class: "menu__item", type: "button", onclick: () => void take(path) },
            icon("folder"),
            h("span", { class: "truncate mono", title: path }, path),
          ),
        ),
      );
    }
  }
}
