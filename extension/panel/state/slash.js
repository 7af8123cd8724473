/**
 * The commands that `/` offers: the panel's, the saved flows and the agent's, filtered by the typed text. Pure.
 * @import { AgentInfo, SlashCommand } from "../../protocol.js"
 */

/**
 * @typedef {object} Command
 * @property {string} name  without the slash
 * @property {string} about
 * @property {string} hint  the expected argument; empty if there is none
 * @property {boolean} own  a panel command: runs here and never reaches an agent
 *
 * @typedef {{ title: string, commands: Command[] }} Group
 */

/** The panel's own commands in order, with their arguments. */
export const OWN = /** @type {const} */ ({
  new: "",
  stop: "",
  "stop-all": "",
  history: "",
  settings: "",
  export: "markdown | json",
  folder: "path",
  model: "auto | fast | deep",
  rename: "title",
  page: "",
  selection: "",
  screenshot: "",
  pick: "",
  note: "text",
  unattended: "15m | 1h",
  help: "",
});

/** Message prefixes that the daemon reads: the model for that message alone. */
export const FOR_ONE_MESSAGE = /** @type {const} */ ({ fast: "…", deep: "…" });

/** @typedef {keyof typeof OWN} OwnName */

/**
 * Returns the typed part of a command name if the text before the caret is nothing else: `/re`. What follows it is the
 * message that was there before. Null if the text is a message.
 * @param {string} text
 * @param {number} [caret]
 * @returns {{ name: string, rest: string } | null}
 */
export function typedCommand(text, caret = text.length) {
  const found = /^\/([\w:.-]*)$/.exec(text.slice(0, caret));
  const rest = text.slice(caret);
  return found && /^(?:$|\s)/.test(rest) ? { name: found[1] ?? "", rest: rest.trimStart() } : null;
}

/**
 * Returns groups of matching commands: first those that start with the text, then those that contain it. The panel's group
 * is first, unless only others have a command that starts with the text. Of several with the same name, the one that
 * runs: the panel's, else the flow, else the agent's.
 * @param {string} typed
 * @param {Command[]} own
 * @param {AgentInfo | undefined} agent
 * @param {SlashCommand[]} flows
 * @param {string} flowsTitle
 * @returns {Group[]}
 */
export function offered(typed, own, agent, flows, flowsTitle) {
  const wanted = typed.toLowerCase();
  /** @param {Command[]} commands */
  const fitting = (commands) => {
    const begins = commands.filter(({ name }) => name.toLowerCase().startsWith(wanted));
    return [...begins, ...commands.filter((command) => !begins.includes(command) && command.name.toLowerCase().includes(wanted))];
  };
  /** @param {SlashCommand[]} commands @param {{ name: string }[]} before */
  const messages = (commands, before) =>
    commands
      .filter(({ name }) => !before.some((other) => other.name === name))
      .map(({ name, description, hint }) => ({ name, about: description ?? "", hint: hint ?? "", own: false }));
  const runs = messages(flows, own);
  const theirs = messages(agent?.commands ?? [], flows);
  const groups = [
    { title: "gstack", commands: fitting(own) },
    { title: flowsTitle, commands: fitting(runs) },
    { title: agent?.label ?? "", commands: fitting(theirs) },
  ].filter(({ commands }) => commands.length > 0);
  // Enter runs the first command, so that is one that starts with the text.
  const begins = (/** @type {Group} */ { commands }) => commands[0]?.name.toLowerCase().startsWith(wanted);
  return [...groups.filter(begins), ...groups.filter((group) => !begins(group))];
}

/**
 * Returns a panel command and its argument: `/folder ~/shop`. Null if the text is a message.
 * @param {string} text
 * @returns {{ name: OwnName, argument: string } | null}
 */
export function ownCommand(text) {
  const found = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const name = found?.[1] ?? "";
  return Object.hasOwn(OWN, name) ? { name: /** @type {OwnName} */ (name), argument: found?.[2]?.trim() ?? "" } : null;
}
