/**
 * Actions on the page in view that need no agent: clean it up, take a screenshot, pick an element.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./tab-conversation.js"
 * @import { Toast } from "./view/toast.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { decimal } from "./format.js";
import { h, icon, isResting, setResting } from "./view/dom.js";

/** The kinds that `cleanup` counts, in display order. */
const CLUTTER = ["ads", "cookies", "sticky", "social", "overlays", "clutter"];

/** @param {string[]} parts */
const listed = (parts) => new Intl.ListFormat(t("language"), { style: "narrow", type: "unit" }).format(parts);

/** Describes what was hidden. @param {unknown} counts  the number of each kind */
export function cleanedUp(counts) {
  const found = new Map(Object.entries(counts ?? {}));
  const hidden = CLUTTER.filter((kind) => found.has(kind)).map((kind) => t(`clutter_${kind}`, decimal(Number(found.get(kind)))));
  if (found.has("scrolling")) hidden.push(t("clutter_scrolling"));
  return hidden.length > 0 ? t("cleanedUp", listed(hidden)) : t("nothingToCleanUp");
}

/**
 * @param {HTMLElement} bar
 * @param {{ connection: Connection, store: PanelStore, toast: Toast,
 *   attach: (source: "element" | "screenshot") => void }} parts
 */
export function quickActions(bar, { connection, store, toast, attach }) {
  bar.setAttribute("aria-label", t("quickActions"));

  /** Cleans up the page in view; its button rests until that is done. @param {HTMLButtonElement} button */
  const cleanUp = async (button) => {
    const { tab } = store.state;
    if (!tab || isResting(button)) return;
    setResting(button, true);
    try {
      const { data } = await connection.request("command.run", { chromeTabId: tab.chromeTabId, command: "cleanup", args: ["--all"] });
      toast.show(cleanedUp(data));
    } catch (error) {
      const { message, hint } = faultOf(error);
      toast.show(hint ? `${message} ${hint}` : message);
    } finally {
      setResting(button, false);
    }
  };
  /** @param {string} picture @param {string} words @param {(button: HTMLButtonElement) => void} onclick */
  const action = (picture, words, onclick) => {
    const button = h(
      "button",
      { class: "button button--quiet", type: "button", onclick: () => onclick(button) },
      icon(picture),
      h("span", { class: "truncate" }, words),
    );
    return button;
  };
  bar.append(
    action("clean", t("cleanUp"), (button) => void cleanUp(button)),
    action("camera", t("screenshot"), () => attach("screenshot")),
    action("pick", t("pickElement"), () => attach("element")),
  );
}
