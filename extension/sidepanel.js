/**
 * The side panel's entry point: creates the parts, connects them to the store and draws once per frame. Owns no logic:
 * state is in `panel/state`, requests in `panel/tab-conversation.js`, nodes in `panel/view`.
 */
import { locale, t } from "./shared/i18n.js";
import { PanelApp } from "./panel/app.js";
import { Connection } from "./panel/connection.js";
import { setLanguage } from "./panel/format.js";
import { keepUnsent, restoreUnsent } from "./panel/storage.js";
import { TabConversation } from "./panel/tab-conversation.js";
import { INITIAL, reduce } from "./panel/state/panel-state.js";
import { createStore } from "./panel/store.js";
import { followTextSize } from "./panel/text-size.js";
import { followTheme } from "./panel/theme.js";
import { followTab } from "./panel/tab-follower.js";
import { loadIcons } from "./panel/view/icons.js";
import { SAID } from "./shared/fault-words.js";

await Promise.all([followTheme(), followTextSize(), loadIcons()]);
// The catalogue defines the direction of its language.
document.documentElement.lang = t("language");
setLanguage(locale());
document.documentElement.dir = t("direction");

const store = createStore(reduce, INITIAL);
const { id: windowId } = await chrome.windows.getCurrent();

/** @type {import("./protocol.js").Fault} */
const lost = { code: "daemon-down", hop: "background", message: t("backgroundLost"), words: SAID, hint: t("backgroundLostHint") };
const connection = new Connection({
  open: () => chrome.runtime.connect({ name: "panel" }),
  onMessage: (message) => chat.receive(message),
  onOpen: () => {
    if (windowId !== undefined) connection.notify("panel.opened", { windowId });
  },
  onLost: (again) => chat.lost(again ? lost : null),
  lost,
  late: { code: "timeout", hop: "daemon", message: t("late"), words: SAID },
});
const chat = new TabConversation(connection, store);

store.dispatch({ type: "restored", outbox: await restoreUnsent() });
let { outbox } = store.state;
store.subscribe((state) => {
  if (state.outbox === outbox) return;
  keepUnsent(outbox, state.outbox);
  outbox = state.outbox;
});

new PanelApp({ store, chat, connection });
connection.connect();
if (windowId !== undefined) await followTab(windowId, (tab) => chat.follow(tab));
