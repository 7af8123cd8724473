/**
 * Strips over the conversation that stay until something is done: the agent works unattended, a newer extension is
 * ready, the daemon reported a problem, an MCP client leases the tab, an earlier message is edited, the conversation is a branch.
 * @import { BranchOrigin, Fault, LeasedTab, PolicyRule } from "../../protocol.js"
 */
import { worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { sentence, value } from "../../shared/said.js";
import { moment } from "../format.js";
import { commandLine, h, icon, iconButton } from "./dom.js";
import { wholeSentence } from "./whole-text.js";

/**
 * Redraws a strip if its state changed.
 * @param {HTMLElement} element
 * @param {string} drawn
 * @param {() => (Node | string | false)[]} draw  an empty result hides it
 */
function redraw(element, drawn, draw) {
  if (element.dataset.drawn === drawn) return;
  element.dataset.drawn = drawn;
  const focused = element.contains(document.activeElement);
  element.hidden = drawn === "";
  element.replaceChildren(...draw().filter((node) => node !== false));
  if (focused && element.hidden) document.getElementById("composer")?.querySelector("textarea")?.focus();
}

/** @param {HTMLElement} element @param {PolicyRule | null} rule @param {() => void} stop */
export function drawUnattended(element, rule, stop) {
  redraw(element, rule ? rule.id : "", () =>
    rule
      ? [
          h("i", { class: "live-dot", "aria-hidden": "true" }),
          h(
            "span",
            { class: "grow" },
            h("b", {}, t("unattendedUntil", moment(rule.until ?? 0))),
            " ",
            h("span", { class: "quiet" }, t("unattendedMeans")),
          ),
          h("button", { class: "button", type: "button", onclick: stop }, t("askAgain")),
        ]
      : [],
  );
}

/**
 * Shows which MCP client leases the tab in view.
 * @param {HTMLElement} element
 * @param {LeasedTab | null} lease
 * @param {() => void} takeBack
 */
export function drawLease(element, lease, takeBack) {
  redraw(element, lease ? `${lease.tabId} ${lease.driver.name}` : "", () =>
    lease
      ? [
          h("i", { class: "live-dot", "aria-hidden": "true" }),
          h("span", { class: "grow strip__words" }, ...wholeSentence(sentence("driverWorks", [value(lease.driver.name)]))),
          h("button", { class: "button", type: "button", title: t("takeTabBackMeans"), onclick: takeBack }, t("takeTabBack")),
        ]
      : [],
  );
}

/**
 * Shows that a card waits behind a drawer which was opened over it.
 * @param {HTMLElement} element
 * @param {boolean} hidden
 * @param {() => void} show
 */
export function drawAsks(element, hidden, show) {
  redraw(element, hidden ? "asks" : "", () =>
    hidden
      ? [
          icon("shield"),
          h("b", { class: "grow" }, t("asksBehind")),
          h("button", { class: "button", type: "button", onclick: show }, t("showCard")),
        ]
      : [],
  );
}

/**
 * Shows over the composer that it holds an earlier message.
 * @param {HTMLElement} element
 * @param {boolean} isEdited
 * @param {boolean} running  a turn runs, which the branch stops
 * @param {() => void} cancel
 */
export function drawEditing(element, isEdited, running, cancel) {
  redraw(element, isEdited ? `editing ${running}` : "", () =>
    isEdited
      ? [
          icon("pencil"),
          h(
            "span",
            { class: "grow strip__words" },
            h("b", {}, t("editing")),
            " ",
            h("span", { class: "quiet" }, t("editingMeans"), running && ` ${t("editingStops")}`),
          ),
          h("button", { class: "button", type: "button", onclick: cancel }, t("cancel")),
        ]
      : [],
  );
}

/**
 * Shows above a branch's first message where it comes from.
 * @param {HTMLElement} element
 * @param {BranchOrigin | null} origin
 * @param {(conversationId: string) => void} open
 */
export function drawOrigin(element, origin, open) {
  redraw(element, origin ? `${origin.conversationId} ${origin.title}` : "", () =>
    origin
      ? [
          h("span", {}, ...wholeSentence(sentence("branchOf", [value(origin.title || t("untitled"))]))),
          " · ",
          h("button", { class: "link", type: "button", onclick: () => open(origin.conversationId) }, t("openOriginal")),
        ]
      : [],
  );
}

/**
 * @param {HTMLElement} element
 * @param {{ version: string, mayReload: boolean } | null} newer
 * @param {() => void} reload
 */
export function drawUpdate(element, newer, reload) {
  // While anything runs, the person is not asked to end it.
  const version = newer?.mayReload ? newer.version : "";
  redraw(element, version, () =>
    version
      ? [
          icon("download"),
          h("span", { class: "grow" }, t("newerExtension", version), " ", h("span", { class: "quiet" }, t("reloadClosesPanel"))),
          h("button", { class: "button", type: "button", onclick: reload }, t("reloadToUpdate")),
        ]
      : [],
  );
}

/**
 * @param {HTMLElement} element
 * @param {Fault | null} told  a full disk, unreadable rules, a browser that closed
 * @param {() => void} close
 */
export function drawNotice(element, told, close) {
  const fault = told && worded(told);
  redraw(element, fault ? `${fault.code} ${fault.message}` : "", () =>
    fault
      ? [
          icon("alert"),
          h(
            "div",
            { class: "grow strip__words" },
            h("b", {}, fault.message),
            " ",
            h("span", { class: "quiet" }, fault.hint ?? ""),
            ...(fault.command ? [commandLine(fault.command)] : []),
          ),
          iconButton("cross", t("close"), close, "icon-button icon-button--small"),
        ]
      : [],
  );
}
