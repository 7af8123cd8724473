/**
 * One setting: its text and a control for its values.
 *
 * Owns the control. The value changes only once the daemon has accepted it.
 * @import { Setting, SettingValue } from "../../protocol.js"
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { controlOf, isDefault, valueOf } from "../state/settings.js";
import { h, iconButton } from "./dom.js";

/** @typedef {(value: SettingValue | null) => Promise<void>} Set  null: restores the default */

/**
 * Returns the values side by side, one of them chosen.
 * @template {SettingValue} T
 * @param {string} label
 * @param {{ value: T, label: string, note?: string }[]} choices
 * @param {T} chosen
 * @param {(value: T) => void} choose
 */
export function segments(label, choices, chosen, choose) {
  const options = choices.map(({ value, label: words, note }) =>
    h(
      "button",
      {
        class: "segmented__option",
        type: "button",
        role: "radio",
        "aria-checked": String(value === chosen),
        tabindex: value === chosen ? 0 : -1,
        onclick: () => choose(value),
      },
      words,
      note && h("small", {}, note),
    ),
  );
  if (!choices.some(({ value }) => value === chosen)) options[0]?.setAttribute("tabindex", "0");
  return h(
    "div",
    {
      class: "segmented",
      role: "radiogroup",
      "aria-label": label,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const back = getComputedStyle(/** @type {Element} */ (event.currentTarget)).direction === "rtl" ? "ArrowRight" : "ArrowLeft";
        if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
        event.preventDefault();
        const at = options.indexOf(/** @type {HTMLButtonElement} */ (event.target));
        const to = options[(at + (event.key === back ? -1 : 1) + options.length) % options.length];
        to?.focus();
        to?.click();
      },
    },
    ...options,
  );
}

/**
 * Returns a switch for a setting of the panel's own.
 * @param {{ name: string, label: string, help: string, value: boolean }} setting
 * @param {() => void} onclick
 */
export function switchRow({ name, label, help, value }, onclick) {
  return h(
    "div",
    { class: "setting" },
    h("span", { class: "setting__text" }, label, h("small", {}, help)),
    h("button", {
      class: "switch",
      type: "button",
      role: "switch",
      "aria-checked": String(value),
      "aria-label": label,
      "data-setting": name,
      onclick,
    }),
  );
}

export class SettingRow {
  /** @param {Setting} setting @param {Set} set */
  constructor(setting, set) {
    this.setting = setting;
    this.set = set;
    this.trouble = h("p", { class: "setting__trouble", role: "alert", hidden: true });
    this.element = h("div", { class: "setting" });
    this.#draw();
  }

  /** @param {Setting} setting  the daemon's current value */
  update(setting) {
    if (JSON.stringify(setting) === JSON.stringify(this.setting)) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement?.getAttribute("data-part") : null;
    this.setting = setting;
    this.#draw();
    if (focused != null) {
      const again =
        this.element.querySelector(focused === "choice" ? '[aria-checked="true"]' : `[data-part="${focused}"]`) ??
        this.element.querySelector("button, input, select");
      if (again instanceof HTMLElement) again.focus();
    }
  }

  #draw() {
    const { setting } = this;
    const kind = controlOf(setting);
    const control = this.#control(kind);
    this.element.className = kind === "segments" || kind === "text" ? "setting setting--stack" : "setting";
    const reset = isDefault(setting)
      ? null
      : iconButton("undo", t("backToDefault", setting.label), () => void this.#change(null), "icon-button icon-button--small");
    reset?.setAttribute("data-part", "reset");
    this.trouble.hidden = true;
    this.element.replaceChildren(
      h(
        "span",
        { class: "setting__text" },
        h("span", { class: "setting__name" }, setting.label, reset),
        setting.help && h("small", {}, setting.help),
      ),
      control,
      this.trouble,
    );
  }

  /** @param {ReturnType<typeof controlOf>} kind */
  #control(kind) {
    const { name, label, value, choices = [], unit, range } = this.setting;
    const set = (/** @type {SettingValue} */ to) => void this.#change(to);
    if (kind === "switch")
      return h("button", {
        class: "switch",
        type: "button",
        role: "switch",
        "aria-checked": String(value),
        "aria-label": label,
        "data-part": "control",
        "data-setting": name,
        onclick: () => set(!value),
      });
    if (kind === "segments") {
      const control = segments(label, choices, value, set);
      for (const option of control.children) option.setAttribute("data-part", "choice");
      return control;
    }
    if (kind === "list") {
      const list = h(
        "select",
        {
          class: "field field--list",
          "aria-label": label,
          "data-part": "control",
          "data-setting": name,
          onchange: () => {
            const chosen = choices[list.selectedIndex];
            if (chosen) set(chosen.value);
          },
        },
        ...choices.map((choice) => h("option", { selected: choice.value === value }, choice.label)),
      );
      if (!choices.some((choice) => choice.value === value)) list.selectedIndex = -1;
      return list;
    }
    const field = h("input", {
      class: kind === "number" ? "field field--number" : "field",
      type: kind === "number" ? "number" : "text",
      value: String(value),
      "aria-label": unit ? `${label} (${unit})` : label,
      min: range?.[0],
      max: range?.[1],
      step: kind === "number" ? "any" : null,
      "data-part": "control",
      "data-setting": name,
      onchange: () => this.#typed(field.value),
    });
    return kind === "number" ? h("span", { class: "setting__value" }, field, unit && h("span", {}, unit)) : field;
  }

  /** @param {string} text */
  #typed(text) {
    const typed = valueOf(this.setting, text);
    if ("value" in typed) return void this.#change(typed.value);
    const [low, high] = this.setting.range ?? [];
    this.#say(typed.refused === "range" ? t("outOfRange", low ?? "", high ?? "") : t("notANumber"));
  }

  /** @param {SettingValue | null} value */
  async #change(value) {
    this.trouble.hidden = true;
    try {
      await this.set(value);
    } catch (error) {
      const { message, hint } = faultOf(error);
      this.#say([message, hint].filter(Boolean).join(" "));
    }
  }

  /** @param {string} words */
  #say(words) {
    this.trouble.textContent = words;
    this.trouble.hidden = false;
  }
}
