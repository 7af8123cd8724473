/**
 * The card that requests an approval, and the line that remains once it is answered.
 * @import { AnsweredBy, Decision } from "../../protocol.js"
 * @import { ApprovalItem } from "../state/entries.js"
 */
import { inWords } from "../../shared/fault-words.js";
import { quoted, t } from "../../shared/i18n.js";
import { elapsed } from "../format.js";
import { askParts, sentence, value } from "../../shared/said.js";
import { SPANS } from "../state/policy.js";
import { Ask } from "./ask.js";
import { AskedText } from "./asked-text.js";
import { card } from "./card.js";
import { favicon, h, icon, setAttribute } from "./dom.js";
import { wholeSentence, wholeText } from "./whole-text.js";

/**
 * `text`: replaces the agent's text; null keeps it.
 * @typedef {(approvalId: string, decision: Decision, text: string | null) => Promise<void>} Answer
 */

/**
 * @typedef {object} ApprovalTools
 * @property {Answer} answer
 * @property {((minutes: number) => Promise<void>) | null} unattended  lets the agent work without approvals for a while;
 * null if nothing that asks here can
 */

/**
 * The question of an agent's turn or an MCP client.
 * @typedef {Omit<ApprovalItem["ask"], "type" | "seq" | "at" | "turnId">} Asked
 * @typedef {{ ask: Asked, done: { decision: Decision, by: AnsweredBy } | null }} AskedItem
 */

/** @extends {Ask<AskedItem>} */
export class Approval extends Ask {
  /** @type {HTMLButtonElement[]} */ #choices = [];
  /** The deciding buttons, including those behind More. @type {HTMLButtonElement[]} */ #deciding = [];
  /** @type {AskedText | null} */ #text = null;
  /** @returns {(Node | string)[]} */
  #title = () => [];
  #id = "";

  /**
   * @param {string} agentLabel
   * @param {ApprovalTools} tools
   * @param {(() => Node[]) | null} [client]  if an MCP client asks: the rows of the card that say which one
   */
  constructor(agentLabel, tools, client = null) {
    super();
    this.agentLabel = agentLabel;
    this.tools = tools;
    this.client = client;
  }

  /** Answers with a choice by its number, counted from 1. @param {number} number */
  choose(number) {
    this.#choices[number - 1]?.click();
  }

  /** @override */
  get title() {
    return this.#title();
  }

  /** @override */
  get insteadWords() {
    return t("denyAndTell", this.agentLabel);
  }

  /** @override */
  refuse() {
    return this.#send(this.#id, "deny");
  }

  /** @override */
  get deciding() {
    return this.#deciding;
  }

