/**
 * MCP clients as the panel shows them: which tabs they lease, and which of their approvals belong into this panel. Pure.
 * @import { ConnectedDriver, DriverAnswered, DriverApproval, DriversShown, LeasedTab, PausedTab } from "../../protocol.js"
 * @import { TabView } from "./panel-state.js"
 */

/**
 * An approval of an MCP client. `done` is null while it is open, and if its outcome is unknown. `seen`: the person
 * needs no line about its end, because they answered it in this panel or closed the line.
 * @typedef {{ asked: DriverApproval, open: boolean, done: DriverAnswered | null, seen: boolean }} DriverAsk
 *
 * @typedef {{ leases: LeasedTab[], paused: PausedTab[], connected: ConnectedDriver[], asks: DriverAsk[] }} DriversHeld
 */

/** @type {DriversHeld} */
export const NO_DRIVERS = { leases: [], paused: [], connected: [], asks: [] };

/** How many closed approvals are remembered: a late message must not open one of them again. */
const CLOSED = 8;

/** @param {DriverAsk} ask */
const idOf = ({ asked }) => asked.approval.approvalId;

/**
 * Takes the daemon's list, which replaces the one before.
 * @param {DriversHeld} held
 * @param {DriversShown} shown
 * @returns {DriversHeld}
 */
export function driversChanged({ asks }, { leases, approvals, paused = [], connected = [] }) {
  const ids = new Set(approvals.map(({ approval }) => approval.approvalId));
  const closed = asks.filter((ask) => !ids.has(idOf(ask)) || ask.done || ask.seen).map((ask) => (ask.open ? { ...ask, open: false } : ask));
  const kept = closed.slice(-CLOSED);
  const known = new Set(kept.map(idOf));
  const open = approvals.filter(({ approval }) => !known.has(approval.approvalId));
  return { leases, paused, connected, asks: [...kept, ...open.map((asked) => ({ asked, open: true, done: null, seen: false }))] };
}

/**
 * Closes an approval.
 * @param {DriversHeld} held
 * @param {DriverAnswered} answered
 * @returns {DriversHeld}
 */
export function driverAnswered(held, answered) {
  const { approvalId } = answered;
  const closed = changed(held, approvalId, (ask) => ({ ...ask, open: false, done: answered }));
  // The one that was closed last comes last.
  return { ...closed, asks: closed.asks.toSorted((a, b) => Number(idOf(a) === approvalId) - Number(idOf(b) === approvalId)) };
}

/**
 * Leaves out the line about an approval's end.
 * @param {DriversHeld} held
 * @param {string} approvalId
 */
export function driverSeen(held, approvalId) {
  return changed(held, approvalId, (ask) => ({ ...ask, open: false, seen: true }));
}

/** @param {DriversHeld} held @param {string} approvalId @param {(ask: DriverAsk) => DriverAsk} change @returns {DriversHeld} */
function changed(held, approvalId, change) {
  return { ...held, asks: held.asks.map((ask) => (idOf(ask) === approvalId ? change(ask) : ask)) };
}

/**
 * Returns the lease of the tab in view. Nobody works in a tab that the person took over.
 * @param {DriversHeld} held
 * @param {TabView | null} tab
 */
export function leaseOf({ leases, paused }, tab) {
  if (paused.some(({ chromeTabId }) => chromeTabId === tab?.chromeTabId)) return null;
  return leases.find(({ chromeTabId }) => chromeTabId === tab?.chromeTabId) ?? null;
}

/**
 * Returns who is paused because the person took over the tab in view.
 * @param {DriversHeld} held
 * @param {TabView | null} tab
 */
export function pausedIn({ paused }, tab) {
  return paused.filter(({ chromeTabId }) => chromeTabId === tab?.chromeTabId);
}

/**
 * Returns the approval that this panel shows, and how many more wait. An approval belongs beside its tab; if no panel is
 * open there, every panel shows it. The oldest comes first; without an open one, the one that was closed last.
 * @param {DriversHeld} held
 * @param {TabView | null} tab
 * @returns {{ ask: DriverAsk | null, more: number }}
 */
export function askFor({ asks }, tab) {
  const here = asks.filter(({ asked }) => !asked.inView || asked.tab?.chromeTabId === tab?.chromeTabId);
  const open = here.filter((ask) => ask.open);
  // A line about an earlier one does not come back.
  const closed = here.findLast((ask) => !ask.open);
  return { ask: open[0] ?? (closed && !closed.seen ? closed : null), more: Math.max(0, open.length - 1) };
}
