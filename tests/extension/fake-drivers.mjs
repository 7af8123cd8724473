/**
 * The MCP clients of a fake host: who leases the tab in view, and the approvals that they wait for.
 *
 * Owns their list and tells it as the daemon does: at each panel that opens, and after each change.
 */

const WORK = { name: "cursor (work)", client: "cursor", label: "work" };
/** Names that a client may send; the daemon makes control and bidirectional characters visible and cuts the length. */
const HOSTILE = "<img src=x onerror=made()>⟨U+202E⟩ a…";

/** A click that submits a form, as the daemon describes it. */
const order = (id, more = {}) => ({
  conversationId: "driver-1",
  approvalId: id,
  driver: WORK.name,
  tabId: 1,
  ask: "Click “Place order”",
  phrase: { code: "click_sel", values: ["Place order"] },
  site: "shop.example",
  does: "click @e9",
  why: null,
  action: {
    command: "click @e9",
    scope: "submit",
    submits: true,
    element: { target: "@e9", role: "button", name: "Place order", document: "d1" },
    destination: "https://shop.example/order",
  },
  kind: "act",
  choices: ["allow-once", "allow-site", "allow-conversation", "deny"],
  ...more,
});

/** @param {string} kind  a scenario's list @param {any} tab  the tab in view */
export function clientsOf(kind, tab) {
  const here = { chromeTabId: tab.chromeTabId, windowId: tab.windowId, title: tab.title };
  const lease = (driver) => ({ tabId: 1, chromeTabId: tab.chromeTabId, driver });
  switch (kind) {
    case "one":
      return { leases: [lease(WORK)], approvals: [{ approval: order("one"), from: WORK, tab: here, inView: true }] };
    case "working":
      return { leases: [lease(WORK)], approvals: [] };
    case "taken":
      return { leases: [], approvals: [], paused: [{ tabId: 1, chromeTabId: tab.chromeTabId, worker: WORK.name }] };
    case "several": {
      const fill = order("two", {
        ask: "Fill “Town”",
        phrase: { code: "fill_sel", values: ["Town"] },
        does: 'fill @e2 "Grasmere"',
        action: {
          command: 'fill @e2 "Grasmere"',
          scope: "act",
          text: "Grasmere",
          element: { target: "@e2", role: "textbox", name: "Town", document: "d1" },
        },
      });
      // The last one belongs to a tab that another panel shows.
      const other = { ...here, chromeTabId: tab.chromeTabId + 1000, title: "Elsewhere" };
      return {
        leases: [lease(WORK)],
        approvals: [
          { approval: fill, from: WORK, tab: here, inView: true },
          { approval: order("one"), from: WORK, tab: here, inView: true },
          { approval: order("three"), from: WORK, tab: other, inView: true },
        ],
      };
    }
    case "elsewhere": {
      const from = { name: HOSTILE, client: HOSTILE };
      const other = { ...here, chromeTabId: tab.chromeTabId + 1000, title: "<b>Orders</b> \u202e" };
      const asked = order("one", {
        driver: HOSTILE,
        ask: "Work in tab 7",
        phrase: undefined,
        does: "lease 7",
        choices: ["allow-once", "deny"],
      });
      return { leases: [], approvals: [{ approval: { ...asked, action: { command: "lease 7" } }, from, tab: other, inView: false }] };
    }
  }
}

/** @param {{ scenario: any, post: (message: any) => void, log: (...words: any[]) => void, tabs: () => any[], fault: any }} of */
export function fakeDrivers({ scenario, post, log, tabs, fault }) {
  let shown = null;
  const list = () => {
    const tab = tabs().find(({ active }) => active);
    if (scenario.clients && tab) shown ??= clientsOf(scenario.clients, tab);
    return shown ?? { leases: [], approvals: [] };
  };
  const tell = () => post({ method: "drivers.changed", params: list() });
  const close = (approvalId, decision, by) => {
    shown = { ...list(), approvals: list().approvals.filter(({ approval }) => approval.approvalId !== approvalId) };
    post({ method: "drivers.answered", params: { approvalId, decision, by } });
    tell();
  };
  return {
    tell: () => scenario.clients && tell(),
    has: (approvalId) => list().approvals.some(({ approval }) => approval.approvalId === approvalId),
    answer({ approvalId, decision, text }) {
      log("answered", JSON.stringify({ approvalId, decision, text }));
      close(approvalId, decision, "panel");
      return {};
    },
    methods: {
      "drivers.release": ({ chromeTabId }) => {
        log("released", chromeTabId);
        if (!list().leases.some((lease) => lease.chromeTabId === chromeTabId)) throw fault("not-found", "no driver leases the tab");
        shown = { ...list(), leases: [] };
        for (const { approval } of list().approvals) close(approval.approvalId, "deny", "withdrawn");
        tell();
        return {};
      },
    },
  };
}
