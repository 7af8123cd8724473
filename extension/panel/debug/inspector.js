/**
 * One picked element: its box, its CSS rules and its computed style. Values can be changed and undone.
 *
 * Owns the picked element, and inspects it again after each change.
 * @import { Picked } from "../../protocol.js"
 * @import { Inspection } from "./inspection.js"
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { copyButton, h, icon, iconButton } from "../view/dom.js";
import { boxModel } from "./box-model.js";
import { cascade } from "./cascade.js";
import { asCss, computedParts, overriddenCount, pageRules, pixels, readInspection } from "./inspection.js";

/**
 * @typedef {object} InspectorActions
 * @property {() => Promise<Picked | null>} pick
 * @property {(ref: string) => Promise<unknown>} inspect  returns the data of the command
 * @property {(ref: string, property: string, value: string) => Promise<void>} change
 * @property {() => Promise<void>} undo
 * @property {(picked: Picked) => void} send  puts the element into the composer
 * @property {(words: string) => void} say
 */

export class InspectorTab {
  /** @type {Picked | null} */ #picked = null;
  /** @type {Inspection | null} */ #inspection = null;
  #changes = 0;
  #asked = 0;
  #allComputed = false;

  /** @param {HTMLElement} element @param {InspectorActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.head = h("div", { class: "picked" });
    this.body = h("div", { class: "drawer__body" });
    this.undoButton = h("button", { class: "button", type: "button", onclick: () => void this.#undo() }, icon("undo"), t("undo"));
    this.foot = h(
      "div",
      { class: "drawer__foot" },
      h(
        "button",
        {
          class: "button button--solid",
          type: "button",
          onclick: () => {
            if (this.#picked) actions.send(this.#picked);
          },
        },
        icon("message"),
        t("sendToChat"),
      ),
      this.undoButton,
      h("span", { class: "grow" }),
      copyButton(t("copyCss"), () => (this.#inspection && this.#picked ? asCss(this.#inspection, this.#picked.selector) : "")),
    );
    element.append(this.head, this.body, this.foot);
    this.#draw();
  }

  show() {
    if (this.#picked) void this.#read();
  }

  /** Forgets the picked element, because the page is another one. */
  forget() {
    this.#picked = null;
    this.#inspection = null;
    this.#changes = 0;
    this.#draw();
  }

  /** @param {Picked} picked */
  async inspect(picked) {
    this.#picked = picked;
    this.#inspection = null;
    this.#changes = 0;
    await this.#read();
  }

  async #pick() {
    const picked = await this.actions.pick();
    if (picked) await this.inspect(picked);
  }

  async #read() {
    const picked = this.#picked;
    if (!picked) return;
    const asked = ++this.#asked;
    try {
      const data = await this.actions.inspect(picked.ref);
      if (asked !== this.#asked) return;
      this.#inspection = readInspection(data);
      this.#draw();
    } catch (error) {
      if (asked !== this.#asked) return;
      const { message, hint } = faultOf(error);
      this.#inspection = null;
      this.#draw();
      this.body.replaceChildren(h("p", { class: "drawer__nothing" }, hint ? `${message} ${hint}` : message));
    }
  }

  /** @param {string} property @param {string} value */
  async #change(property, value) {
    if (!this.#picked) return;
    try {
      await this.actions.change(this.#picked.ref, property, value);
      this.#changes += 1;
    } catch (error) {
      this.actions.say(faultOf(error).message);
    }
    await this.#read();
  }

  async #undo() {
    try {
      await this.actions.undo();
      this.#changes = Math.max(0, this.#changes - 1);
    } catch (error) {
      this.actions.say(faultOf(error).message);
    }
    await this.#read();
  }

  #draw() {
    const picked = this.#picked;
    this.foot.hidden = !picked;
    this.head.hidden = !picked;
    this.undoButton.disabled = this.#changes === 0;
    if (!picked) {
      return this.body.replaceChildren(
        h(
          "div",
          { class: "drawer__nothing" },
          h("p", {}, t("nothingPicked")),
          h("button", { class: "button", type: "button", onclick: () => void this.#pick() }, icon("pick"), t("pickElement")),
        ),
      );
    }
    const box = this.#inspection?.box;
    this.head.replaceChildren(
      h("span", { class: "ref" }, picked.ref),
      h("span", { class: "picked__selector truncate grow", title: picked.selector }, picked.selector),
      h("span", { class: "data dim" }, box ? outer(box) : `${pixels(picked.rect[2])} × ${pixels(picked.rect[3])}`),
      iconButton("pick", t("pickAnother"), () => void this.#pick(), "icon-button icon-button--small"),
    );
    if (this.#inspection) this.#drawInspection(this.#inspection);
  }

  /** @param {Inspection} inspection */
  #drawInspection(inspection) {
    const rules = pageRules(inspection);
    const browsers = inspection.rules.filter(({ origin }) => origin === "user-agent");
    const { overridden, all } = overriddenCount(rules);
    const { set, others } = computedParts(inspection);
    const change = (/** @type {string} */ property, /** @type {string} */ value) => this.#change(property, value);
    const scroll = this.body.scrollTop;
    this.body.replaceChildren(
      inspection.box ? boxModel(inspection.box) : h("p", { class: "drawer__nothing" }, t("notRendered")),
      h("div", { class: "section-head" }, h("span", {}, t("rulesThatApply")), h("span", {}, t("overriddenOf", overridden, all))),
      ...cascade(rules, change),
      ...(browsers.length > 0 ? [fold(t("browsersRules"), String(browsers.length), false, cascade(browsers, change).slice(1))] : []),
      fold(t("computedStyles"), t("computedCount", set.length, others.length), true, [
        definitions(this.#allComputed ? [...inspection.computed] : set),
        h(
          "button",
          {
            class: "button button--quiet button--small computed__all",
            type: "button",
            "aria-pressed": String(this.#allComputed),
            onclick: () => this.#toggleComputed(),
          },
          this.#allComputed ? t("onlySet") : t("showAll"),
        ),
      ]),
    );
    this.body.scrollTop = scroll;
  }

  #toggleComputed() {
    this.#allComputed = !this.#allComputed;
    this.#draw();
  }
}

/** Returns the size of the border box. @param {import("./inspection.js").Box} box */
function outer({ width, height, padding, border }) {
  const [top = 0, right = 0, bottom = 0, left = 0] = padding.map((length, side) => length + (border[side] ?? 0));
  return `${pixels(width + left + right)} × ${pixels(height + top + bottom)}`;
}

/** @param {string} words @param {string} count @param {boolean} open @param {Node[]} content */
function fold(words, count, open, content) {
  return h(
    "details",
    { class: "section-fold", open },
    h("summary", { class: "section-head" }, icon("chevron-right"), h("span", { class: "grow" }, words), h("span", {}, count)),
    ...content,
  );
}

/** @param {[string, string][]} entries */
function definitions(entries) {
  return h("dl", { class: "computed" }, ...entries.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { title: value }, value)]));
}