  /** @override @param {AskedItem} item */
  card({ ask: event }) {
    const { approvalId, site, kind, choices, action } = event;
    const said = event.action?.agentReason;
    const headline = `approval-${approvalId}`;
    const facts = factsOf(event);
    // Permanent or global choices cannot be reached with a single key or a hasty click.
    this.#id = approvalId;
    this.#title = () => wholeSentence(askParts(event));
    this.#choices = choices
      .filter((decision) => decision !== "allow-always" || isOnlyForever(choices))
      .map((decision, index) => this.#choice(event, decision, index + 1));
    this.#text =
      action?.text == null
        ? null
        : new AskedText(action.text, action.element?.name || action.element?.role || "", () => this.#textChanged());
    const more = this.#more(event);
    this.#deciding = [...this.#choices, ...(more?.querySelectorAll("button") ?? [])];
    return card(
      "div",
      { class: "approval", role: "alertdialog", "aria-labelledby": headline },
      {
        picture: "shield",
        words: this.client
          ? h("span", {}, ...wholeSentence(sentence("driverAsksTo", [value(this.agentLabel)])))
          : t("asksTo", this.agentLabel),
        note: t(`kind_${kind}`),
      },
      [
        h("h2", { class: "approval__ask", id: headline }, ...wholeSentence(askParts(event))),
        h(
          "dl",
          { class: "approval__facts" },
          ...(this.client?.() ?? []),
          ...(site ? [h("dt", {}, t("approvalOn")), h("dd", {}, favicon(`https://${site}/`), h("span", {}, site))] : []),
          ...(facts.text
            ? [h("dt", {}, facts.command ? t("approvalElement") : t("approvalDoes")), h("dd", {}, this.#whole(facts.text))]
            : []),
          ...(this.#text ? [h("dt", {}, t("approvalText")), h("dd", {}, this.#text.element)] : []),
        ),
        ...(event.why ? [h("p", { class: "approval__why" }, ...whyWords(event))] : []),
        facts.command && commandFold(facts.command),
        ...(said
          ? [
              h(
                "p",
                { class: "approval__why" },
                h("span", { class: "label" }, t("agentSays")),
                " ",
                h("q", { dir: "auto" }, ...wholeText(said)),
              ),
            ]
          : []),
      ],
      more ? [...this.#choices, more] : this.#choices,
    );
  }

  /** An edited text can only be allowed once: longer-lasting choices apply to what the agent writes. */
  #textChanged() {
    for (const button of this.#deciding)
      if (button.dataset.choice !== "allow-once" && button.dataset.choice !== "deny") button.disabled = this.#text?.changed != null;
  }

  /** Draws a whole text; a text that does not fit scrolls, and a label says so. @param {string} text */
  #whole(text) {
    const code = h("code", { class: "approval__does", tabindex: "0" }, ...wholeText(text));
    const note = h("small", { class: "approval__long", hidden: true }, t("doesScrolls"));
    // Only known once the element has a size.
    new ResizeObserver((_sizes, observer) => {
      if (!code.isConnected) return observer.disconnect();
      note.hidden = code.scrollHeight <= code.clientHeight + 1;
      if (note.hidden === code.hasAttribute("tabindex")) setAttribute(code, "tabindex", note.hidden ? null : "0");
    }).observe(code);
    return h("div", { class: "approval__whole" }, code, note);
  }

  /** @param {Asked} event */
  #more({ approvalId, choices }) {
    /** @param {string} name @param {string} words @param {() => void} onclick */
    const choice = (name, words, onclick) =>
      h(
        "button",
        { class: "choice", type: "button", "data-choice": name, onclick },
        icon(name === "always" ? "shield" : "history"),
        h("span", { class: "truncate" }, words),
      );
    const spans = this.tools.unattended ? SPANS : [];
    // Nothing else can be chosen: working unattended allows actions, which this is not.
    if (isOnlyForever(choices)) return null;
    const always = choices.includes("allow-always");
    if (spans.length === 0 && !always) return null;
    // Scrolls an opened section into view.
    const shown = (/** @type {Event} */ { currentTarget }) => {
      if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" });
    };
    return h(
      "details",
      { class: "approval__more", ontoggle: shown },
      h("summary", { class: "choice" }, icon("chevron-right"), t("more")),
      ...(always ? [choice("always", t("alwaysEverywhere"), () => void this.#send(approvalId, "allow-always"))] : []),
      ...spans.map((minutes) =>
        choice(
          `unattended-${minutes}`,
          minutes === SPANS.at(-1) ? t("unattendedUntilStopped") : t("workUnattended", elapsed(minutes * 60_000)),
          () => void this.#unattended(approvalId, minutes),
        ),
      ),
    );
  }

  /** Allows this action and all that follow in the next minutes. @param {string} approvalId @param {number} minutes */
  async #unattended(approvalId, minutes) {
    try {
      await this.tools.unattended?.(minutes);
    } catch {
      return; // the toast shows it; the approval stays open
    }
    await this.#send(approvalId, "allow-once");
  }

  /** @param {Asked} event @param {Decision} decision @param {number} number */
  #choice(event, decision, number) {
    return h(
      "button",
      {
        class: decision === "deny" ? "choice choice--deny" : "choice",
        type: "button",
        "data-choice": decision,
        onclick: () => void this.#send(event.approvalId, decision),
      },
      h("kbd", { class: "key", "aria-hidden": "true" }, number),
      h("span", { class: "choice__words" }, scopeOf(event, decision, this.client !== null)),
    );
  }

  /** @param {string} approvalId @param {Decision} decision */
  #send(approvalId, decision) {
    return this.send(() => this.tools.answer(approvalId, decision, decision === "allow-once" ? (this.#text?.changed ?? null) : null));
  }

  /** @override @param {AskedItem} item */
  line({ ask, done }) {
    this.#choices = [];
    this.#deciding = [];
    this.#text = null;
    const allowed = done !== null && done.decision !== "deny";
    const decided = done?.decision.replaceAll("-", "_").replace("conversation", this.client ? "client" : "conversation");
    const outcome = decided ? t(`decided_${decided}`) : t("approvalLeft");
    const by = done ? t(`by_${done.by}`) : "";
    return h(
      "p",
      { class: allowed ? "decided" : "decided decided--no" },
      icon("shield"),
      // A turn says whose request it was; a client's line stands alone.
      h(
        "span",
        { class: "grow" },
        this.client && h("bdi", {}, ...wholeText(this.agentLabel)),
        this.client && " · ",
        `${outcome}${by ? ` ${by}` : ""}: `,
        h("b", {}, ...wholeSentence(askParts(ask))),
      ),
    );
  }
}

/**
 * Returns whether it can be allowed only for good, such as a folder that an agent needs to start.
 * @param {Decision[]} choices
 */
const isOnlyForever = (choices) => choices.every((decision) => decision === "allow-always" || decision === "deny");

/**
 * Names what would be allowed. A page's tools and saved sign-ins are allowed one by one.
 * @param {Asked["action"]} action
 */
function scopeName(action) {
  if (action?.scope === "page-tool") return t("thisPageTool");
  if (action?.scope === "sign-in") return t("thisSignIn");
  return t(`scope_${action?.scope ?? "everything"}`);
}

/**
 * Describes what a choice allows the agent to do, and where.
 * @param {Asked} event
 * @param {Decision} decision
 * @param {boolean} isClient  an MCP client asks
 */
function scopeOf({ action, site }, decision, isClient) {
  const scope = scopeName(action);
  if (decision === "allow-site") return t("allow_site", scope, site ?? "");
  if (decision === "allow-conversation" && isClient) return t("allow_client", scope);
  return decision === "allow-conversation" ? t("allow_conversation", scope) : t(`decision_${decision.replaceAll("-", "_")}`);
}

/**
 * Explains why it needs approval, in the panel's language.
 * @param {Asked} event
 * @returns {(Node | string)[]}
 */
export function whyWords({ why, whyWords: words }) {
  return words ? [inWords(why ?? "", words)] : wholeText(why ?? "");
}

/** Commands on an element about which the headline, the element and the text say everything. */
const SAID = /^(?:click|dblclick|rightclick|tap|hover|check|uncheck|clear|select|select-text|drag|fill|type)(?=\s)/;
/** An option of a command. A bare `--` only ends the options. */
const OPTION = /\s--?[a-z]/i;

/** Returns whether the card says everything that the command does. @param {string} command @param {Asked["action"]} action */
function saysAll(command, action) {
  const verb = SAID.exec(command)?.[0];
  if (!verb || !action?.element || action.content) return false;
  return action.text != null || (verb !== "fill" && verb !== "type" && !OPTION.test(command));
}

/**
 * Returns what the action concerns: the elements as the page has them now (of a drag, also the drop target), its
 * destination and the text that it brings. If these and the headline say everything, the command is for those who open
 * it.
 * @param {Asked} event
 * @returns {{ text: string, command: string | null }}
 */
export function factsOf({ does, action }) {
  const { command, element, otherElements, destination, content } = action ?? {};
  const onto = (otherElements ?? []).map(({ role, name }) => `→ ${role} ${quoted(name)}`);
  const about = [element && `${element.role} ${quoted(element.name)}`, ...onto, destination && `→ ${destination}`];
  const whole = command || does;
  const isSaid = saysAll(whole, action);
  return {
    text: [!isSaid && whole, ...about, content].filter(Boolean).join("\n"),
    command: isSaid ? whole : null,
  };
}

/** Returns the command behind a disclosure. @param {string} command */
export function commandFold(command) {
  return h(
    "details",
    { class: "approval__command" },
    h("summary", {}, icon("chevron-right"), t("approvalCommand")),
    h("code", {}, ...wholeText(command)),
  );
}
