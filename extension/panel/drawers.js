/**
 * History and Connection: one at a time, in the conversation's place.
 * @import { Connection } from "./connection.js"
 * @import { PanelStore, Session } from "./session.js"
 * @import { Toast } from "./view/toast.js"
 */
import { t } from "../shared/i18n.js";
import { byId } from "./page.js";
import { ConnectionDrawer } from "./view/connection-drawer.js";
import { HistoryDrawer } from "./view/history-drawer.js";

/** A hop that does not answer in this time is down. */
const PING_LIMIT_MS = 5000;

export class Drawers {
  /** @type {"history" | "connection" | null} */ open = null;
  /** @type {HTMLElement | null} */ #cameFrom = null;

  /** @param {{ store: PanelStore, session: Session, connection: Connection, onChange: () => void, toast: Toast }} parts */
  constructor({ store, session, connection, onChange, toast }) {
    this.onChange = onChange;
    this.elements = { history: byId("history"), connection: byId("connection") };
    this.elements.history.setAttribute("aria-label", t("history"));
    this.elements.connection.setAttribute("aria-label", t("connection"));
    this.views = {
      history: new HistoryDrawer(this.elements.history, {
        list: async (search) => (await connection.request("conversations.list", { search })).conversations,
        open: (info) => {
          this.close();
          const tab = store.state.tabs.find(({ conversationId }) => conversationId === info.conversationId);
          // One that still has its tab is shown there, where it can go on.
          if (tab) void chrome.tabs.update(tab.chromeTabId, { active: true }).then(() => chrome.windows.update(tab.windowId, { focused: true }));
          else void session.read(info);
        },
        close: () => this.close(),
      }),
      connection: new ConnectionDrawer(this.elements.connection, {
        pingBackground: async () => {
          const began = performance.now();
          await connection.request("local.ping", {}, { limitMs: PING_LIMIT_MS });
          return performance.now() - began;
        },
        hops: async () => (await connection.request("hops", {}, { limitMs: PING_LIMIT_MS })).hops,
        state: () => store.state.connection,
        reconnect: () => connection.notify("local.retry", {}),
        close: () => this.close(),
        copy: async (text) => {
          await navigator.clipboard.writeText(text);
          toast.show(t("reportCopied"));
        },
      }),
    };
  }

  /** @param {"history" | "connection"} drawer */
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

  /** @param {"history" | "connection" | null} drawer */
  #show(drawer) {
    if (this.open === "connection") this.views.connection.hide();
    this.open = drawer;
    this.elements.history.hidden = drawer !== "history";
    this.elements.connection.hidden = drawer !== "connection";
    byId("conversation").hidden = drawer !== null;
    this.onChange();
  }
}
