/**
 * Tab groups that show whose tab it is: one for each client that leases tabs, and one for each conversation whose agent has
 * opened tabs. Only with the permission `tabGroups`, which the person turns on or off in the settings. New profiles of gstack's
 * own browser have it.
 *
 * Owns the groups that it makes: a tab joins one when it becomes the client's or the agent's, and leaves it when it no longer
 * is. Never moves a tab between windows, activates or unpins one, and leaves alone what the person grouped, moved or renamed.
 * @import { DriversShown } from "../protocol.js"
 */

/** The key of what was grouped, in the storage that lasts as long as the browser. */
const PLACED_KEY = "tabsGrouped";
/** The key of the titles and colors given to groups, which outlives the browser: it may restore them with its windows. */
const LOOKS_KEY = "groupLooks";
/** A tab that the person drags can't be grouped. Tried again this often, this much later. */
const TRIES = 10;
const AGAIN_MS = 500;
/** The prefix of the keys of agents' groups. */
const OF_AGENT = "conversation ";
/** In characters. A tab strip shows fewer. */
const LONGEST_TITLE = 60;
/** @type {`${chrome.tabGroups.Color}`[]} */
const COLORS = ["orange", "cyan", "purple", "green", "pink", "blue"];

/**
 * Whose tab it is: a client's or a conversation's key, and the name of its group.
 * @typedef {{ key: string, name: string }} Owner
 *
 * The tabs that were grouped, by their id. `groupId` is -1 for one that is left alone.
 * @typedef {Record<string, { key: string, groupId: number }>} Placed
 */

export class TabGroups {
  /** The owner of each tab. Null as long as the daemon's list is unknown. @type {Map<number, Owner> | null} */
  #owners = null;
  /** Changes are applied one after the other. */
  #turn = Promise.resolve();
  #due = false;
  #tries = 0;

  /** Takes the daemon's list of this browser's tabs. An agent's tab that a client leases is the client's. @param {DriversShown} shown */
  update({ leases, agentTabs = [] }) {
    this.#owners = new Map();
    for (const { chromeTabId, conversationId, agent } of agentTabs) {
      this.#owners.set(chromeTabId, { key: `${OF_AGENT}${conversationId} ${agent}`, name: agent });
    }
    for (const { chromeTabId, driver } of leases) {
      this.#owners.set(chromeTabId, { key: `client ${driver.name}`, name: driver.name });
    }
    this.#tries = 0;
    void this.look();
  }

  /** The connection is lost, and all leases with it. Agents keep the tabs that they opened. */
  down() {
    this.#owners = new Map([...(this.#owners ?? [])].filter(([, { key }]) => key.startsWith(OF_AGENT)));
    void this.look();
  }

  /** Checks again: the owners or the permission changed. Settles once that is applied. */
  look() {
    if (!this.#due) {
      this.#due = true;
      this.#turn = this.#turn.then(() => this.#apply()).catch((error) => console.warn("tab-groups:", error));
    }
    return this.#turn;
  }

