/**
 * The daemon's settings as rows: grouped, each with a control for its values. Pure.
 * @import { Setting, SettingValue } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { groupedBy } from "./grouped.js";

/** More choices than this become a menu; fewer are shown side by side. */
const SIDE_BY_SIDE = 3;
/** The total length of labels that still fits side by side into a narrow panel. */
const LABELS_FIT = 30;

/**
 * Groups the settings.
 * @param {Setting[]} settings
 * @returns {[string, Setting[]][]}  in the daemon's order
 */
export function byGroup(settings) {
  return groupedBy(settings, ({ group }) => group);
}

/** @param {Setting} setting @returns {"switch" | "segments" | "list" | "number" | "text"} */
export function controlOf({ value, choices = [] }) {
  if (choices.length > 0) {
    const letters = choices.reduce((sum, { label }) => sum + label.length, 0);
    return choices.length <= SIDE_BY_SIDE && letters <= LABELS_FIT ? "segments" : "list";
  }
  if (typeof value === "boolean") return "switch";
  return typeof value === "number" ? "number" : "text";
}

/** @param {Setting} setting */
export function isDefault({ value, default: standard }) {
  return value === standard;
}

/**
 * Parses a typed value, or returns the reason why it is invalid.
 * @param {Setting} setting
 * @param {string} text
 * @returns {{ value: SettingValue } | { refused: "number" | "range" }}
 */
export function valueOf({ value, range }, text) {
  if (typeof value !== "number") return { value: text };
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) return { refused: "number" };
  if (range && (number < range[0] || number > range[1])) return { refused: "range" };
  return { value: number };
}

/** The settings that people look for most; the others control how gstack itself runs. */
const FIRST = new Set(["agents.default", "agents.approval-minutes"]);

/** @param {Setting[]} settings @returns {{ first: Setting[], advanced: Setting[] }} */
export function sorted(settings) {
  return { first: settings.filter(({ name }) => FIRST.has(name)), advanced: settings.filter(({ name }) => !FIRST.has(name)) };
}

/**
 * Returns a word of the catalogue, or the daemon's own: a newer daemon has settings that this panel does not know.
 * @param {string} name
 * @param {string} else_
 */
function word(name, else_) {
  const found = t(name);
  return found === name ? else_ : found;
}

/**
 * Translates a setting into the panel's language. Agent names stay.
 * @param {Setting} setting
 * @returns {Setting}
 */
export function inWords(setting) {
  const { name, label, help, group, unit, choices } = setting;
  const code = name.replaceAll(/\W/g, "_");
  return {
    ...setting,
    label: word(`setting_${code}`, label),
    ...(help && { help: word(`settingHelp_${code}`, help) }),
    group: word(`settingGroup_${group.replaceAll(/\W/g, "_")}`, group),
    ...(unit && { unit: word(`unit_${unit}`, unit) }),
    ...(choices && {
      choices: choices.map((choice) => ({
        ...choice,
        label: word(`choice_${choice.value === "" ? "first" : choice.value}`, choice.label),
      })),
    }),
  };
}
