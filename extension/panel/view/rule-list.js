/**
 * The rules that a person made for agents, each with a button to remove it.
 * @import { PolicyRule } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { moment } from "../format.js";
import { h, icon } from "./dom.js";

/** @param {PolicyRule} rule */
function wordsOf({ effect, scope, site, tool, conversationId, until }) {
  const scoped = t(`scope_${scope.replaceAll("-", "_")}`);
  const what = tool ? `${scoped}: ${tool.name}` : scoped;
  const where = site ? t("onSite", site) : conversationId ? t("inOneConversation") : t("everywhere");
  return { what: t(`effect_${effect}`, what), where: until === undefined ? where : `${where} · ${t("until", moment(until))}` };
}

/** @param {PolicyRule[]} rules @param {(rule: PolicyRule) => void} remove */
export function ruleList(rules, remove) {
  if (rules.length === 0) return h("p", { class: "setting quiet" }, t("noRules"));
  return h(
    "div",
    { role: "list", class: "rules" },
    ...rules.map((rule) => {
      const { what, where } = wordsOf(rule);
      return h(
        "div",
        { class: "setting", role: "listitem" },
        icon(rule.effect === "deny" ? "cross" : "shield"),
        h("span", { class: "setting__text" }, what, h("small", {}, where)),
        h(
          "button",
          {
            class: "button button--small",
            type: "button",
            "aria-label": `${t("takeBackRule")}: ${what}, ${where}`,
            onclick: () => remove(rule),
          },
          t("takeBackRule"),
        ),
      );
    }),
  );
}
