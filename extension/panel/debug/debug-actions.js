/**
 * The debug drawer's requests to the daemon.
 *
 * Owns the requests behind the drawer's tabs. Draws nothing.
 * @import { Compose, Panel } from "../drawer-actions.js"
 * @import { DebugActions } from "./debug-drawer.js"
 */
import { connectionActions } from "../drawer-actions.js";
import { FaultError } from "../../shared/fault.js";
import { t } from "../../shared/i18n.js";
import { SAID } from "../../shared/fault-words.js";

/** @param {Panel} panel @param {Compose} compose @returns {Omit<DebugActions, "close" | "onTab">} */
export function debugActions(panel, compose) {
  const { store, connection, toast, pick } = panel;
  /** The tab whose page carries our drawing. It is removed there, whichever tab is in view by then. */
  let drawnIn = 0;
  const tabInView = () => {
    const { tab } = store.state;
    if (!tab) throw new FaultError({ code: "not-found", message: t("noTab"), words: SAID });
    return tab.chromeTabId;
  };
  /** @param {string} command @param {string[]} args */
  const run = (command, args) => connection.request("command.run", { chromeTabId: tabInView(), command, args });
  return {
    follow: async () => {
      const { entries, gap } = await connection.request("activity.subscribe", { after: 0 });
      return { entries, gap };
    },
    unfollow: () =>
      void connection.request("activity.unsubscribe", {}).catch(() => {
        /* the connection ended it */
      }),
    saveActivity: (text) => save("gstack-activity.jsonl", "application/jsonl", text),
    refs: {
      list: async () => (await connection.request("refs.list", { chromeTabId: tabInView() })).refs,
      snapshot: async () => void (await run("snapshot", ["-i", "-C"])),
      show: async (show) => {
        const chromeTabId = show ? tabInView() : drawnIn;
        if (show && drawnIn !== 0 && drawnIn !== chromeTabId)
          await connection.request("refs.show", { chromeTabId: drawnIn, show: false }).catch(() => {
            /* the tab was closed */
          });
        drawnIn = show ? chromeTabId : 0;
        if (chromeTabId !== 0) await connection.request("refs.show", { chromeTabId, show });
      },
      highlight: async (ref) => void (await connection.request("refs.highlight", { chromeTabId: tabInView(), ...(ref ? { ref } : {}) })),
      insert: (ref) => compose.insert(ref),
    },
    inspector: {
      pick: () => pick.start(tabInView()),
      inspect: async (ref) => (await run("inspect", [ref, "--all"])).data,
      change: async (ref, property, value) => void (await run("style", [ref, property, value])),
      undo: async () => void (await run("style", ["--undo"])),
      send: (picked) => compose.element(picked),
      say: (words) => toast.show(words),
    },
    connection: connectionActions(panel),
  };
}

/** @param {string} name @param {string} type @param {string} text */
function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Once the click is handled, the download keeps its own reference to the Blob.
  setTimeout(() => URL.revokeObjectURL(url));
}
