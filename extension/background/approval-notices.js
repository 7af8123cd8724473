/**
 * Desktop notifications of approvals and questions that wait while no panel shows them. Off until the person grants the
 * permission `notifications` in the settings.
 *
 * Shows each once at most, and closes it as soon as it no longer waits or a panel shows it.
 * Never answers anything: a click only leads to the card, whose guard against hasty and covered clicks a notification
 * does not have, so there is no button either.
 * @import { ApprovalNotice } from "../protocol.js"
 */
import { t } from "../shared/i18n.js";
import { askWords } from "../shared/said.js";

/** The key of the ids that the person was notified of or saw, in the storage that lasts as long as the browser. */
const TOLD_KEY = "approvalsTold";
/** Far more than wait at once, so none that waits is forgotten. */
const MOST_TOLD = 200;

/**
 * Whether the person looks at a window and its panel.
 * @typedef {{ windowId: number, activeTabId: number | undefined, focused: boolean, hasPanel: boolean }} Window
 */

export class ApprovalNotices {
  /** The daemon's list; null as long as it is unknown. @type {ApprovalNotice[] | null} */ #waiting = null;
  #isDown = false;
  /** Changes are applied one after the other. */
  #turn = Promise.resolve();
  /** A check that has not begun covers every change until it begins. */
  #due = false;

  /** @param {(windowId: number) => boolean} hasPanel */
  constructor(hasPanel) {
    this.hasPanel = hasPanel;
  }

  /** Takes the daemon's list of everything that waits. @param {ApprovalNotice[]} waiting */
  update(waiting) {
    this.#waiting = waiting;
    this.#isDown = false;
    void this.look();
  }

  /** The connection is lost: nothing can be answered. Those that still wait afterwards are not shown again. */
  down() {
    this.#waiting = null;
    this.#isDown = true;
    void this.look();
  }

  /** Checks again: the list, a window, a panel or the permission changed. Settles once that is applied. */
  look() {
    if (!this.#due) {
      this.#due = true;
      this.#turn = this.#turn.then(() => this.#apply()).catch((error) => console.warn("notifications", error));
    }
    return this.#turn;
  }

  async #apply() {
    this.#due = false;
    // Absent as long as the permission is not granted.
    if (!chrome.notifications) return;
    const waiting = this.#waiting;
    // A worker that was just started keeps what an earlier one showed.
    if (!waiting && !this.#isDown) return;
    const shown = new Map(Object.keys(await allShown()).map((key) => [idOf(key), key]));
    const open = new Set(waiting?.map(({ id }) => id));
    for (const [id, key] of shown) if (!open.has(id)) await clear(key);
    if (!waiting) return;
    const stored = (await chrome.storage.session.get(TOLD_KEY))[TOLD_KEY];
    const before = new Set(Array.isArray(stored) ? stored : []);
    const windows = waiting.length > 0 ? await this.#windows() : [];
    const inView = new Set(waiting.filter((notice) => isInView(notice, windows)).map(({ id }) => id));
    const fresh = waiting.filter(({ id }) => !before.has(id) && !inView.has(id));
    const told = [...before, ...[...inView, ...fresh.map(({ id }) => id)].filter((id) => !before.has(id))];
    // Stored first: a worker that ends in between leaves one out rather than showing it twice.
    if (told.length > before.size) await chrome.storage.session.set({ [TOLD_KEY]: told.slice(-MOST_TOLD) });
    for (const id of inView) {
      const key = shown.get(id);
      if (key) await clear(key);
    }
    for (const notice of fresh) await show(notice);
  }

  /** @returns {Promise<Window[]>} */
  async #windows() {
    const windows = await chrome.windows.getAll({ populate: true, windowTypes: ["normal"] });
    return windows.flatMap(({ id, focused, tabs }) =>
      id === undefined ? [] : [{ windowId: id, focused, activeTabId: tabs?.find(({ active }) => active)?.id, hasPanel: this.hasPanel(id) }],
    );
  }

  /**
   * Leads to the card: opens the panel beside its tab, and brings both to the front. Called within the listener, because
   * Chrome opens a panel only while it handles the click.
   * @param {string} key
   */
  async clicked(key) {
    const { tabId, windowId } = placeOf(key);
    // It opens the panel of the window that the tab was in. If it has moved, its own window comes to the front below.
    const opened = windowId === undefined ? null : chrome.sidePanel.open({ windowId });
    await opened?.catch(() => {
      // The window is gone.
    });
    await clear(key);
    const tab = tabId === undefined ? null : await chrome.tabs.update(tabId, { active: true }).catch(() => null);
    const to = tab?.windowId ?? windowId ?? (await chrome.windows.getLastFocused({ windowTypes: ["normal"] })).id;
    if (to !== undefined)
      await chrome.windows.update(to, { focused: true }).catch(() => {
        // The window is gone.
      });
  }
}

/**
 * Returns whether a panel in the focused window shows it. A client's is in every panel if none is open beside its tab.
 * @param {ApprovalNotice} notice
 * @param {Window[]} windows
 */
export function isInView({ tab, ofClient }, windows) {
  const beside = windows.filter(({ hasPanel, activeTabId }) => hasPanel && tab && activeTabId === tab.chromeTabId);
  const showing = ofClient && beside.length === 0 ? windows.filter(({ hasPanel }) => hasPanel) : beside;
  return showing.some(({ focused }) => focused);
}

/**
 * Returns the key of a notification: the id, the tab and the window, so that a worker that Chrome starts for the click
 * knows them at once.
 * @param {ApprovalNotice} notice
 */
export function keyOf({ id, tab }) {
  return JSON.stringify([id, tab?.chromeTabId, tab?.windowId]);
}

/** @param {string} key */
function idOf(key) {
  return String(partsOf(key)[0]);
}

/** @param {string} key @returns {{ tabId?: number, windowId?: number }} */
export function placeOf(key) {
  const [, tabId, windowId] = partsOf(key);
  return { tabId: tabId ?? undefined, windowId: windowId ?? undefined };
}

/** @param {string} key */
function partsOf(key) {
  try {
    return JSON.parse(key);
  } catch {
    return [key];
  }
}

/** @returns {Promise<Record<string, boolean>>} */
function allShown() {
  return new Promise((resolve) => chrome.notifications.getAll((all) => resolve(/** @type {any} */ (all ?? {}))));
}

/** @param {string} key @returns {Promise<boolean>} */
function clear(key) {
  return new Promise((resolve) => chrome.notifications.clear(key, resolve));
}

/** @param {ApprovalNotice} notice */
async function show(notice) {
  const { kind, from, site } = notice;
  await new Promise((resolve) =>
    chrome.notifications.create(
      keyOf(notice),
      {
        type: "basic",
        iconUrl: chrome.runtime.getURL("icons/128.png"),
        title: kind === "question" ? t("noticeQuestion", from) : t("noticeApproval", from),
        message: kind === "question" ? notice.ask : askWords(notice),
        ...(site && { contextMessage: site }),
      },
      resolve,
    ),
  );
}
