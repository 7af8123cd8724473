/**
 * Actions on the page in view that need no agent.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore } from "./session.js"
 * @import { Toast } from "./view/toast.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { h, icon } from "./view/dom.js";

/**
 * @param {HTMLElement} bar
 * @param {{ connection: Connection, store: PanelStore, toast: Toast, pick: () => Promise<void> }} parts  `pick`: an element goes with the next message
 */
export function quickActions(bar, { connection, store, toast, pick }) {
  bar.setAttribute("aria-label", t("quickActions"));

  /** @param {string} command */
  const run = (command) => {
    const { tab } = store.state;
    return tab ? connection.request("command.run", { chromeTabId: tab.chromeTabId, command, args: [] }) : Promise.resolve(null);
  };
  const cleanUp = async () => {
    const done = await run("cleanup");
    if (done) toast.show(done.output);
  };
  const screenshot = async () => {
    const taken = await run("screenshot");
    const path = taken?.files?.[0];
    if (taken) toast.show(path ? t("screenshotAt", path) : taken.output, path ? { label: t("copyPath"), onclick: () => void navigator.clipboard.writeText(path) } : undefined);
  };

  /** @param {string} picture @param {string} label @param {() => Promise<void>} work */
  const action = (picture, label, work) => {
    const button = h("button", { class: "button button--quiet", type: "button", onclick: () => void once() }, icon(picture), label);
    const once = async () => {
      button.disabled = true;
      try {
        await work();
      } catch (error) {
        const { message, hint } = faultOf(error);
        toast.show(hint ? `${message} ${hint}` : message);
      } finally {
        button.disabled = false;
      }
    };
    return button;
  };
  bar.append(action("clean", t("cleanUp"), cleanUp), action("camera", t("screenshot"), screenshot), action("pick", t("pickElement"), pick));
}
