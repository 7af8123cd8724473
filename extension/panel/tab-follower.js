/**
 * Follows the tab in view of this panel's window through Chrome's events. Ignores tabs of other windows.
 * @import { TabView } from "./state/panel-state.js"
 */

/**
 * @param {number} windowId
 * @param {(tab: TabView) => void} onTab  also called when the title or URL of the tab in view changes
 */
export async function followTab(windowId, onTab) {
  let inView = chrome.tabs.TAB_ID_NONE;

  /** @param {chrome.tabs.Tab | undefined} tab */
  const tell = (tab) => {
    if (tab?.id === undefined || tab.windowId !== windowId || !tab.active) return;
    inView = tab.id;
    onTab({ chromeTabId: tab.id, title: tab.title ?? "", url: tab.url ?? tab.pendingUrl ?? "" });
  };
  const look = async () => tell((await chrome.tabs.query({ active: true, windowId }))[0]);

  chrome.tabs.onActivated.addListener((info) => {
    if (info.windowId === windowId) void look();
  });
  chrome.tabs.onUpdated.addListener((tabId, change, tab) => {
    if (tabId === inView && (change.title !== undefined || change.url !== undefined)) tell(tab);
  });
  chrome.tabs.onReplaced.addListener((_added, removed) => {
    if (removed === inView) void look();
  });
  await look();
}