  async #apply() {
    this.#due = false;
    if (!this.#owners) return;
    const granted = await chrome.permissions.contains({ permissions: ["tabGroups"] });
    const owners = granted ? this.#owners : new Map();
    const stored = (await chrome.storage.session.get(PLACED_KEY))[PLACED_KEY];
    if (stored === undefined) await removeRestored();
    const placed = { .../** @type {Placed | undefined} */ (stored) };
    if (stored !== undefined && owners.size === 0 && Object.keys(placed).length === 0) return;
    const tabs = new Map((await chrome.tabs.query({})).map((tab) => [tab.id ?? -1, tab]));
    let busy = false;
    for (const [id, { key, groupId }] of Object.entries(placed)) {
      const tab = tabs.get(Number(id));
      if (tab && owners.get(Number(id))?.key === key) continue;
      const isOurs = groupId !== -1 && tab?.groupId === groupId;
      const owner = owners.get(Number(id));
      // The person moved it: it stays there, also with another owner.
      if (tab && owner && !isOurs) placed[id] = { key: owner.key, groupId: -1 };
      else if (!isOurs || (await tried(() => chrome.tabs.ungroup(Number(id))))) delete placed[id];
      else busy = true;
    }
    for (const [id, owner] of owners) {
      const tab = tabs.get(id);
      if (!tab || id in placed || tab.pinned) continue;
      // Read again: it may have left another group a moment ago.
      const now = await chrome.tabs.get(id).catch(() => null);
      if (!now) continue;
      // The person's own group stays. Recorded as placed, so that the tab is left alone when they take it out.
      if (now.groupId !== -1) placed[id] = { key: owner.key, groupId: -1 };
      else if (!(await this.#place(now, owner, placed))) busy = true;
      await save(placed);
    }
    await save(placed);
    if (busy && ++this.#tries < TRIES) setTimeout(() => this.look(), AGAIN_MS);
  }

  /**
   * Groups a tab with its owner's others of its window. Returns false if Chrome does not let tabs be moved now.
   * @param {chrome.tabs.Tab} tab
   * @param {Owner} owner
   * @param {Placed} placed
   */
  async #place(tab, { key, name }, placed) {
    const id = /** @type {number} */ (tab.id);
    const { type } = await chrome.windows.get(tab.windowId).catch(() => ({ type: "gone" }));
    // A popup window has no tab strip.
    if (type !== "normal") return true;
    const known = Object.values(placed).find((one) => one.key === key && one.groupId !== -1);
    const group = known && (await chrome.tabGroups.get(known.groupId).catch(() => null));
    const joins = group?.windowId === tab.windowId ? { groupId: group.id } : { createProperties: { windowId: tab.windowId } };
    /** @type {number | undefined} */ let groupId;
    const join = async () => {
      groupId = await chrome.tabs.group({ tabIds: [id], ...joins });
    };
    if (!(await tried(join))) return false;
    if (groupId === undefined) return true;
    placed[id] = { key, groupId };
    if ("groupId" in joins) return true;
    await save(placed);
    const title = titleOf(name);
    const color = colorOf(name);
    await remember({ title, color });
    await chrome.tabGroups.update(groupId, { title, color }).catch(() => {
      // Its tab was closed meanwhile.
    });
    return true;
  }
}

/** @param {string} name */
export function titleOf(name) {
  return [...name].length > LONGEST_TITLE ? `${[...name].slice(0, LONGEST_TITLE - 1).join("")}…` : name;
}

/** Returns the color of a name, which stays the same. @param {string} name */
export function colorOf(name) {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return COLORS[sum % COLORS.length];
}

/** @param {Placed} placed */
function save(placed) {
  return chrome.storage.session.set({ [PLACED_KEY]: placed });
}

/** The marks of a restored group: the person may have one of the same title. @typedef {{ title?: string, color?: string }} Look */

/** @param {Look[]} looks @param {Look} look */
const includes = (looks, { title, color }) => looks.some((one) => one.title === title && one.color === color);

/** @returns {Promise<Look[]>} */
async function remembered() {
  const stored = (await chrome.storage.local.get(LOOKS_KEY))[LOOKS_KEY];
  return Array.isArray(stored) ? stored : [];
}

/** @param {Look} look */
async function remember(look) {
  const looks = await remembered();
  if (!includes(looks, look)) await chrome.storage.local.set({ [LOOKS_KEY]: [...looks, look] });
}

/** Removes the groups that the browser restored with its windows: their leases ended with the earlier browser. */
async function removeRestored() {
  const looks = await remembered();
  if (looks.length > 0 && chrome.tabGroups) {
    for (const { id, title, color } of await chrome.tabGroups.query({})) {
      if (!includes(looks, { title, color })) continue;
      const tabs = (await chrome.tabs.query({ groupId: id })).map((tab) => tab.id ?? -1);
      const [first, ...rest] = tabs;
      if (first !== undefined) await tried(() => chrome.tabs.ungroup([first, ...rest]));
    }
  }
  await chrome.storage.local.remove(LOOKS_KEY);
  await save({});
}

/**
 * Runs the change. Returns false if Chrome does not let tabs be moved now; a tab that is gone counts as done.
 * @param {() => Promise<unknown>} change
 */
async function tried(change) {
  return change().then(
    () => true,
    (error) => !/cannot be edited right now/i.test(String(error)),
  );
}
