/**
 * The service worker's entry point: connects panels, tabs and pages to the single native port.
 *
 * Registers every listener here, synchronously at load: Chrome may stop the worker at any time and wakes it only for
 * events that it registered. Holds no state that must outlive the worker.
 * @import { Acting, ApprovalsWaiting, DriversShown, WorkingTab } from "./protocol.js"
 */
import { ApprovalNotices } from "./background/approval-notices.js";
import { hello } from "./background/instance.js";
import { faultOfLastError, mendsItself } from "./background/last-error.js";
import { NativeLink } from "./background/native-link.js";
import { PageMarks } from "./background/page-marks.js";
import { prove } from "./background/panel-key.js";
import { Panels } from "./background/panels.js";
import { Relay } from "./background/relay.js";
import { Reopened } from "./background/reopened.js";
import { TabGroups } from "./background/tab-groups.js";
import { TabReporter } from "./background/tab-reporter.js";
import { WelcomeWatch } from "./background/welcome-watch.js";
import { t } from "./shared/i18n.js";
import { SAID } from "./shared/fault-words.js";

const HOST = "io.gstack.host";
const PANEL_URL = chrome.runtime.getURL("sidepanel.html");

/** Until this resolves, a click on the action does nothing. */
const opensOnClick = chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true });

/** @type {NativeLink} */
const link = new NativeLink({
  open: () => chrome.runtime.connectNative(HOST),
  lossFault: (text) => faultOfLastError(text, t),
  lastError: () => chrome.runtime.lastError?.message,
  // Resolving `hello` therefore also means that the action opens the panel from now on.
  hello: () => opensOnClick.then(hello),
  prove,
  unconfirmed: (code) => ({
    code: "panel-unconfirmed",
    hop: "daemon",
    message: t("panelUnconfirmed"),
    words: SAID,
    hint: t("panelUnconfirmedHint"),
    command: `gstack panels confirm ${code}`,
  }),
  silent: {
    code: "timeout",
    hop: "daemon",
    message: t("daemonSilent"),
    words: SAID,
    hint: t("daemonSilentHint"),
    command: "gstack doctor",
  },
  retries: (fault) => panels.any || mendsItself(fault),
  onNotification: (message) => {
    // A live check of this hop. An echo that names a panel is for that panel to answer.
    if (message.method === "echo" && message.client == null) return link.notify("echoed", message.params);
    if (message.method?.startsWith("relay.")) return relay.message(message.method, message.params);
    // For this worker alone.
    if (message.method === "approvals.waiting") return notices.update(/** @type {ApprovalsWaiting} */ (message.params).waiting);
    panels.notification(message);
    if (message.method === "drivers.changed") groups.update(/** @type {DriversShown} */ (message.params));
    if (message.method === "tabs.working") marks.show(/** @type {{ tabs: WorkingTab[] }} */ (message.params).tabs);
    if (message.method === "tabs.acting") marks.acting(/** @type {Acting} */ (message.params));
  },
  onState: (state) => {
    if (state.status === "connected") tabs.all();
    if (state.status === "down") {
      marks.clear();
      notices.down();
      groups.down();
      relay.letGo();
    }
    panels.connection(state);
    welcome.check();
  },
});
const tabs = new TabReporter((params) => link.notify("tabs.changed", params));
const reopened = new Reopened((tabId) => tabs.restored(tabId));
const marks = new PageMarks();
const relay = new Relay({
  tell: (method, params) => link.notify(method, params),
  tabReported: (tabId) => {
    tabs.changed(tabId);
    return tabs.settled();
  },
});
/** @type {Panels} */
const panels = new Panels({
  link,
  tabsReported: () => tabs.settled(),
  asked: (method, params) => marks.asked(method, params),
  onChange: () => {
    welcome.check();
    void notices.look();
  },
  keyboard: (address) => relay.keyboard.at(address),
});
const notices = new ApprovalNotices((windowId) => panels.inWindow(windowId));
const groups = new TabGroups();
const welcome = new WelcomeWatch((windowId) => link.state.status === "connected" && panels.inWindow(windowId));

chrome.runtime.onConnect.addListener((port) => {
  // Content scripts run in pages that we do not trust, so only our own page may act as a panel.
  if (port.name === "panel" && port.sender?.url?.startsWith(PANEL_URL)) {
    panels.add(port);
    link.connect();
  } else if (port.name === "welcome") {
    welcome.add(port);
  } else if (port.name === "marks") {
    marks.add(port);
  } else {
    port.disconnect();
  }
});

chrome.runtime.onMessage.addListener((message, sender) => {
  // The click on the pill or the welcome page is the user gesture that Chrome requires.
  if (message?.type === "open-panel" && sender.tab) void chrome.sidePanel.open({ windowId: sender.tab.windowId });
  if (message?.type === "suggest" && sender.tab && sender.url?.startsWith("http://127.0.0.1:")) {
    void chrome.sidePanel.open({ windowId: sender.tab.windowId });
    panels.suggest(sender.tab.windowId, Number(message.number));
  }
});

chrome.storage.local.onChanged.addListener((changes) => marks.chosen(changes));
chrome.debugger.onEvent.addListener((source, method, params) => relay.event(source, method, params));
chrome.debugger.onDetach.addListener((source, reason) => void relay.detached(source, reason));
chrome.webNavigation.onCreatedNavigationTarget.addListener(({ tabId, sourceTabId }) => tabs.opened(tabId, sourceTabId));
chrome.tabs.onCreated.addListener((tab) => {
  tabs.changed(tab.id);
  reopened.made(tab);
});
chrome.sessions.onChanged.addListener(() => reopened.look());
chrome.tabs.onUpdated.addListener((tabId, change) => {
  tabs.changed(tabId);
  if (change.status) marks.loaded(tabId);
});
chrome.tabs.onActivated.addListener(({ windowId }) => {
  void tabs.windowChanged(windowId);
  void notices.look();
});
chrome.tabs.onRemoved.addListener((tabId) => {
  tabs.removed(tabId);
  reopened.gone(tabId);
  marks.closed(tabId);
});
chrome.tabs.onAttached.addListener((_tabId, { newWindowId }) => void tabs.windowChanged(newWindowId));
chrome.tabs.onReplaced.addListener((added, removed) => tabs.replaced(added, removed));
chrome.windows.onFocusChanged.addListener((windowId) => {
  if (windowId === chrome.windows.WINDOW_ID_NONE) return;
  void tabs.windowChanged(windowId);
  void notices.look();
});

let hearsClicks = false;
/** Listens for clicks on notifications, which Chrome offers once the person has granted the permission. */
function hearClicks() {
  if (hearsClicks || !chrome.notifications) return;
  hearsClicks = true;
  chrome.notifications.onClicked.addListener((key) => void notices.clicked(key));
}
hearClicks();
const permissionsChanged = () => {
  hearClicks();
  void notices.look();
  void groups.look();
};
chrome.permissions.onAdded.addListener(permissionsChanged);
chrome.permissions.onRemoved.addListener(permissionsChanged);
// The listeners below only wake the worker, so that the port opens when the browser starts.
chrome.runtime.onStartup.addListener(() => link.connect());
chrome.runtime.onInstalled.addListener(() => link.connect());

link.connect();
reopened.look();
