/**
 * The drawers' requests to the daemon and to the panel.
 *
 * Owns the requests behind each button of a drawer. Draws nothing.
 * @import { ConversationInfo, ExportFormat, Picked, PolicyRule } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 * @import { Files } from "./files.js"
 * @import { Pick } from "./pick.js"
 * @import { PanelStore, TabConversation } from "./tab-conversation.js"
 * @import { Toast } from "./view/toast.js"
 */
import { faultOf } from "../shared/fault.js";
import { t } from "../shared/i18n.js";
import { download } from "./download.js";
import { newerExtension } from "./state/panel-state.js";
import { readPermissions, setPermission } from "./optional-permissions.js";
import { readMarks, setMarks } from "./page-marks.js";
import { readTextSize, setTextSize } from "./text-size.js";
import { readTheme, setTheme } from "./theme.js";

/** A hop that does not answer within this time counts as down. */
const PING_LIMIT_MS = 5000;

/**
 * @typedef {object} Compose  the ways in which a drawer may write to the composer
 * @property {(text: string) => void} insert  inserts text at the caret
 * @property {(picked: Picked) => void} element  inserts the element as a chip
 *
 * @typedef {object} Panel
 * @property {PanelStore} store
 * @property {TabConversation} chat
 * @property {Connection} connection
 * @property {Files} files
 * @property {Toast} toast
 * @property {Pick} pick
 */

/**
 * Runs the work and shows its failure in a toast.
 * @template T
 * @param {Toast} toast
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function attempt(toast, work) {
  try {
    return await work();
  } catch (error) {
    const { message, hint } = faultOf(error);
    toast.show(hint ? `${message} ${hint}` : message);
    throw error;
  }
}

/**
 * Exports a conversation as a file for the person.
 * @param {Panel} panel
 * @param {string} conversationId
 * @param {ExportFormat} format
 */
export async function exportConversation({ connection, files, toast }, conversationId, format) {
  await attempt(toast, async () => {
    const file = await connection.request("conversations.export", { conversationId, format });
    await download(files, conversationId, file);
    toast.show(t("exported", file.name));
  });
}

/**
 * Returns the conversations of every page of the list.
 * @param {Panel["connection"]} connection
 * @param {string | null} search
 */
async function allConversations(connection, search) {
  const all = await connection.request("conversations.list", { search });
  for (let page = all; page.older && page.conversations.length > 0; ) {
    const { updatedAt, conversationId } = page.conversations[page.conversations.length - 1];
    page = await connection.request("conversations.list", { search, before: { updatedAt, conversationId } });
    all.conversations.push(...page.conversations);
    all.excerpts = { ...all.excerpts, ...page.excerpts };
  }
  return all;
}

/** @param {Panel} panel @param {() => void} close */
export function historyActions(panel, close) {
  const { store, chat, connection, toast } = panel;
  return {
    /** @param {string | null} search */
    list: (search) => allConversations(connection, search),
    /** @param {ConversationInfo} info */
    open: (info) => {
      close();
      const tab = store.state.tabs.find(({ conversationId }) => conversationId === info.conversationId);
      // A conversation that still has its tab is shown there, where it can continue.
      if (tab)
        void chrome.tabs.update(tab.chromeTabId, { active: true }).then(() => chrome.windows.update(tab.windowId, { focused: true }));
      else void chat.read(info);
    },
    /** @param {ConversationInfo} info @param {string} title */
    rename: (info, title) => attempt(toast, () => chat.control.rename(info.conversationId, title)),
    /** @param {ConversationInfo} info @param {ExportFormat} format */
    save: (info, format) =>
      exportConversation(panel, info.conversationId, format).catch(() => {
        /* the toast shows it */
      }),
    /** @param {ConversationInfo} info @param {() => void} restored */
    remove: async (info, restored) => {
      await attempt(toast, () => chat.control.remove(info.conversationId));
      const undo = () =>
        void attempt(toast, () => chat.control.restore(info.conversationId)).then(restored, () => {
          /* the toast shows it */
        });
      toast.show(t("deleted", info.title || t("untitled")), { label: t("undo"), onclick: undo });
    },
  };
}

/** @param {Panel} panel */
export function settingsActions({ store, chat, connection }) {
  return {
    read: () => connection.request("settings.get", {}),
    /** @param {string} name @param {import("../protocol.js").SettingValue | null} value */
    set: (name, value) => connection.request("settings.set", { name, value }),
    policy: () => chat.control.readPolicy(),
    /** @param {PolicyRule} rule */
    takeBack: (rule) => chat.control.removeRule(rule.id),
    theme: readTheme,
    textSize: readTextSize,
    setTextSize,
    setTheme,
    permissions: readPermissions,
    setPermission,
    marks: readMarks,
    setMarks,
    versions: () => {
      const newer = newerExtension(store.state, chrome.runtime.getManifest().version);
      return { daemon: store.state.connection.welcome?.version ?? "", newer: newer?.version ?? "", mayReload: newer?.mayReload ?? false };
    },
    reload: () => chrome.runtime.reload(),
  };
}

/** @param {Panel} panel */
export function connectionActions({ store, connection, toast }) {
  return {
    pingBackground: async () => {
      const began = performance.now();
      await connection.request("local.ping", {}, { limitMs: PING_LIMIT_MS });
      return performance.now() - began;
    },
    hops: async () => (await connection.request("hops", {}, { limitMs: PING_LIMIT_MS })).hops,
    state: () => store.state.connection,
    reconnect: () => connection.notify("local.retry", {}),
    /** @param {string} text */
    copy: async (text) => {
      await navigator.clipboard.writeText(text);
      toast.show(t("reportCopied"));
    },
  };
}
