/**
 * What `/` offers: the panel's own commands and the agent's, and which of them fit what was typed. Pure.
 * @import { AgentInfo } from "../../protocol.js"
 */

/**
 * @typedef {object} Command
 * @property {string} name  without the slash
 * @property {string} about
 * @property {string} hint  what may follow it; empty for nothing
 * @property {boolean} own  the panel's: runs here and never reaches an agent
 *
 * @typedef {{ title: string, commands: Command[] }} Group
 */

/** The panel's own commands in their order, and what may follow them. */
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

/** Beginnings of a message that the daemon reads: the model for that message alone. */
export const FOR_ONE_MESSAGE = /** @type {const} */ ({ fast: "…", deep: "…" });

/** @typedef {keyof typeof OWN} OwnName */

/**
 * The part of a text that names a command: `/re` of a text that is nothing else. Null where the text is a message.
 * @param {string} text
 */
export function typedCommand(text) {
  const found = /^\/([\w:.-]*)$/.exec(text);
  return found ? (found[1] ?? "") : null;
}

/**
 * Groups of commands that fit: those that begin with it, then those that hold it; the agent's first.
 * @param {string} typed
 * @param {Command[]} own
 * @param {AgentInfo | undefined} agent
 * @returns {Group[]}
 */
export function offered(typed, own, agent) {
  const wanted = typed.toLowerCase();
  /** @param {Command[]} commands */
  const fitting = (commands) => {
    const begins = commands.filter(({ name }) => name.toLowerCase().startsWith(wanted));
    return [...begins, ...commands.filter((command) => !begins.includes(command) && command.name.toLowerCase().includes(wanted))];
  };
  const theirs = (agent?.commands ?? []).map(({ name, description, hint }) => ({
    name,
    about: description ?? "",
    hint: hint ?? "",
    own: false,
  }));
  return [
    { title: agent?.label ?? "", commands: fitting(theirs) },
    { title: "gstack", commands: fitting(own) },
  ].filter(({ commands }) => commands.length > 0);
}

/**
 * A command of the panel's with what follows it: `/folder ~/shop`. Null for everything that is a message.
 * @param {string} text
 * @returns {{ name: OwnName, argument: string } | null}
 */
export function ownCommand(text) {
  const found = /^\/([a-z-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
  const name = found?.[1] ?? "";
  return Object.hasOwn(OWN, name) ? { name: /** @type {OwnName} */ (name), argument: found?.[2]?.trim() ?? "" } : null;
}
