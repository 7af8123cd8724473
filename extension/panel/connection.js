/**
 * The panel's port to the background: requests by id, notifications, and a new port when the worker has stopped.
 *
 * Owns the port and the requests that wait on it. Never interprets a result.
 * @import { Fault } from "../protocol.js"
 * @import { Envelope, Notifications, Requests, ToPanelLocal } from "../shared/wire.js"
 */
import { backoff } from "../shared/backoff.js";
import { FaultError } from "../shared/fault.js";

/** Without this pause, a worker that crashes at load would be restarted at once, forever. */
const CALM_AFTER_MS = 1000;

export class Connection {
  /** @type {chrome.runtime.Port | null} */ #port = null;
  /**
   * @type {Map<number, { resolve: (result: any) => void, reject: (error: FaultError) => void,
   *   timer?: ReturnType<typeof setTimeout> }>}
   */
  #pending = new Map();
  /** The listeners per method, besides `onMessage`. @type {Map<string, (params: unknown) => void>} */
  #listeners = new Map();
  #nextId = 1;
  #attempt = 0;
  #openedAt = 0;
  #open;

  /**
   * @param {object} options
   * @param {() => chrome.runtime.Port} options.open
   * @param {(message: ToPanelLocal) => void} options.onMessage
   * @param {() => void} options.onOpen  a new port is open: identify this panel again
   * @param {(again: boolean) => void} options.onLost  `again`: the port closed soon after it had opened
   * @param {Fault} options.lost  the fault that requests reject with when the background disconnects
   * @param {Fault} options.late  the fault that requests reject with when an answer does not arrive in time
   */
  constructor({ open, onMessage, onOpen, onLost, lost, late }) {
    this.#open = open;
    this.onMessage = onMessage;
    this.onOpen = onOpen;
    this.onLost = onLost;
    this.lost = lost;
    this.late = late;
  }

  connect() {
    const port = this.#open();
    this.#port = port;
    this.#openedAt = Date.now();
    port.onMessage.addListener((message) => this.#receive(message));
    port.onDisconnect.addListener(() => this.#lose());
    this.onOpen();
  }

  /**
   * Sends a request. Without a limit, the answer may take as long as the daemon does.
   * @template {keyof Requests} M
   * @param {M} method
   * @param {Requests[M][0]} params
   * @param {{ limitMs?: number }} [options]
   * @returns {Promise<Requests[M][1]>}
   */
  request(method, params, { limitMs } = {}) {
    const port = this.#port;
    if (!port) return Promise.reject(new FaultError(this.lost));
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const timer =
        limitMs === undefined
          ? undefined
          : setTimeout(() => {
              this.#pending.delete(id);
              reject(new FaultError(this.late));
            }, limitMs);
      this.#pending.set(id, { resolve, reject, timer });
      port.postMessage({ id, method, params });
    });
  }

  /**
   * @template {keyof Notifications} M
   * @param {M} method
   * @param {Notifications[M]} params
   */
  notify(method, params) {
    this.#port?.postMessage({ method, params });
  }

  /**
   * Passes each later notification of that method to the listener as well.
   * @param {string} method
   * @param {(params: unknown) => void} listener
   */
  on(method, listener) {
    this.#listeners.set(method, listener);
  }

  /** @param {Envelope} message */
  #receive(message) {
    if (typeof message.method === "string") this.#listeners.get(message.method)?.(message.params);
    if (typeof message.method === "string") return this.onMessage(/** @type {ToPanelLocal} */ (/** @type {unknown} */ (message)));
    if (message.id == null) return;
    const waiting = this.#pending.get(message.id);
    if (!waiting) return;
    this.#pending.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.error) waiting.reject(new FaultError(message.error));
    else waiting.resolve(message.result);
  }

  #lose() {
    this.#port = null;
    for (const { reject, timer } of this.#pending.values()) {
      clearTimeout(timer);
      reject(new FaultError(this.lost));
    }
    this.#pending.clear();
    // Connecting wakes a stopped worker, so the first retry is immediate.
    if (Date.now() - this.#openedAt > CALM_AFTER_MS) this.#attempt = 0;
    this.onLost(this.#attempt > 0);
    const wait = this.#attempt === 0 ? 0 : backoff(this.#attempt, Math.random());
    this.#attempt += 1;
    setTimeout(() => this.connect(), wait);
  }
}
