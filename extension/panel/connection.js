/**
 * The panel's port to the background: requests by id, notifications, and a new port when the worker stopped.
 *
 * Owns the port and what waits on it. Never interprets a result.
 * @import { Fault } from "../protocol.js"
 * @import { Envelope, Notifications, Requests, ToPanelLocal } from "../shared/wire.js"
 */
import { backoff } from "../shared/backoff.js";
import { FaultError } from "../shared/fault.js";

/** A worker that crashed at load would be asked again at once, for ever, without this. */
const CALM_AFTER_MS = 1000;

export class Connection {
  /** @type {chrome.runtime.Port | null} */ #port = null;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: FaultError) => void, timer?: ReturnType<typeof setTimeout> }>} */
  #pending = new Map();
  /** Who wants notifications of a method besides `onMessage`. @type {Map<string, (params: unknown) => void>} */ #listeners = new Map();
  #nextId = 1;
  #attempt = 0;
  #openedAt = 0;
  #open;

  /**
   * @param {object} options
   * @param {() => chrome.runtime.Port} options.open
   * @param {(message: ToPanelLocal) => void} options.onMessage
   * @param {() => void} options.onOpen  a new port stands: say again who we are
   * @param {(again: boolean) => void} options.onLost  `again`: it went away soon after it had come
   * @param {Fault} options.lost  what requests reject with when the background goes away
   * @param {Fault} options.late  … and when an answer does not come in time
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
   * @template {keyof Requests} M
   * @param {M} method
   * @param {Requests[M][0]} params
   * @param {{ limitMs?: number }} [options]  without a limit an answer may take as long as the daemon does
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

  /** From now on each notification of that method also goes there. @param {string} method @param {(params: unknown) => void} listener */
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
    // Connecting is what wakes a stopped worker, so the first try comes at once.
    if (Date.now() - this.#openedAt > CALM_AFTER_MS) this.#attempt = 0;
    this.onLost(this.#attempt > 0);
    const wait = this.#attempt === 0 ? 0 : backoff(this.#attempt, Math.random());
    this.#attempt += 1;
    setTimeout(() => this.connect(), wait);
  }
}
