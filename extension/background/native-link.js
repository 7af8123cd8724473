/**
 * The one native port: opening, `hello`, the proof of this browser's key, requests and their answers, loss and the next try.
 *
 * Owns the port, the ids of requests on it and the state that panels are shown. Never looks into
 * what a panel asks, and never decides who gets a notification.
 * @import { Fault, PanelConfirmation, PanelProve, Welcome } from "../protocol.js"
 * @import { ConnectionState, Envelope } from "../shared/wire.js"
 */
import { backoff } from "../shared/backoff.js";
import { FaultError } from "../shared/fault.js";

/** A connection that held this long was a good one: the next loss begins the waits again. */
const CALM_AFTER_MS = 5000;
/** How long `hello` may take: it covers the start of a daemon on a slow disk. */
const HELLO_LIMIT_MS = 20_000;

/**
 * @typedef {object} Port  the part of `chrome.runtime.Port` that is used
 * @property {(message: unknown) => void} postMessage
 * @property {() => void} disconnect
 * @property {{ addListener(listener: (message: any) => void): void }} onMessage
 * @property {{ addListener(listener: () => void): void }} onDisconnect
 */

/**
 * @typedef {object} LinkOptions
 * @property {() => Port} open  opens a native port
 * @property {(text?: string) => Fault} lossFault  the fault for Chrome's words on a lost port
 * @property {() => string | undefined} lastError  Chrome's words, read within `onDisconnect`
 * @property {() => Promise<unknown>} hello  the parameters of `hello`
 * @property {(welcome: Welcome) => Promise<PanelProve>} prove  the parameters of `panel.prove`
 * @property {(code: string) => Fault} unconfirmed  the fault while the person has not confirmed this browser
 * @property {Fault} silent  the fault when nobody answers `hello`
 * @property {(fault: Fault | null) => boolean} retries  whether to try again by itself after this fault
 * @property {(message: Envelope) => void} onNotification
 * @property {(state: ConnectionState) => void} onState
 */

export class NativeLink {
  /** @type {Port | null} */ #port = null;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: FaultError) => void }>} */ #pending = new Map();
  #nextId = 1;
  #attempt = 0;
  #connectedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** A fault that was the last that came on this port: what it says is why the port was lost. @type {Fault | null} */ #lastWords = null;
  /** The daemon's welcome while the person has not confirmed this browser. @type {Welcome | null} */ #unconfirmed = null;
  /** @type {ConnectionState} */ state = { status: "connecting", fault: null, welcome: null, retryAt: null };

  /** @param {LinkOptions} options */
  constructor(options) {
    this.options = options;
  }

