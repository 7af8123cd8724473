/**
 * The panels behind the native port: their ids, and which message belongs to which panel.
 *
 * Owns the panel ids and the relay. Never keeps a conversation.
 * @import { PanelFocus } from "../protocol.js"
 * @import { ConnectionState, Envelope } from "../shared/wire.js"
 * @import { NativeLink } from "./native-link.js"
 */
import { faultOf } from "../shared/fault.js";

/** Requests about a tab. They must not overtake the report that tells the daemon about that tab. */
const ABOUT_A_TAB = new Set(["chat.open", "command.run", "refs.list", "refs.show", "refs.highlight", "pick.start", "pick.stop"]);
/** Requests that draw into a page. */
const IN_A_PAGE = /^(?:refs|pick)\./;

/**
 * @typedef {object} Panel
 * @property {string} id
 * @property {chrome.runtime.Port} port
 * @property {number | null} windowId  null until the panel has reported its window
 * @property {Promise<void>} turn  settles when all earlier requests that draw into a page may be sent
 */

export class Panels {
  /** @type {Map<string, Panel>} */ #panels = new Map();
  /** The suggestions for windows whose panel is not open yet, by window. @type {Map<number, number>} */
  #suggested = new Map();
  /** The panel in which the person types. @type {{ panel: Panel, address: string } | null} */ #typing = null;

  /**
   * @param {object} options
   * @param {NativeLink} options.link
   * @param {() => Promise<void>} options.tabsReported  settles when the daemon has received every tab event so far
   * @param {(method: string, params: unknown) => Promise<void>} options.asked  what must happen before a request is
   * forwarded
   * @param {() => void} options.onChange  called when a panel connects, disconnects or reports its window
   * @param {(address: string | null) => void} options.keyboard  called when the person types in another panel, or in
   * none
   */
  constructor({ link, tabsReported, asked, onChange, keyboard }) {
    this.link = link;
    this.tabsReported = tabsReported;
    this.asked = asked;
    this.onChange = onChange;
    this.keyboard = keyboard;
  }

  /** @param {chrome.runtime.Port} port */
  add(port) {
    /** @type {Panel} */
    const panel = { id: crypto.randomUUID(), port, windowId: null, turn: Promise.resolve() };
    this.#panels.set(panel.id, panel);
    port.onMessage.addListener((message) => void this.#receive(panel, message));
    port.onDisconnect.addListener(() => {
      this.#panels.delete(panel.id);
      if (this.#typing?.panel === panel) this.#typing = null;
      this.link.notify("panel.closed", {}, panel.id);
      this.onChange();
    });
    port.postMessage({ method: "connection", params: this.link.state });
  }

  get any() {
    return this.#panels.size > 0;
  }

  /** Returns whether a panel of this window is open. @param {number} windowId */
  inWindow(windowId) {
    return [...this.#panels.values()].some((panel) => panel.windowId === windowId);
  }

  /**
   * Puts one of the panel's own suggestions into the message box of this window's panel, now or when it opens.
   * @param {number} windowId
   * @param {number} number
   */
  suggest(windowId, number) {
    const panel = [...this.#panels.values()].find((each) => each.windowId === windowId);
    if (panel) panel.port.postMessage({ method: "suggest", params: { number } });
    else this.#suggested.set(windowId, number);
  }

  /** @param {Panel} panel @param {PanelFocus} focus */
  #hasKeyboard(panel, { focused, address }) {
    if (focused) this.#typing = { panel, address };
    else if (this.#typing?.panel === panel) this.#typing = null;
    this.keyboard(this.typingAt);
  }

  /** The address of the panel in which the person types. */
  get typingAt() {
    return this.#typing?.address ?? null;
  }

  /** @param {ConnectionState} state */
  connection(state) {
    // The daemon learns of the panels first, because they subscribe as soon as they see the connection.
    if (state.status === "connected") for (const panel of this.#panels.values()) this.#announce(panel);
    this.#broadcast({ method: "connection", params: state });
  }

  /** Forwards a notification of the daemon to the panel that it names, or else to all. @param {Envelope} message */
  notification({ client, method, params }) {
    if (client == null) this.#broadcast({ method, params });
    else this.#panels.get(client)?.port.postMessage({ method, params });
  }

  /** @param {Panel} panel @param {Envelope} message */
  async #receive(panel, { id, method, params }) {
    if (typeof method !== "string") return;
    if (id == null) {
      if (method === "local.retry") return this.link.retryNow();
      if (method === "panel.opened") {
        panel.windowId = /** @type {{ windowId: number }} */ (params).windowId;
        this.#announce(panel);
        const number = this.#suggested.get(panel.windowId);
        if (this.#suggested.delete(panel.windowId) && number !== undefined) this.suggest(panel.windowId, number);
        return this.onChange();
      }
      if (method === "panel.focus") this.#hasKeyboard(panel, /** @type {PanelFocus} */ (params));
      return this.link.notify(method, params, panel.id);
    }
    /** @type {Envelope} */
    let answer;
    try {
      answer = { id, result: method === "local.ping" ? {} : await this.#call(panel, method, params) };
    } catch (error) {
      answer = { id, error: faultOf(error) };
    }
    if (this.#panels.has(panel.id)) panel.port.postMessage(answer);
  }

  /** @param {Panel} panel @param {string} method @param {unknown} params */
  async #call(panel, method, params) {
    if (ABOUT_A_TAB.has(method)) await this.tabsReported();
    if (IN_A_PAGE.test(method)) {
      // Forwards in order: a request that ends something must not overtake the one that begins it.
      panel.turn = panel.turn.then(() => this.asked(method, params));
      await panel.turn;
    }
    // The daemon already knows that this panel is closed, so nothing would end what it asked for.
    if (!this.#panels.has(panel.id)) return undefined;
    return this.link.call(method, params, panel.id);
  }

  /** @param {Panel} panel */
  #announce(panel) {
    if (panel.windowId != null) this.link.notify("panel.opened", { windowId: panel.windowId }, panel.id);
  }

  /** @param {Envelope} message */
  #broadcast(message) {
    for (const { port } of this.#panels.values()) port.postMessage(message);
  }
}
