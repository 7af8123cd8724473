/**
 * An agent's plan: a checklist that is redrawn in place as it progresses.
 * @import { PlanEntry } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { h, icon } from "./dom.js";

export class Plan {
  #drawn = "";

  constructor() {
    this.count = h("span", { class: "data" });
    this.list = h("ol", { class: "plan__list" });
    this.element = h(
      "details",
      { class: "card plan", open: true },
      h("summary", { class: "card__head" }, icon("list"), h("span", { class: "grow" }, t("plan")), this.count),
      this.list,
    );
  }

  /** @param {PlanEntry[]} entries @param {boolean} live  the turn is still running */
  update(entries, live) {
    const drawn = JSON.stringify([entries, live]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.count.textContent = t("planCount", entries.filter(({ status }) => status === "done").length, entries.length);
    this.list.replaceChildren(
      ...entries.map(({ text, status }) => {
        // In a finished turn, a "running" entry no longer runs.
        const state = status === "running" && !live ? "pending" : status;
        return h(
          "li",
          { class: `plan__entry plan__entry--${state}`, "aria-current": state === "running" ? "step" : null },
          h(
            "span",
            { class: "plan__mark" },
            state === "done" ? icon("check") : h("i", { class: state === "running" ? "live-dot" : "plan__open", "aria-hidden": "true" }),
            h("span", { class: "visually-hidden" }, t(`plan_${state}`)),
          ),
          h("span", {}, text),
        );
      }),
    );
  }
}