  /** Opens the port unless it is open, and waits for nothing before the try. */
  connect() {
    if (this.#port) return;
    clearTimeout(this.#timer);
    this.#lastWords = null;
    this.#setState({ status: "connecting", fault: this.state.fault, welcome: null, retryAt: null });
    const port = this.options.open();
    this.#port = port;
    port.onMessage.addListener((message) => {
      if (this.#port === port) this.#receive(message);
    });
    port.onDisconnect.addListener(() => {
      if (this.#port === port) this.#lost(this.options.lossFault(this.options.lastError()));
    });
    void this.#greet(port);
  }

  /** A person asked for a try now. */
  retryNow() {
    this.#attempt = 0;
    this.connect();
  }

  /**
   * A request to the daemon. Rejects with a {@link FaultError}, also when the port is lost.
   * @param {string} method
   * @param {unknown} params
   * @param {string} [client]  the panel that asks
   * @returns {Promise<any>}
   */
  call(method, params, client) {
    if (this.state.status !== "connected") return Promise.reject(new FaultError(this.#absence()));
    return this.#call(method, params, client);
  }

  /**
   * A notification to the daemon; dropped while there is no connection, since whatever it told is told again then.
   * @param {string} method
   * @param {unknown} params
   * @param {string} [client]
   */
  notify(method, params, client) {
    if (this.state.status === "connected") this.#port?.postMessage({ jsonrpc: "2.0", client, method, params });
  }

  /** @param {Port} port */
  async #greet(port) {
    const limit = setTimeout(() => {
      if (this.#port !== port) return;
      port.disconnect();
      this.#lost(this.options.silent);
    }, HELLO_LIMIT_MS);
    try {
      const params = await this.options.hello();
      if (this.#port !== port) return;
      /** @type {Welcome} */
      const welcome = await this.#call("hello", params);
      if (this.#port !== port) return;
      const proved = this.#prove(port, welcome);
      // A browser that gstack has started is confirmed by that; its key is only made known.
      if (welcome.confirmed) {
        this.#connected(welcome);
        await proved.catch(() => {});
        return;
      }
      const confirmation = await proved;
      if (this.#port !== port) return;
      this.#unconfirmed = confirmation.confirmed ? null : welcome;
      if (confirmation.confirmed) this.#connected(welcome);
      else this.#confirmation(confirmation);
    } catch (error) {
      // A lost port has told its reason already; what is left is a daemon that refuses us.
      if (this.#port !== port) return;
      port.disconnect();
      this.#lost(error instanceof FaultError ? error.fault : this.options.silent);
    } finally {
      clearTimeout(limit);
    }
  }

  /** @param {Port} port @param {Welcome} welcome @returns {Promise<PanelConfirmation>} */
  async #prove(port, welcome) {
    // A daemon that gives no challenge asks for no proof.
    if (!welcome.challenge) return { confirmed: true };
    const proof = await this.options.prove(welcome);
    return this.#port === port ? this.#call("panel.prove", proof) : { confirmed: false };
  }

  /** @param {Welcome} welcome */
  #connected(welcome) {
    if (this.state.status === "connected") return;
    this.#connectedAt = Date.now();
    this.#setState({ status: "connected", fault: null, welcome, retryAt: null });
  }

  /** The person has confirmed this browser, or its code is another one. @param {PanelConfirmation} confirmation */
  #confirmation({ confirmed, code }) {
    const welcome = this.#unconfirmed;
    if (!welcome) return;
    if (confirmed) {
      this.#unconfirmed = null;
      this.#connected(welcome);
    } else if (code) {
      // The port stays open: nothing is to be tried again, the daemon tells when the person has done it.
      this.#setState({ status: "down", fault: this.options.unconfirmed(code), welcome: null, retryAt: null });
    }
  }

  /** @param {string} method @param {unknown} params @param {string} [client] @returns {Promise<any>} */
  #call(method, params, client) {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#port?.postMessage({ jsonrpc: "2.0", client, id, method, params });
    });
  }

  /** @param {Envelope} message */
  #receive(message) {
    this.#lastWords = message.method === "fault" && message.client == null ? /** @type {Fault} */ (message.params) : null;
    if (message.method === "panel.confirmation") return this.#confirmation(/** @type {PanelConfirmation} */ (message.params));
    if (typeof message.method === "string") {
      this.options.onNotification(message);
      return;
    }
    if (message.id == null) return;
    const waiting = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) waiting?.reject(new FaultError(message.error));
    else waiting?.resolve(message.result ?? {});
  }

  /** @param {Fault} reason */
  #lost(reason) {
    const fault = this.#lastWords ?? reason;
    this.#port = null;
    this.#unconfirmed = null;
    if (this.state.status === "connected" && Date.now() - this.#connectedAt > CALM_AFTER_MS) this.#attempt = 0;
    const wait = backoff(this.#attempt, Math.random());
    const retries = this.options.retries(fault);
    if (retries) {
      this.#attempt += 1;
      this.#timer = setTimeout(() => this.connect(), wait);
    }
    this.#setState({ status: "down", fault, welcome: null, retryAt: retries ? Date.now() + wait : null });
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(new FaultError(fault));
  }

  /** @returns {Fault} */
  #absence() {
    return this.state.fault ?? this.options.lossFault();
  }

  /** @param {ConnectionState} state */
  #setState(state) {
    this.state = state;
    this.options.onState(state);
  }
}
