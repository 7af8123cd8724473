/**
 * History, Settings and Connection: one at a time, in the conversation's place.
 *
 * Owns which one is open and where the focus came from. What each does with the daemon is `drawer-actions.js`'s.
 * @import { Compose, Panel } from "./drawer-actions.js"
 */
import { t } from "../shared/i18n.js";
import { connectionActions, historyActions, settingsActions } from "./drawer-actions.js";
import { byId } from "./page.js";
import { ConnectionDrawer } from "./view/connection-drawer.js";
import { HistoryDrawer } from "./view/history-drawer.js";
import { SettingsDrawer } from "./view/settings-drawer.js";

/** @typedef {"history" | "settings" | "connection"} Drawer */

export class Drawers {
  /** @type {Drawer | null} */ open = null;
  /** @type {HTMLElement | null} */ #cameFrom = null;

  /** @param {Panel & { compose: Compose, onChange: () => void }} panel */
  constructor({ onChange, ...panel }) {
    this.onChange = onChange;
    this.elements = { history: byId("history"), settings: byId("settings"), connection: byId("connection") };
    for (const [name, element] of Object.entries(this.elements)) element.setAttribute("aria-label", t(name));
    const close = () => this.close();
    this.views = {
      history: new HistoryDrawer(this.elements.history, { ...historyActions(panel, close), close }),
      settings: new SettingsDrawer(this.elements.settings, { ...settingsActions(panel), close }),
      connection: new ConnectionDrawer(this.elements.connection, { ...connectionActions(panel), close }),
    };
  }

  /** @param {Drawer} drawer */
  toggle(drawer) {
    if (this.open === drawer) return this.close();
    if (this.open === null && document.activeElement instanceof HTMLElement) this.#cameFrom = document.activeElement;
    this.#show(drawer);
    this.views[drawer].show();
  }

  close() {
    if (this.open === null) return;
    this.#show(null);
    this.#cameFrom?.focus();
    this.#cameFrom = null;
  }

  /** @param {Drawer | null} drawer */
  #show(drawer) {
    if (this.open === "connection") this.views.connection.hide();
    this.open = drawer;
    for (const [name, element] of Object.entries(this.elements)) element.hidden = name !== drawer;
    byId("conversation").hidden = drawer !== null;
    this.onChange();
  }
}
