/**
 * A connection fault, drawn as the chain of parts with the broken link dashed.
 * @import { Hop } from "../../protocol.js"
 * @import { Trouble } from "../state/trouble.js"
 */
import { worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { isUnconfirmed, PARTS, partOf } from "../state/trouble.js";
import { commandLine, h, icon, spinner } from "./dom.js";

/** Returns what a person calls a part. @param {(typeof PARTS)[number]} part */
export function partName(part) {
  switch (part) {
    case "panel":
      return t("partPanel");
    case "extension":
      return t("partExtension");
    case "agent":
      return t("partAgent");
    case "gstack":
      return "gstack";
  }
}

/** @param {Hop} broken */
export function hopLine(broken) {
  const at = Math.max(1, PARTS.indexOf(partOf(broken)));
  const line = h("div", { class: "hopline", role: "img", "aria-label": t("brokenAt", partName(partOf(broken))) });
  PARTS.forEach((part, index) => {
    if (index > 0) line.append(h("i", { class: index === at ? "is-broken" : null }));
    line.append(h("span", { class: index === at ? "is-down" : index > at ? "is-beyond" : null }, partName(part)));
  });
  return line;
}

/** The banner above a conversation that has content. */
export class Banner {
  #drawn = "";

  /** @param {HTMLElement} element @param {() => void} retry */
  constructor(element, retry) {
    this.element = element;
    this.retry = retry;
  }

  /** @param {Trouble | null} trouble */
  update(trouble) {
    const drawn = trouble ? JSON.stringify([trouble.hop, trouble.trying, trouble.fault.message]) : "";
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.element.hidden = !trouble;
    if (!trouble) return this.element.replaceChildren();
    const { hop, trying } = trouble;
    const fault = worded(trouble.fault);
    this.element.replaceChildren(
      h(
        "div",
        { class: "banner__row" },
        trying ? spinner() : icon("alert"),
        h("span", { class: "grow" }, trying ? t("reconnecting", partName(partOf(hop))) : fault.message),
        h("button", { class: "button", type: "button", onclick: this.retry }, t("retryNow")),
      ),
      ...(isUnconfirmed(trouble) ? [] : [hopLine(hop)]),
      h("p", { class: "banner__text" }, [trying ? fault.message : "", fault.hint ?? ""].filter(Boolean).join(" ")),
      ...(fault.command ? [commandLine(fault.command)] : []),
    );
  }
}

/**
 * Draws the fault in place of an empty conversation.
 * @param {Trouble} trouble
 * @param {{ retry: () => void, details: () => void }} actions
 */
export function troublePage(trouble, { retry, details }) {
  const fault = worded(trouble.fault);
  return h(
    "div",
    { class: "empty empty--middle" },
    isUnconfirmed(trouble) ? null : hopLine(trouble.hop),
    h("div", {}, h("h2", { class: "empty__title" }, fault.message), fault.hint && h("p", { class: "quiet" }, fault.hint)),
    fault.command && h("div", { class: "stack" }, commandLine(fault.command)),
    h(
      "div",
      { class: "row" },
      h("button", { class: "button button--solid", type: "button", onclick: retry }, t("checkAgain")),
      h("button", { class: "button", type: "button", onclick: details }, icon("debug"), t("openConnection")),
    ),
  );
}
