/**
 * Actions on the page in view that need no agent: tidy it, take a picture, pick an element.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./session.js"
 * @import { Toast } from "./view/toast.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { h, icon, isResting, setResting } from "./view/dom.js";

/**
 * @param {HTMLElement} bar
 * @param {{ connection: Connection, store: PanelStore, toast: Toast, attach: (source: "element" | "screenshot") => void }} parts
 */
export function quickActions(bar, { connection, store, toast, attach }) {
  bar.setAttribute("aria-label", t("quickActions"));

  /** Runs a command on the page in view while its button rests. @param {HTMLButtonElement} button @param {string} command @param {string[]} args */
  const run = async (button, command, args) => {
    const { tab } = store.state;
    if (!tab || isResting(button)) return;
    setResting(button, true);
    try {
      const { output } = await connection.request("command.run", { chromeTabId: tab.chromeTabId, command, args });
      toast.show(output);
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
    action("clean", t("cleanUp"), (button) => void run(button, "cleanup", ["--all"])),
    action("camera", t("screenshot"), () => attach("screenshot")),
    action("pick", t("pickElement"), () => attach("element")),
  );
}
