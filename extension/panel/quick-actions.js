/**
 * Actions on the page in view that need no agent. Only those whose whole way works are here.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./session.js"
 * @import { Toast } from "./view/toast.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { h, icon } from "./view/dom.js";

/** @param {HTMLElement} bar @param {{ connection: Connection, store: PanelStore, toast: Toast }} parts */
export function quickActions(bar, { connection, store, toast }) {
  bar.setAttribute("aria-label", t("quickActions"));

  const screenshot = async () => {
    const { tab } = store.state;
    if (!tab) return;
    button.disabled = true;
    try {
      const { output, files } = await connection.request("command.run", { chromeTabId: tab.chromeTabId, command: "screenshot", args: [] });
      const path = files?.[0];
      toast.show(path ? t("screenshotAt", path) : output, path ? { label: t("copyPath"), onclick: () => void navigator.clipboard.writeText(path) } : undefined);
    } catch (error) {
      const { message, hint } = faultOf(error);
      toast.show(hint ? `${message} ${hint}` : message);
    } finally {
      button.disabled = false;
    }
  };
  const button = h("button", { class: "button button--quiet", type: "button", onclick: () => void screenshot() }, icon("camera"), t("screenshot"));
  bar.append(button);
}
