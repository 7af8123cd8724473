/**
 * The refs of the tab's last snapshot: shown in the page, outlined under the pointer, put into the message by a click.
 * @import { RefInfo } from "../../protocol.js"
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { h, icon, setAttribute } from "../view/dom.js";

/**
 * @typedef {object} RefsActions
 * @property {() => Promise<RefInfo[]>} list
 * @property {() => Promise<void>} snapshot  takes a new one
 * @property {(show: boolean) => Promise<void>} show
 * @property {(ref: string | null) => Promise<void>} highlight
 * @property {(ref: string) => void} insert
 * @property {(count: number) => void} counted
 */

export class RefsTab {
  /** @type {RefInfo[]} */ #refs = [];
  #open = false;
  #shows = false;
  #asked = 0;
  /** The outline that is wanted, and whether one is being drawn: only the newest matters. */
  #wanted = /** @type {string | null} */ (null);
  #drawing = false;

  /** @param {HTMLElement} element @param {RefsActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.search = h("input", { type: "text", placeholder: t("filterRefs"), "aria-label": t("filterRefs"), oninput: () => this.#draw() });
    this.again = h("button", { class: "button", type: "button", onclick: () => void this.#snapshot() }, icon("retry"), t("newSnapshot"));
    this.toggle = h("button", { class: "switch", type: "button", role: "switch", "aria-checked": "false", "aria-label": t("showRefs"), onclick: () => void this.#toggle() });
    this.list = h("div", { class: "refs", onpointerleave: () => this.#outline(null) });
    element.append(h("div", { class: "drawer__tools" }, h("label", { class: "search" }, icon("search"), this.search), this.again),
      h("div", { class: "setting setting--tool" }, h("span", { class: "setting__text" }, t("showRefs")), this.toggle),
      h("div", { class: "drawer__body" }, this.list));
  }

  /** In sight, or the tab is another one. */
  show() {
    this.#open = true;
    void this.refresh();
    if (this.#shows) void this.#try(() => this.actions.show(true));
  }

  /** Out of sight: nothing of it stays in the page; what was wanted comes back with it. */
  hide() {
    if (!this.#open) return;
    this.#open = false;
    this.#outline(null);
    if (this.#shows) void this.actions.show(false).catch(() => { /* the page went first */ });
  }

  /** Reads the list again. */
  async refresh() {
    const asked = ++this.#asked;
    try {
      const refs = await this.actions.list();
      if (asked !== this.#asked) return;
      this.#refs = refs;
      this.#draw();
    } catch (error) {
      if (asked !== this.#asked) return;
      const { message, hint } = faultOf(error);
      this.#fill(h("p", { class: "drawer__nothing" }, hint ? `${message} ${hint}` : message));
    }
  }

  async #snapshot() {
    this.again.disabled = true;
    await this.#try(() => this.actions.snapshot());
    this.again.disabled = false;
    await this.refresh();
  }

  async #toggle() {
    this.#shows = !this.#shows;
    setAttribute(this.toggle, "aria-checked", String(this.#shows));
    await this.#try(() => this.actions.show(this.#shows));
  }

  /**
   * A list is one only while it has rows; words alone are none.
   * @param {...Node} shown
   */
  #fill(...shown) {
    setAttribute(this.list, "role", shown.some((node) => /** @type {Element} */ (node).role === "listitem") ? "list" : null);
    this.list.replaceChildren(...shown);
  }

  /** @param {() => Promise<void>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.#fill(h("p", { class: "drawer__nothing" }, faultOf(error).message));
    }
  }

  /** @param {string | null} ref */
  #outline(ref) {
    this.#wanted = ref;
    if (!this.#drawing) void this.#follow();
  }

  async #follow() {
    this.#drawing = true;
    /** @type {string | null | undefined} */ let drawn;
    while (drawn !== this.#wanted) {
      drawn = this.#wanted;
      // An element that has left the page has no outline; the next list says so.
      await this.actions.highlight(drawn).catch(() => {});
    }
    this.#drawing = false;
  }

  #draw() {
    this.actions.counted(this.#refs.length);
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.#refs.filter(({ ref, role, name }) => words.every((word) => `${ref} ${role} ${name}`.toLowerCase().includes(word)));
    const elements = found.filter(({ ref }) => ref.startsWith("@e"));
    const others = found.filter(({ ref }) => !ref.startsWith("@e"));
    this.#fill(
      ...(this.#refs.length === 0 ? [h("p", { class: "drawer__nothing" }, t("noRefs"))] : found.length === 0 ? [h("p", { class: "drawer__nothing" }, t("nothingFound"))] : []),
      ...(elements.length > 0 ? [h("div", { class: "section-head" }, h("span", {}, t("refsOfSnapshot")), h("span", {}, elements.length)), ...elements.map((info) => this.#row(info))] : []),
      ...(others.length > 0 ? [h("div", { class: "section-head" }, h("span", {}, t("refsBeyond")), h("span", {}, others.length)), ...others.map((info) => this.#row(info))] : []));
  }

  /** @param {RefInfo} info */
  #row({ ref, role, name }) {
    const point = () => this.#outline(ref);
    return h("div", { role: "listitem" }, h("button", { class: "ref-row", type: "button", title: t("insertRef", ref), onclick: () => this.actions.insert(ref), onpointerenter: point, onfocus: point, onblur: () => this.#outline(null) },
      h("span", { class: "ref" }, ref), h("span", { class: "ref-row__role truncate" }, role), h("span", { class: "ref-row__name truncate" }, name)));
  }
}
