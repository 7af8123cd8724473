/**
 * The settings: the common ones first (appearance, agent, permissions, keys), and behind Advanced how gstack itself
 * runs.
 *
 * Owns the drawer's parts. The daemon owns the list of settings: a new one appears here automatically.
 * @import { Policy, PolicyRule, Settings, SettingValue } from "../../protocol.js"
 */
import { faultOf } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { byGroup, inWords, sorted } from "../state/settings.js";
import { copyButton, h, icon, iconButton } from "./dom.js";
import { ruleList } from "./rule-list.js";
import { partName } from "./trouble.js";
import { segments, SettingRow, switchRow } from "./setting-row.js";
import { SIZES } from "../text-size.js";

/** The panel's keys: their purpose and their key combinations. */
const KEYS = [
  ["send", "Enter"],
  ["break", "Shift Enter"],
  ["stop", "Esc"],
  ["recall", "↑"],
  ["commands", "/"],
  ["answer", "1 – 4"],
  ["rename", "F2"],
];

/** The optional permissions. @typedef {Record<import("../optional-permissions.js").OptionalPermission, boolean>} Permissions */

/** The marks in pages where an agent works. @typedef {import("../page-marks.js").Marks} Marks */

/**
 * @typedef {object} SettingsActions
 * @property {() => Promise<Settings>} read
 * @property {(name: string, value: SettingValue | null) => Promise<Settings>} set
 * @property {() => Promise<Policy>} policy
 * @property {(rule: PolicyRule) => Promise<Policy>} takeBack
 * @property {() => Promise<string>} theme
 * @property {(theme: string) => void} setTheme
 * @property {() => Promise<number>} textSize
 * @property {(size: number) => void} setTextSize
 * @property {() => Promise<Permissions>} permissions
 * @property {(name: keyof Permissions, on: boolean) => Promise<void>} setPermission
 * @property {() => Promise<Marks>} marks
 * @property {(marks: Marks) => void} setMarks
 * @property {() => { daemon: string, newer: string, mayReload: boolean }} versions
 * @property {() => void} reload  reloads the extension
 * @property {() => void} close
 */

export class SettingsDrawer {
  /** @type {Map<string, SettingRow>} */ #rows = new Map();
  #asked = 0;

  /** @param {HTMLElement} element @param {SettingsActions} actions */
  constructor(element, actions) {
    this.actions = actions;
    this.title = h("h2", { class: "drawer__title", tabindex: "-1" }, t("settings"));
    this.own = h("div", { class: "section" });
    this.others = h("div", {});
    this.advanced = h(
      "details",
      { class: "section advanced", hidden: true },
      h(
        "summary",
        { class: "advanced__head" },
        icon("chevron-right"),
        h("span", {}, t("advanced")),
        h("small", { class: "quiet" }, t("advancedHint")),
      ),
      this.others,
    );
    this.rules = h("div", { class: "section" });
    this.panel = h("div", { class: "section" });
    this.about = h("div", { class: "section" });
    const keys = h(
      "div",
      { class: "section", id: "keys", tabindex: "-1" },
      heading(t("keys")),
      h(
        "dl",
        { class: "keys" },
        ...KEYS.flatMap(([name, keys]) => [h("dt", {}, t(`key_${name}`)), h("dd", {}, h("kbd", { class: "key" }, keys))]),
      ),
    );
    element.append(
      h("div", { class: "drawer__head" }, this.title, iconButton("cross", t("close"), actions.close)),
      h("div", { class: "drawer__body drawer__body--column" }, this.panel, this.own, this.rules, keys, this.advanced, this.about),
    );
  }

