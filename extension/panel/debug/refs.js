/**
 * The refs of the tab's last snapshot: shown in the page, outlined on hover, inserted into the message on click.
 * @import { RefInfo } from "../../protocol.js"
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { h, icon, isResting, KeyedList, setAttribute, setResting, setText } from "../view/dom.js";

/**
 * @typedef {object} RefsActions
 * @property {() => Promise<RefInfo[]>} list
 * @property {() => Promise<void>} snapshot  takes a new snapshot
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
  /** The element to outline, and whether an outline is being drawn: only the newest matters. */
  #wanted = /** @type {string | null} */ (null);
  #drawing = false;

  /** @param {HTMLElement} element @param {RefsActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.search = h("input", { type: "text", placeholder: t("filterRefs"), "aria-label": t("filterRefs"), oninput: () => this.#draw() });
    this.again = h("button", { class: "button", type: "button", onclick: () => void this.#snapshot() }, icon("retry"), t("newSnapshot"));
    this.toggle = h("button", {
      class: "switch",
      type: "button",
      role: "switch",
      "aria-checked": "false",
      "aria-label": t("showRefs"),
      onclick: () => void this.#toggle(),
    });
    this.list = h("div", { class: "refs", onpointerleave: () => this.#outline(null) });
    /** @type {KeyedList<Line>} */
    this.lines = new KeyedList(this.list, (line) => this.#view(line));
    element.append(
      h("div", { class: "drawer__tools" }, h("label", { class: "search" }, icon("search"), this.search), this.again),
      h("div", { class: "setting setting--tool" }, h("span", { class: "setting__text" }, t("showRefs")), this.toggle),
      h("div", { class: "drawer__body" }, this.list),
    );
  }

  /** Draws the refs when the tab becomes visible or the browser tab changes. */
  show() {
    this.#open = true;
    void this.refresh();
    if (this.#shows) void this.#try(() => this.actions.show(true));
  }

  /** Removes everything from the page when the tab is hidden. Showing it again restores the outline. */
  hide() {
    if (!this.#open) return;
    this.#open = false;
    this.#outline(null);
    if (this.#shows)
      void this.actions.show(false).catch(() => {
        /* the page was closed first */
      });
  }

  /** Reloads the list. */
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
      this.#fill([{ key: "nothing", words: hint ? `${message} ${hint}` : message }]);
    }
  }

  async #snapshot() {
    if (isResting(this.again)) return;
    setResting(this.again, true);
    await this.#try(() => this.actions.snapshot());
    setResting(this.again, false);
    await this.refresh();
  }

  async #toggle() {
    this.#shows = !this.#shows;
    setAttribute(this.toggle, "aria-checked", String(this.#shows));
    await this.#try(() => this.actions.show(this.#shows));
  }

  /** Fills the list. It has the list role only while it has rows, not for text alone. @param {Line[]} lines */
  #fill(lines) {
    setAttribute(this.list, "role", lines.some(({ info }) => info) ? "list" : null);
    const hadFocus = this.list.contains(document.activeElement);
    this.lines.update(lines);
    if (hadFocus && !this.list.contains(document.activeElement)) this.search.focus();
  }

  /** @param {() => Promise<void>} work */
  async #try(work) {
    try {
      await work();
    } catch (error) {
      this.#fill([{ key: "nothing", words: faultOf(error).message }]);
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
      // An element that left the page cannot be outlined; the next list omits it.
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
    /** @type {(words: string, rows: RefInfo[]) => Line[]} */
    const section = (words, rows) =>
      rows.length === 0 ? [] : [{ key: words, words, count: rows.length }, ...rows.map((info) => ({ key: info.ref, words: "", info }))];
    this.#fill(
      found.length === 0
        ? [{ key: "nothing", words: this.#refs.length === 0 ? t("noRefs") : t("nothingFound") }]
        : [...section(t("refsOfSnapshot"), elements), ...section(t("refsBeyond"), others)],
    );
  }

  /** @param {Line} line @returns {import("../view/dom.js").View<Line>} */
  #view({ key, info }) {
    if (info) return this.#row(info.ref);
    if (key === "nothing") {
      const element = h("p", { class: "drawer__nothing" });
      return { element, update: ({ words }) => setText(element, words) };
    }
    const [name, counted] = [h("span", {}), h("span", {})];
    return {
      element: h("div", { class: "section-head" }, name, counted),
      update: ({ words, count }) => {
        setText(name, words);
        setText(counted, String(count));
      },
    };
  }

  /** @param {string} ref @returns {import("../view/dom.js").View<Line>} */
  #row(ref) {
    const point = () => this.#outline(ref);
    const [role, name] = [h("span", { class: "ref-row__role truncate" }), h("span", { class: "ref-row__name truncate" })];
    const element = h(
      "div",
      { role: "listitem" },
      h(
        "button",
        {
          class: "ref-row",
          type: "button",
          title: t("insertRef", ref),
          onclick: () => this.actions.insert(ref),
          onpointerenter: point,
          onfocus: point,
          onblur: () => this.#outline(null),
        },
        h("span", { class: "ref" }, ref),
        role,
        name,
      ),
    );
    return {
      element,
      update: ({ info }) => {
        setText(role, info?.role ?? "");
        setText(name, info?.name ?? "");
      },
    };
  }
}

/** @typedef {{ key: string, words: string, count?: number, info?: RefInfo }} Line  a ref, or text between refs */
