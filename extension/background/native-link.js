/**
 * The single native port: opens it, sends `hello`, proves this browser's key, matches answers to requests, and
 * reconnects after a loss.
 *
 * Owns the port, the ids of requests on it and the connection state that panels show. Never looks into a panel's
 * requests, and never decides who gets a notification.
 * @import { Fault, PanelConfirmation, PanelProve, Welcome } from "../protocol.js"
 * @import { ConnectionState, Envelope } from "../shared/wire.js"
 */
import { backoff } from "../shared/backoff.js";
import { FaultError } from "../shared/fault.js";

/** A connection that lasted this long was stable: the next loss restarts the backoff. */
const CALM_AFTER_MS = 5000;
/** How long `hello` may take. It includes starting the daemon on a slow disk. */
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
 * @property {(text?: string) => Fault} lossFault  returns the fault for Chrome's text on a lost port
 * @property {() => string | undefined} lastError  returns Chrome's text; must be read within `onDisconnect`
 * @property {() => Promise<unknown>} hello  returns the parameters of `hello`
 * @property {(welcome: Welcome) => Promise<PanelProve>} prove  returns the parameters of `panel.prove`
 * @property {(code: string) => Fault} unconfirmed  returns the fault while the person has not confirmed this browser
 * @property {Fault} silent  the fault when `hello` is not answered
 * @property {(fault: Fault | null) => boolean} retries  whether to retry automatically after this fault
 * @property {(message: Envelope) => void} onNotification
 * @property {(state: ConnectionState) => void} onState
 */

export class NativeLink {
  /** @type {Port | null} */ #port = null;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: FaultError) => void }>} */
  #pending = new Map();
  /**
   * Requests made while connecting.
   * @type {{ send: () => Promise<any>, resolve: (result: any) => void, reject: (error: unknown) => void }[]}
   */
  #waiting = [];
  #nextId = 1;
  #attempt = 0;
  #connectedAt = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** The fault that arrived last on this port, which explains why the port was lost. @type {Fault | null} */
  #lastWords = null;
  /** The daemon's welcome, as long as the person has not confirmed this browser. @type {Welcome | null} */
  #unconfirmed = null;
  /** @type {ConnectionState} */ state = { status: "connecting", fault: null, welcome: null, retryAt: null };

  /** @param {LinkOptions} options */
  constructor(options) {
    this.options = options;
  }

  /** Opens the port unless it is open, without waiting for the backoff. */
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

  /** Retries now because a person asked for it. */
  retryNow() {
    this.#attempt = 0;
    this.connect();
  }

  /**
   * Sends a request to the daemon, while connecting once that has succeeded. Rejects with a {@link FaultError}, also when
   * the port is lost.
   * @param {string} method
   * @param {unknown} params
   * @param {string} [client]  the panel that sends the request
   * @returns {Promise<any>}
   */
  call(method, params, client) {
    const send = () => this.#call(method, params, client);
    if (this.state.status === "connected") return send();
    if (this.state.status === "down") return Promise.reject(new FaultError(this.#absence()));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ send, resolve, reject });
    });
  }

  /**
   * Sends a notification to the daemon. Drops it if there is no connection: a new connection resends everything.
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
      // A browser that gstack started is already confirmed; only its key is registered.
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
      // A lost port has already reported its reason. Otherwise the daemon refused us.
      if (this.#port !== port) return;
      port.disconnect();
      this.#lost(error instanceof FaultError ? error.fault : this.options.silent);
    } finally {
      clearTimeout(limit);
    }
  }

  /** @param {Port} port @param {Welcome} welcome @returns {Promise<PanelConfirmation>} */
  async #prove(port, welcome) {
    // A daemon that sends no challenge requires no proof.
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

  /**
   * Handles that the person confirmed this browser, or that its code changed.
   * @param {PanelConfirmation} confirmation
   */
  #confirmation({ confirmed, code }) {
    const welcome = this.#unconfirmed;
    if (!welcome) return;
    if (confirmed) {
      this.#unconfirmed = null;
      this.#connected(welcome);
    } else if (code) {
      // The port stays open without a retry: the daemon notifies us when the person confirms.
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
    if (state.status === "connecting") return;
    for (const { send, resolve, reject } of this.#waiting.splice(0)) {
      if (state.status === "connected") send().then(resolve, reject);
      else reject(new FaultError(this.#absence()));
    }
  }
}