  show() {
    this.title.focus();
    this.#drawAbout("");
    void this.load(this.#drawPanel());
  }

  /** Scrolls to the list of keys. */
  showKeys() {
    const keys = this.title.ownerDocument.getElementById("keys");
    keys?.scrollIntoView({ block: "start" });
    keys?.focus({ preventScroll: true });
  }

  /**
   * Loads all sections at once, so that none moves under an approaching pointer.
   * @param {Promise<void>} [above]  settles when everything above them is drawn
   */
  async load(above = Promise.resolve()) {
    const asked = ++this.#asked;
    const [settings, policy] = await Promise.allSettled([this.actions.read(), this.actions.policy(), above]);
    if (asked !== this.#asked) return;
    if (settings.status === "fulfilled") this.#drawSettings(settings.value);
    else this.#drawTrouble(this.own, settings.reason);
    if (policy.status === "fulfilled") this.#drawRules(policy.value);
    else this.#drawTrouble(this.rules, policy.reason);
  }

  /** @param {Settings} answer */
  #drawSettings({ settings: read, file }) {
    const settings = read.map(inWords);
    const known = settings.length === this.#rows.size && settings.every(({ name }) => this.#rows.has(name));
    if (known && this.own.childElementCount > 0) {
      for (const setting of settings) this.#rows.get(setting.name)?.update(setting);
    } else {
      this.#rows = new Map(
        settings.map((setting) => [
          setting.name,
          new SettingRow(setting, async (value) => this.#drawSettings(await this.actions.set(setting.name, value))),
        ]),
      );
      const rows = (/** @type {import("../../protocol.js").Setting[]} */ members) =>
        members.flatMap(({ name }) => this.#rows.get(name)?.element ?? []);
      const { first, advanced } = sorted(settings);
      this.own.replaceChildren(...(first.length > 0 ? [heading(first[0]?.group ?? ""), ...rows(first)] : []));
      this.others.replaceChildren(
        ...byGroup(advanced).map(([group, members]) => h("div", { class: "section" }, heading(group), ...rows(members))),
      );
      this.advanced.hidden = advanced.length === 0;
    }
    this.#drawAbout(file);
  }

  /** @param {Policy} policy */
  #drawRules({ rules }) {
    const focused = this.rules.contains(document.activeElement);
    this.rules.replaceChildren(
      heading(t("permissions")),
      ruleList(rules, (rule) => void this.#takeBack(rule)),
    );
    if (focused) (this.rules.querySelector("button") ?? this.title).focus();
  }

  /** @param {PolicyRule} rule */
  async #takeBack(rule) {
    try {
      this.#drawRules(await this.actions.takeBack(rule));
    } catch (error) {
      this.#drawTrouble(this.rules, error);
    }
  }

  async #drawPanel() {
    const { actions } = this;
    const [theme, textSize, marks, permissions] = await Promise.all([
      actions.theme(),
      actions.textSize(),
      actions.marks(),
      actions.permissions(),
    ]);
    const focused = document.activeElement?.getAttribute("data-setting");
    const mark = (/** @type {keyof Marks} */ name, /** @type {string} */ label, /** @type {string} */ help) =>
      switchRow({ name: `marks.${name}`, label, help, value: marks[name] }, () => {
        this.actions.setMarks({ ...marks, [name]: !marks[name] });
        void this.#drawPanel();
      });
    const permission = (/** @type {keyof Permissions} */ name, /** @type {string} */ label, /** @type {string} */ help) =>
      switchRow({ name: `permissions.${name}`, label, help, value: permissions[name] }, () => {
        // Chrome's dialog needs this click.
        void this.actions.setPermission(name, !permissions[name]).finally(() => this.#drawPanel());
      });
    /** @param {string} name @param {() => void} set */
    const chosen = (name, set) => {
      set();
      void this.#drawPanel().then(() => {
        const one = this.panel.querySelector(`[aria-label="${CSS.escape(name)}"] [aria-checked="true"]`);
        if (one instanceof HTMLElement) one.focus();
      });
    };
    this.panel.replaceChildren(
      heading(t("panel")),
      h(
        "div",
        { class: "setting setting--stack" },
        h("span", { class: "setting__text" }, t("theme")),
        segments(
          t("theme"),
          [
            { value: "system", label: t("themeSystem") },
            { value: "dark", label: t("themeDark") },
            { value: "light", label: t("themeLight") },
          ],
          theme,
          (to) => chosen(t("theme"), () => actions.setTheme(to)),
        ),
      ),
      h(
        "div",
        { class: "setting setting--stack" },
        h("span", { class: "setting__text" }, t("textSize"), h("small", {}, t("textSizeHint"))),
        segments(
          t("textSize"),
          SIZES.map((size) => ({ value: size, label: t("percent", Math.round(size * 100)) })),
          textSize,
          (to) => chosen(t("textSize"), () => actions.setTextSize(to)),
        ),
      ),
      mark("cursor", t("showCursor"), t("showCursorHint")),
      mark("pill", t("showPill"), t("showPillHint")),
      permission("notifications", t("showNotifications"), t("showNotificationsHint")),
      permission("tabGroups", t("groupTabs"), t("groupTabsHint")),
      permission("downloads", t("shareDownloads"), t("shareDownloadsHint")),
    );
    const again = focused && /^(?:marks|permissions)\./.test(focused) ? this.panel.querySelector(`[data-setting="${focused}"]`) : null;
    if (again instanceof HTMLElement) again.focus();
  }

  /** @param {string} file  the daemon's settings file */
  #drawAbout(file) {
    const { daemon, newer, mayReload } = this.actions.versions();
    this.about.replaceChildren(
      heading(t("about")),
      h(
        "div",
        { class: "setting" },
        h("span", { class: "setting__text quiet" }, t("extension")),
        h("span", { class: "setting__value" }, chrome.runtime.getManifest().version),
      ),
      h(
        "div",
        { class: "setting" },
        h("span", { class: "setting__text quiet" }, partName("gstack")),
        h("span", { class: "setting__value" }, daemon || t("down")),
      ),
      ...(newer
        ? [
            h(
              "div",
              { class: "setting" },
              h(
                "span",
                { class: "setting__text" },
                t("newerExtension", newer),
                h("small", {}, mayReload ? t("reloadClosesPanel") : t("reloadWaits")),
              ),
              h(
                "button",
                { class: "button button--small", type: "button", disabled: !mayReload, onclick: () => this.actions.reload() },
                t("reload"),
              ),
            ),
          ]
        : []),
      ...(file
        ? [
            h(
              "div",
              { class: "setting" },
              h("span", { class: "setting__text quiet" }, t("settingsFile"), h("small", { class: "data wrap" }, file)),
              copyButton(t("copyPath"), () => file),
            ),
          ]
        : []),
    );
  }

  /** @param {HTMLElement} place @param {unknown} error */
  #drawTrouble(place, error) {
    const { message, hint } = faultOf(error);
    if (place === this.own) {
      this.#rows.clear();
      this.advanced.hidden = true;
    }
    place.replaceChildren(
      h(
        "div",
        { class: "drawer__nothing" },
        h("p", {}, [message, hint].filter(Boolean).join(" ")),
        h("button", { class: "button", type: "button", onclick: () => void this.load() }, icon("retry"), t("retry")),
      ),
    );
  }
}

/** @param {string} words */
function heading(words) {
  return h("h3", { class: "section-head" }, words);
}
