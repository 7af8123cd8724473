/**
 * Lets the person pick an element of the page in view.
 *
 * Owns the single pick in progress and its status line. The caller decides what happens with the element.
 * @import { Picked } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 * @import { Toast } from "./view/toast.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";

export class Pick {
  /** The tab in which an element is being picked. @type {number | null} */ #tab = null;

  /**
   * @param {{ connection: Connection, toast: Toast, offerRefs: () => void }} parts  `offerRefs`: used when a page does
   * not allow picking
   */
  constructor({ connection, toast, offerRefs }) {
    this.connection = connection;
    this.toast = toast;
    this.offerRefs = offerRefs;
  }

  /**
   * Resolves with the picked element, or with null if the person cancelled or the page does not allow picking, which is
   * shown.
   * @param {number} chromeTabId
   * @returns {Promise<Picked | null>}
   */
  async start(chromeTabId) {
    if (this.#tab !== null) return null;
    this.#tab = chromeTabId;
    this.toast.hold(t("picking"), { label: t("cancel"), onclick: () => void this.stop() });
    try {
      const picked = await this.connection.request("pick.start", { chromeTabId });
      this.toast.hide();
      return picked;
    } catch (error) {
      const { code, message, hint } = faultOf(error);
      if (code === "cancelled") this.toast.hide();
      else
        this.toast.show(
          hint ? `${message} ${hint}` : message,
          code === "forbidden" ? { label: t("chooseFromRefs"), onclick: this.offerRefs } : undefined,
        );
      return null;
    } finally {
      this.#tab = null;
    }
  }

  /** Cancels the pick in progress. @returns {boolean} whether there was one */
  stop() {
    if (this.#tab === null) return false;
    this.connection.request("pick.stop", { chromeTabId: this.#tab }).catch(() => {
      /* the pick's own answer reports it */
    });
    return true;
  }
}
