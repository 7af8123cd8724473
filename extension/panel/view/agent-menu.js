/**
 * The menu of agents, their models and modes for a conversation, and how to install missing agents.
 * @import { AgentInfo, ConversationInfo, ModeInfo, SandboxInfo } from "../../protocol.js"
 */
import { inWords, worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { modeName, notableMode } from "../state/mode.js";
import { keptModel, modelName, modelsOf, TIERS } from "../state/model.js";
import { chosenAgent } from "../state/trouble.js";
import { commandLine, h, icon, setText } from "./dom.js";
import { Menu } from "./menu.js";
import { segments } from "./setting-row.js";

export class AgentMenu {
  /** @type {AgentInfo[]} */ #agents = [];
  /** @type {ConversationInfo | null} */ #info = null;
  /** @type {SandboxInfo | null} */ #sandbox = null;

  /**
   * @param {HTMLElement} list
   * @param {object} actions
   * @param {(agent: string | null, model: string | null, mode: string | null) => void} actions.choose
   * @param {() => void} actions.refresh
   * @param {() => void} actions.examine  the list is shown
   */
  constructor(list, { choose, refresh, examine }) {
    this.choose = choose;
    this.refresh = refresh;
    this.name = h("b", {});
    this.mode = h("b", {});
    this.model = h("b", {});
    this.button = h(
      "button",
      { class: "agent-button", type: "button", "aria-haspopup": "dialog" },
      h("span", { class: "agent-button__name" }, h("span", {}, this.name, this.mode, this.model)),
      icon("chevron-down"),
    );
    this.list = list;
    list.setAttribute("aria-label", t("modelAndAgent"));
    this.menu = new Menu(this.button, list, () => {
      this.#draw();
      examine();
    });
  }

  /**
   * @param {AgentInfo[] | null} agents
   * @param {ConversationInfo | null} info
   * @param {string} instead  shown while there is no agent to show
   * @param {SandboxInfo | null} sandbox
   */
  update(agents, info, instead, sandbox) {
    const before = this.#info;
    const changed =
      this.#agents !== agents ||
      before?.agent !== info?.agent ||
      before?.model !== info?.model ||
      before?.mode !== info?.mode ||
      before?.currentMode?.id !== info?.currentMode?.id ||
      this.#sandbox !== sandbox;
    this.#agents = agents ?? [];
    this.#info = info;
    this.#sandbox = sandbox;
    const chosen = this.#chosen;
    const model = chosen?.hasModel && !instead ? (modelName(info?.model, chosen)?.toLowerCase() ?? t("modelAuto").toLowerCase()) : "";
    const notable = chosen && !instead ? notableMode(info, chosen) : null;
    const mode = notable ? modeName(notable).toLowerCase() : "";
    setText(this.name, `${chosen && !instead ? chosen.label.toLowerCase() : instead}${(mode || model) && " · "}`);
    setText(this.mode, `${mode}${mode && model && " · "}`);
    setText(this.model, model);
    const words = `${this.name.textContent}${this.mode.textContent}${model}`;
    this.button.hidden = words === "";
    this.button.disabled = !info || instead !== "" || this.#agents.length === 0;
    this.button.setAttribute("aria-label", `${t("modelAndAgent")}: ${words}`);
    if (changed && this.menu.isOpen) this.#redraw();
  }

  get #chosen() {
    return chosenAgent(this.#agents, this.#info);
  }

  /** Redraws an open menu and keeps the focus in place. */
  #redraw() {
    const focused = document.activeElement?.getAttribute("data-choice");
    this.#draw();
    const again = focused ? this.list.querySelector(`[data-choice="${CSS.escape(focused)}"]`) : null;
    if (again instanceof HTMLElement) again.focus();
    else if (focused) this.list.querySelector("button")?.focus();
  }

  #draw() {
    const chosen = this.#chosen;
    const missing = this.#agents.filter(({ status }) => status === "missing");
    const found = this.#agents.filter(({ status }) => status !== "missing");
    this.list.replaceChildren(
      ...(chosen?.hasModel ? this.#models(chosen) : []),
      ...(chosen?.modes?.length ? this.#modes(chosen, chosen.modes) : []),
      h("div", { class: "menu__group", id: "agents-found" }, t("agents")),
      h("div", { role: "radiogroup", "aria-labelledby": "agents-found" }, ...found.map((agent) => this.#agent(agent, agent === chosen))),
      ...(missing.length > 0
        ? [h("div", { class: "menu__divider" }), h("div", { class: "menu__group" }, t("notInstalled")), ...missing.map(missingAgent)]
        : []),
      h("div", { class: "menu__divider" }),
      ...(this.#sandbox ? [sandboxNote(this.#sandbox)] : []),
      h(
        "button",
        { class: "menu__item", type: "button", "data-choice": "refresh", onclick: () => this.refresh() },
        icon("retry"),
        h("span", {}, t("lookAgain")),
      ),
    );
  }

  /** @param {AgentInfo} agent */
  #models(agent) {
    const model = this.#info?.model ?? null;
    const take = (/** @type {string | null} */ to) => this.choose(this.#info?.agent ?? null, to, this.#info?.mode ?? null);
    const tiers = segments(
      t("model"),
      TIERS.map((tier) => ({ value: tier ?? "", label: t(`model_${tier ?? "auto"}`), note: t(`modelNote_${tier ?? "auto"}`) })),
      model ?? "",
      (tier) => take(tier || null),
    );
    for (const option of tiers.children) option.setAttribute("data-choice", `tier ${option.textContent}`);
    return [
      h("div", { class: "menu__group" }, t("model")),
      h("div", { class: "menu__inset" }, tiers),
      ...(modelsOf(agent).length > 0
        ? [
            h(
              "div",
              { role: "radiogroup", "aria-label": t("modelsOf", agent.label) },
              ...modelsOf(agent).map(({ id, label, description }) =>
                h(
                  "button",
                  {
                    class: "menu__item",
                    type: "button",
                    role: "radio",
                    "aria-checked": String(id === model),
                    "data-choice": `model ${id}`,
                    title: description,
                    onclick: () => {
                      this.menu.close();
                      take(id);
                    },
                  },
                  id === model ? icon("check") : h("span", { class: "menu__blank" }),
                  h("span", {}, label),
                  h("span", { class: "data dim grow truncate" }, description ?? (label === id ? "" : id)),
                ),
              ),
            ),
          ]
        : []),
      h("div", { class: "menu__divider" }),
    ];
  }

  /** @param {AgentInfo} agent @param {ModeInfo[]} modes */
  #modes(agent, modes) {
    const now = this.#info?.currentMode?.id ?? this.#info?.mode ?? modes.find(({ asks }) => asks)?.id;
    return [
      h("div", { class: "menu__group" }, t("mode")),
      h(
        "div",
        { role: "radiogroup", "aria-label": t("modesOf", agent.label) },
        ...modes.map((mode) =>
          h(
            "button",
            {
              class: "menu__item",
              type: "button",
              role: "radio",
              "aria-checked": String(mode.id === now),
              "data-choice": `mode ${mode.id}`,
              title: mode.description,
              onclick: () => {
                this.menu.close();
                this.choose(this.#info?.agent ?? null, this.#info?.model ?? null, mode.id);
              },
            },
            mode.id === now ? icon("check") : h("span", { class: "menu__blank" }),
            h("span", { class: "grow" }, modeName(mode)),
            !mode.asks && h("span", { class: "data is-bad" }, t("modeDoesNotAsk")),
          ),
        ),
      ),
      h("div", { class: "menu__divider" }),
    ];
  }

  /** @param {AgentInfo} agent @param {boolean} checked */
  #agent({ name, label, status, unexamined, version, fault, hasModel, account, warning, warningWords }, checked) {
    const about = [version, account].filter(Boolean).join(" · ") || (hasModel ? (unexamined ? t("agentChecked") : "") : t("noModel"));
    const ready = status === "ready";
    const item = h(
      "button",
      {
        class: "menu__item",
        type: "button",
        role: "radio",
        "aria-checked": String(checked),
        "aria-disabled": ready ? null : "true",
        "data-choice": `agent ${name}`,
        onclick: () => {
          if (ready) {
            this.menu.close();
            this.choose(name, keptModel(this.#info?.model), checked ? (this.#info?.mode ?? null) : null);
          }
        },
      },
      checked ? icon("check") : h("span", { class: "menu__blank" }),
      h("span", {}, label),
      h("span", { class: "data dim grow truncate" }, about),
      !ready && h("span", { class: "data is-bad" }, t(`agent_${status.replaceAll("-", "_")}`)),
    );
    if (ready && !warning) return item;
    return h(
      "div",
      {},
      item,
      h(
        "div",
        { class: "menu__note" },
        warning && h("p", {}, inWords(warning, warningWords)),
        !ready && fault?.hint && h("p", {}, worded(fault).hint),
        !ready && fault?.command && commandLine(fault.command),
      ),
    );
  }
}

/** Draws how to install a missing agent. @param {AgentInfo} agent */
function missingAgent({ label, fault: told }) {
  const fault = told && worded(told);
  // The command is the reason to open it, so the list scrolls to the command.
  return h(
    "details",
    {
      class: "menu__missing",
      ontoggle: ({ currentTarget }) => {
        if (currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" });
      },
    },
    h(
      "summary",
      { class: "menu__item" },
      icon("chevron-right"),
      h("span", { class: "grow" }, label),
      h("span", { class: "data dim" }, t("howToInstall")),
    ),
    h(
      "div",
      { class: "menu__note" },
      fault?.hint ? h("p", {}, fault.hint) : fault && h("p", {}, fault.message),
      fault?.command && commandLine(fault.command),
    ),
  );
}

/** Draws what sandboxes the agents, or why nothing does. @param {SandboxInfo} sandbox */
function sandboxNote({ inForce, detail, words: codes }) {
  const told = inWords(detail, codes);
  const words = inForce ? t("sandboxed") : t("notSandboxed");
  return h(
    "div",
    { class: "menu__note", "data-sandbox": String(inForce) },
    h("p", { title: told }, words),
    h("p", { class: "dim" }, inForce ? t("sandboxOpens", "sandbox-read", "sandbox-write") : told),
  );
}
