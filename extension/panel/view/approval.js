/**
 * The card that asks a person, and the line that is left when it was answered.
 * @import { Decision } from "../../protocol.js"
 * @import { ApprovalItem } from "../state/entries.js"
 */
import { t } from "../../shared/i18n.js";
import { elapsed } from "../format.js";
import { SPANS } from "../state/policy.js";
import { Ask } from "./ask.js";
import { card } from "./card.js";
import { favicon, h, icon } from "./dom.js";

/** @typedef {(approvalId: string, decision: Decision) => Promise<void>} Answer */

/**
 * @typedef {object} ApprovalTools
 * @property {Answer} answer
 * @property {(minutes: number) => Promise<void>} unattended  lets the agent work without asking for a while
 */

/** @extends {Ask<ApprovalItem>} */
export class Approval extends Ask {
  /** @type {HTMLButtonElement[]} */ #choices = [];

  /** @param {string} agentLabel @param {ApprovalTools} tools */
  constructor(agentLabel, tools) {
    super();
    this.agentLabel = agentLabel;
    this.tools = tools;
  }

  /** Answers by the number of a choice, from 1. @param {number} number */
  choose(number) {
    this.#choices[number - 1]?.click();
  }

  focus() {
    this.#choices[0]?.focus({ preventScroll: true });
  }

  /** @override @param {ApprovalItem} item */
  card({ ask: event }) {
    const { approvalId, ask, site, why, does, kind, choices } = event;
    const headline = `approval-${approvalId}`;
    // What holds for ever and everywhere is not among what one key or one hasty click reaches.
    this.#choices = choices.filter((decision) => decision !== "allow-always").map((decision, index) => this.#choice(event, decision, index + 1));
    return card("div", { class: "approval", role: "alertdialog", "aria-labelledby": headline }, { picture: "shield", words: t("asksTo", this.agentLabel), note: t(`kind_${kind}`) }, [
      h("h2", { class: "approval__ask", id: headline }, ask),
      h("dl", { class: "approval__facts" },
        ...(site ? [h("dt", {}, t("approvalOn")), h("dd", {}, favicon(`https://${site}/`), h("span", {}, site))] : []),
        ...(why ? [h("dt", {}, t("approvalWhy")), h("dd", {}, h("span", {}, why))] : []),
        h("dt", {}, t("approvalDoes")), h("dd", {}, h("code", {}, does))),
    ], [...this.#choices, this.#more(event)]);
  }

  /** @param {ApprovalItem["ask"]} event */
  #more({ approvalId, choices }) {
    /** @param {string} name @param {string} words @param {() => void} onclick */
    const choice = (name, words, onclick) => h("button", { class: "choice", type: "button", "data-choice": name, onclick }, icon(name === "always" ? "shield" : "history"), h("span", { class: "truncate" }, words));
    // What opens at the end of the view is brought into it.
    const shown = (/** @type {Event} */ { currentTarget }) => { if (currentTarget instanceof HTMLDetailsElement && currentTarget.open) currentTarget.scrollIntoView({ block: "nearest" }); };
    return h("details", { class: "approval__more", ontoggle: shown },
      h("summary", { class: "choice" }, icon("chevron-right"), t("more")),
      ...(choices.includes("allow-always") ? [choice("always", t("alwaysEverywhere"), () => void this.#send(approvalId, "allow-always"))] : []),
      ...SPANS.map((minutes) => choice(`unattended-${minutes}`, minutes === SPANS.at(-1) ? t("unattendedUntilStopped") : t("workUnattended", elapsed(minutes * 60_000)), () => void this.#unattended(approvalId, minutes))));
  }

  /** This and what comes in the next minutes is allowed. @param {string} approvalId @param {number} minutes */
  async #unattended(approvalId, minutes) {
    try {
      await this.tools.unattended(minutes);
    } catch {
      return; // said by the toast; the question stays open
    }
    await this.#send(approvalId, "allow-once");
  }

  /** @param {ApprovalItem["ask"]} event @param {Decision} decision @param {number} number */
  #choice({ approvalId, site }, decision, number) {
    return h("button", { class: decision === "deny" ? "choice choice--deny" : "choice", type: "button", onclick: () => void this.#send(approvalId, decision) },
      h("kbd", { class: "key", "aria-hidden": "true" }, number), t(`decision_${decision.replaceAll("-", "_")}`),
      decision === "allow-site" && site && h("span", { class: "choice__scope truncate" }, site));
  }

  /** @param {string} approvalId @param {Decision} decision */
  #send(approvalId, decision) {
    return this.send(() => this.tools.answer(approvalId, decision));
  }

  /** @override @param {ApprovalItem} item */
  line({ ask, done }) {
    this.#choices = [];
    const allowed = done !== null && done.decision !== "deny";
    const outcome = done ? t(`decided_${done.decision.replaceAll("-", "_")}`) : t("approvalLeft");
    const by = done ? t(`by_${done.by}`) : "";
    return h("p", { class: allowed ? "decided" : "decided decided--no" }, icon("shield"),
      h("span", { class: "grow" }, `${outcome}${by ? ` ${by}` : ""}: `, h("b", {}, ask.ask)));
  }
}
