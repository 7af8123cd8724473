/**
 * The implementation of the panel's own slash commands.
 *
 * Owns the list with its texts and actions. `state/slash.js` decides which commands match the typed text.
 * @import { Panel } from "./drawer-actions.js"
 * @import { Drawer } from "./drawers.js"
 * @import { Command, OwnName } from "./state/slash.js"
 * @import { Source } from "./view/attach-menu.js"
 */
import { t } from "../shared/i18n.js";
import { attempt, exportConversation } from "./drawer-actions.js";
import { modelNamed } from "./state/model.js";
import { spanOf } from "./state/policy.js";
import { FOR_ONE_MESSAGE, OWN } from "./state/slash.js";
import { chosenAgent } from "./state/trouble.js";

/** @returns {Command[]} */
export function ownCommands() {
  return Object.entries({ ...OWN, ...FOR_ONE_MESSAGE }).map(([name, hint]) => ({
    name,
    about: t(`command_${name.replaceAll("-", "_")}`),
    hint,
    own: true,
  }));
}

/**
 * @typedef {object} Place  the parts of the panel that a command may change
 * @property {() => void} newChat
 * @property {() => void} stop
 * @property {(drawer: Drawer) => void} show
 * @property {() => void} showKeys
 * @property {() => void} chooseFolder
 * @property {() => void} chooseModel
 * @property {(source: Source) => void} attach
 */

/**
 * Runs a command and shows a failure in a toast.
 * @param {Panel} panel
 * @param {Place} place
 * @param {{ name: OwnName, argument: string }} command
 */
export async function runOwn(panel, place, { name, argument }) {
  const { store, chat, toast } = panel;
  const { conversation, agents } = store.state;
  const conversationId = conversation?.info.conversationId;
  switch (name) {
    case "new":
      return place.newChat();
    case "stop":
      return place.stop();
    case "stop-all":
      return toast.show(t("stoppedAll", await chat.control.stopAll()));
    case "history":
    case "settings":
      return place.show(name);
    case "help":
      return place.showKeys();
    case "export":
      if (conversationId) await exportConversation(panel, conversationId, argument.toLowerCase() === "json" ? "json" : "markdown");
      return;
    case "folder":
      return argument ? chat.control.setFolder(argument) : place.chooseFolder();
    case "model": {
      if (!argument) return place.chooseModel();
      const found = modelNamed(argument, chosenAgent(agents, conversation?.info ?? null));
      return found
        ? chat.control.choose(conversation?.info.agent ?? null, found.model, conversation?.info.mode ?? null)
        : toast.show(t("noSuchModel", argument));
    }
    case "rename":
      if (conversationId) await chat.control.rename(conversationId, argument);
      return;
    case "note": {
      if (!argument) return toast.show(t("noteEmpty"));
      const path = await chat.control.note(argument);
      return toast.show(path ? t("noteLeft", path) : t("sayNothing"));
    }
    case "unattended": {
      const minutes = spanOf(argument || "15m");
      return minutes === null ? toast.show(t("spanHint")) : chat.control.workUnattended(minutes);
    }
    case "page":
    case "selection":
    case "screenshot":
      return place.attach(name);
    case "pick":
      return place.attach("element");
  }
}

/** @param {Panel} panel @param {Place} place @param {{ name: OwnName, argument: string }} command */
export function runOwnSaying(panel, place, command) {
  void attempt(panel.toast, async () => runOwn(panel, place, command)).catch(() => {
    /* the toast shows it */
  });
}
