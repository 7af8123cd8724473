/**
 * CDP for the daemon when it has no pipe to this browser: `chrome.debugger` on the tabs that it names.
 *
 * Owns the set of attached tabs. Attaches only on the daemon's request, detaches from all tabs when the connection to
 * the daemon ends, and never attaches again on its own. Interprets no CDP messages; `downloads.js` reads two events.
 * @import { RelayAttach, RelayCommand, RelayDetach, RelayError, RelayPart, RelayTab, Refusal } from "../protocol.js"
 */

import { Downloads } from "./downloads.js";
import { putBack, readText, setAside } from "./frames-aside.js";
import { PanelKeyboard } from "./panel-keyboard.js";

/** The only CDP version that Chrome accepts. */
const PROTOCOL = "1.3";
/** Chrome's text if an attachment of an earlier run of this worker, or another extension's attachment, still exists. */
const ATTACHED_ALREADY = "Another debugger is already attached";
/** Chrome's text for pages that extensions cannot access: its own, other extensions' and the Web Store's. */
const OWN_PAGE = /^Cannot access a |cannot be scripted/;
/** Pages of the web; in them that text is about another extension's frame. */
const OF_THE_WEB = /^(https?|file):/;
const STORE = "https://chromewebstore.google.com/";
/** Chrome's text for the latter. */
const OTHER_FRAME = "Cannot access a chrome-extension:// URL of different extension";
const NOT_ATTACHED = /^Debugger is not attached/;
/** Chrome's text for a command whose attachment ended meanwhile; it says why afterwards, at once. */
const CUT_OFF = /^Detached while handling command/;
const WHY_LIMIT_MS = 1000;
const MOUSE = "Input.dispatchMouseEvent";
/** The limit for a message to the daemon, in characters of its largest text: Chrome throws above 64 MiB. */
const LARGEST = 60 * 1024 * 1024;

export class Relay {
  /** @type {Set<number>} */ #attached = new Set();
  /**
   * Tabs that are attaching or detaching: the next operation on a tab waits for it.
   * @type {Map<number, Promise<void>>}
   */
  #moving = new Map();
  /** Tabs in which the person lets us set other extensions' frames aside, and whether some are. @type {Map<number, boolean>} */
  #aside = new Map();
  /** Tabs in which such frames were put back and may not have loaded: loading ends an attachment. @type {Set<number>} */
  #loading = new Set();
  /** Attachments that ended, until the daemon has been told. @type {Map<number, Promise<void>>} */ #ending = new Map();
  /** The press that has no release yet, by its tab. @type {Map<number, object>} */ #pressed = new Map();
  /** The parameters that arrive in parts, by their command. @type {Map<number, string[]>} */ #parts = new Map();
  /** The current connection to the daemon. Results of one connection are neither kept nor reported in the next. */
  #connection = 0;
  keyboard = new PanelKeyboard();
  #downloads = new Downloads();

  /**
   * @param {object} options
   * @param {(method: string, params: unknown) => void} options.tell  sends to the daemon
   * @param {(tabId: number) => Promise<void>} options.tabReported  settles when the daemon has received the tab's
   * current state
   */
  constructor({ tell, tabReported }) {
    this.tell = tell;
    this.tabReported = tabReported;
    /** Settles when no attachment of an earlier run of this worker is left. */
    this.cleared = this.#letGoOfLeftovers();
  }

  /** Handles a message of the daemon. @param {string} method @param {any} params */
  message(method, params) {
    switch (method) {
      case "relay.attach":
        return void this.#attach(params);
      case "relay.detach":
        return void this.#leave(/** @type {RelayDetach} */ (params).chromeTabId);
      case "relay.part":
        return this.#part(params);
      case "relay.command":
        return void this.#command(params);
      case "relay.tab":
        return void this.#tab(params);
    }
  }

  /**
   * Detaches from all tabs when the connection to the daemon is lost or new: the daemon does not know these
   * attachments.
   */
  letGo() {
    this.#connection += 1;
    this.#parts.clear();
    this.keyboard.watch(false);
    // Includes tabs that are still being attached: they are detached right after.
    for (const tabId of new Set([...this.#attached, ...this.#moving.keys()])) void this.#leave(tabId);
  }

  async #letGoOfLeftovers() {
    for (const { attached, tabId } of await chrome.debugger.getTargets()) {
      // Chrome does not say whose attachment it is. Another extension's attachment stays.
      if (attached && tabId !== undefined) await chrome.debugger.detach({ tabId }).catch(() => {});
    }
  }

  /** @param {chrome.debugger.DebuggerSession} source @param {string} method @param {object} [params] */
  event({ tabId, sessionId }, method, params) {
    if (tabId === undefined || !this.#attached.has(tabId)) return;
    const tell = (/** @type {object | undefined} */ all) =>
      this.tell("relay.event", { chromeTabId: tabId, sessionId, method, params: all });
    const later = this.#downloads.event(method, params);
    if (!later) return tell(params);
    const connection = this.#connection;
    void later.then((all) => connection === this.#connection && tell(all));
  }

  /** Handles a detach that we did not request. @param {chrome.debugger.Debuggee} source @param {string} reason */
  async detached({ tabId, targetId }, reason) {
    if (targetId !== undefined) this.keyboard.detached(targetId);
    if (tabId === undefined || !this.#attached.delete(tabId)) return;
    await this.#ended(tabId, reason === "canceled_by_user" ? "cancelled" : undefined);
  }

  /** Reports an attachment that Chrome has ended. @param {number} tabId @param {Refusal} [known] */
  #ended(tabId, known) {
    const told = this.#tellEnded(tabId, known).finally(() => this.#ending.get(tabId) === told && this.#ending.delete(tabId));
    this.#ending.set(tabId, told);
    return told;
  }

  /** @param {number} tabId @param {Refusal} [known] */
  async #tellEnded(tabId, known) {
    const connection = this.#connection;
    const why = known ?? (await this.#whyGone(tabId));
    if (why === "other-frame") await this.#inTurn(tabId, () => this.#release(tabId));
    if (this.#aside.get(tabId)) void this.#inTurn(tabId, () => this.#back(tabId));
    this.#pressed.delete(tabId);
    if (connection === this.#connection) this.tell("relay.detached", { chromeTabId: tabId, reason: why });
  }

  /** Ends a press that made another extension put its frame into the page: Chrome took the press and no more. @param {number} tabId */
  async #release(tabId) {
    const pressed = this.#pressed.get(tabId);
    if (!pressed || !this.#aside.has(tabId)) return;
    try {
      await this.#takeOut(tabId);
      await chrome.debugger.attach({ tabId }, PROTOCOL);
      await chrome.debugger.sendCommand({ tabId }, MOUSE, { ...pressed, type: "mouseReleased", buttons: 0 });
      await chrome.debugger.detach({ tabId });
    } catch {
      // The tab has closed, or the frame came back. The daemon says that it is unknown whether the act arrived.
    }
  }

  /** @param {number} tabId */
  async #takeOut(tabId) {
    this.#aside.set(tabId, true);
    await setAside(tabId);
  }

  /** @param {number} tabId */
  async #back(tabId) {
    // Another command may have attached since: Chrome would end that.
    if (this.#attached.has(tabId) || !this.#aside.get(tabId)) return;
    this.#aside.set(tabId, false);
    this.#loading.add(tabId);
    await putBack(tabId);
  }

  /**
   * Returns why a tab detached: a tab that still exists shows a page that extensions cannot access, or a page of the web
   * with a frame of another extension. Chrome's text is the same for both.
   * @param {number} tabId
   * @returns {Promise<Refusal>}
   */
  async #whyGone(tabId) {
    return chrome.tabs.get(tabId).then(
      ({ url, pendingUrl }) => {
        // The tab may be on its way to a page of the browser.
        const shown = pendingUrl || url || "";
        return OF_THE_WEB.test(shown) && !shown.startsWith(STORE) ? "other-frame" : "own-page";
      },
      () => "closed",
    );
  }

  /** @param {RelayAttach} params */
  async #attach({ call, chromeTabId: tabId, setAside }) {
    await this.#answer(
      call,
      async () => {
        if (!setAside) this.#aside.delete(tabId);
        else if (!this.#aside.has(tabId)) this.#aside.set(tabId, false);
        await this.#inTurn(tabId, () => this.#enter(tabId));
        const targets = await chrome.debugger.getTargets();
        return { targetId: targets.find((target) => target.tabId === tabId && target.type === "page")?.id };
      },
      (text) => this.#refusalOf(tabId, text),
    );
  }

  /** @param {number} tabId */
  async #enter(tabId) {
    await this.cleared;
    if (this.#loading.delete(tabId) && this.#aside.has(tabId)) await this.#takeOut(tabId);
    // Chrome may end the attachment before it has told us of it.
    this.#attached.add(tabId);
    try {
      await chrome.debugger.attach({ tabId }, PROTOCOL).catch((error) => this.#enterAfter(tabId, error));
    } catch (error) {
      this.#attached.delete(tabId);
      throw error;
    }
    if (!this.#attached.has(tabId)) throw new Error(OTHER_FRAME);
    this.keyboard.watch(true);
  }

  /** Attaches once what was in the way is gone, if it may go. @param {number} tabId @param {unknown} error */
  async #enterAfter(tabId, error) {
    const text = error instanceof Error ? error.message : String(error);
    if (text.includes(ATTACHED_ALREADY)) await chrome.debugger.detach({ tabId });
    else if (this.#aside.has(tabId) && (await this.#refusalOf(tabId, text)) === "other-frame") await this.#takeOut(tabId);
    else throw error;
    await chrome.debugger.attach({ tabId }, PROTOCOL);
  }

  /** Returns what Chrome's text means for a tab. @param {number} tabId @param {string} text @returns {Promise<Refusal>} */
  async #refusalOf(tabId, text) {
    const why = await this.#whyGone(tabId);
    return OWN_PAGE.test(text) || why === "closed" ? why : "occupied";
  }

  /** Detaches from a tab; none of its later events are forwarded. @param {number} tabId */
  async #leave(tabId) {
    if (!this.#attached.delete(tabId) && !this.#moving.has(tabId)) return;
    await this.#inTurn(tabId, async () => {
      this.#attached.delete(tabId);
      this.#pressed.delete(tabId);
      this.keyboard.watch(this.#attached.size > 0);
      await chrome.debugger.detach({ tabId }).catch(() => {
        // It ended on its own.
      });
      await this.#back(tabId);
    });
  }

  /** Runs the operations on one tab one after the other. @param {number} tabId @param {() => Promise<void>} act */
  #inTurn(tabId, act) {
    const done = (this.#moving.get(tabId) ?? Promise.resolve()).then(act);
    const over = done.catch(() => {
      // The caller receives the reason.
    });
    this.#moving.set(tabId, over);
    void over.then(() => {
      if (this.#moving.get(tabId) === over) this.#moving.delete(tabId);
    });
    return done;
  }

  /** @param {RelayPart} params */
  #part({ call, text }) {
    const parts = this.#parts.get(call) ?? [];
    this.#parts.set(call, parts);
    parts.push(text);
  }

  /** @param {RelayCommand} params */
  async #command({ call, chromeTabId: tabId, sessionId, method, params }) {
    const parts = this.#parts.get(call);
    this.#parts.delete(call);
    await this.#answer(
      call,
      () => {
        const whole = parts ? JSON.parse(parts.join("")) : params;
        if (method === MOUSE) this.#pressedOr(tabId, whole);
        return chrome.debugger.sendCommand({ tabId, sessionId: sessionId ?? undefined }, method, whole);
      },
      async (text) => {
        // Chrome can end an attachment without saying so: as it begins, if another extension's frame appears then.
        const ended = OWN_PAGE.test(text) || NOT_ATTACHED.test(text);
        if (CUT_OFF.test(text)) await this.#heardWhy(tabId);
        if (ended && this.#attached.delete(tabId)) void this.#ended(tabId);
        // The daemon learns first why: then it does not take an act for one that never began.
        await this.#ending.get(tabId);
        return this.#attached.has(tabId) ? undefined : "not-attached";
      },
    );
  }

  /** Settles when `detached` has heard why a tab's attachment ended. @param {number} tabId */
  async #heardWhy(tabId) {
    const deadline = performance.now() + WHY_LIMIT_MS;
    while (this.#attached.has(tabId) && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Keeps a press until its release. @param {number} tabId @param {any} event */
  #pressedOr(tabId, event) {
    if (event?.type === "mousePressed") this.#pressed.set(tabId, event);
    if (event?.type === "mouseReleased") this.#pressed.delete(tabId);
  }

  /** @param {RelayTab} params */
  async #tab({ call, act, chromeTabId }) {
    await this.#answer(
      call,
      async () => {
        if (act === "open") {
          const { id } = await chrome.tabs.create({ url: "about:blank", active: false });
          return { chromeTabId: id };
        }
        if (act === "panel") {
          await this.keyboard.restore();
          return {};
        }
        const tabId = /** @type {number} */ (chromeTabId);
        if (act === "close") await chrome.tabs.remove(tabId);
        if (act === "read") return { chromeTabId: tabId, ...(await readText(tabId)) };
        if (act === "show") await chrome.tabs.update(tabId, { active: true });
        if (act === "leave") {
          await this.#blank(tabId);
          await this.tabReported(tabId);
        }
        return { chromeTabId: tabId };
      },
      async () => (chromeTabId != null && (await this.#whyGone(chromeTabId)) === "closed" ? "closed" : undefined),
    );
  }

  /** Navigates to an empty page; settles when it has loaded. @param {number} tabId */
  async #blank(tabId) {
    /** @type {(found: void) => void} */
    let found = () => {};
    const there = new Promise((resolve) => {
      found = resolve;
    });
    /** @param {number} id @param {{ status?: string, url?: string }} change @param {chrome.tabs.Tab} tab */
    const look = (id, change, tab) => {
      if (id === tabId && tab.url === "about:blank" && change.status === "complete") found();
    };
    chrome.tabs.onUpdated.addListener(look);
    try {
      await chrome.tabs.update(tabId, { url: "about:blank" });
      await there;
    } finally {
      chrome.tabs.onUpdated.removeListener(look);
    }
  }

  /**
   * Runs the request and reports its result to the daemon.
   * @param {number} call
   * @param {() => Promise<unknown>} act
   * @param {(text: string) => Promise<Refusal | undefined>} whyNot  interprets Chrome's text if CDP itself did not
   * refuse
   */
  async #answer(call, act, whyNot) {
    const connection = this.#connection;
    const answer = await answerOf(act, whyNot);
    // Call numbers start over with each connection.
    if (connection === this.#connection) this.tell("relay.answer", { call, ...answer });
  }
}

/**
 * @param {() => Promise<unknown>} act
 * @param {(text: string) => Promise<Refusal | undefined>} whyNot
 * @returns {Promise<{ result: unknown } | { error: RelayError }>}
 */
async function answerOf(act, whyNot) {
  try {
    const result = await act();
    return largestText(result) > LARGEST ? { error: { message: "too large", refusal: "too-large" } } : { result: result ?? {} };
  } catch (thrown) {
    return { error: await errorOf(thrown, whyNot) };
  }
}

/**
 * Builds the error: Chrome passes CDP's own errors as JSON in the message, and its own reasons as text.
 * @param {unknown} thrown
 * @param {(text: string) => Promise<Refusal | undefined>} whyNot
 * @returns {Promise<RelayError>}
 */
async function errorOf(thrown, whyNot) {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  if (text.startsWith("{")) {
    try {
      const { code, message, data } = JSON.parse(text);
      return { code, message: data ? `${message} (${data})` : message };
    } catch {
      // Not a CDP error after all.
    }
  }
  return { message: text, refusal: await whyNot(text) };
}

/**
 * Returns the length of the largest text in an answer: screenshots and documents are one text each.
 * @param {unknown} result
 */
function largestText(result) {
  if (result == null || typeof result !== "object") return 0;
  return Object.values(result).reduce((most, value) => Math.max(most, typeof value === "string" ? value.length : 0), 0);
}
