/**
 * The contents of the conversation and the queue: what the host has, plus what it may not have yet. Pure.
 * @import { Fault } from "../../protocol.js"
 * @import { Conversation } from "./conversation.js"
 * @import { MessageEntry, TurnEntry } from "./entries.js"
 * @import { Unsent } from "./outbox.js"
 */
import { bytesOf } from "./context.js";
import { runningTurn } from "./entries.js";

/**
 * @typedef {object} ShownMessage
 * @property {"shown-message"} kind
 * @property {string} key
 * @property {MessageEntry} message
 * @property {"" | "sending" | "away" | "failed"} note
 * @property {Fault | null} fault
 *
 * @typedef {object} PendingTurn  the dots, before the host has named the turn
 * @property {"pending"} kind
 * @property {string} key
 *
 * @typedef {MessageEntry | TurnEntry | ShownMessage | PendingTurn} Shown
 *
 * @typedef {object} QueueChip
 * @property {string} key
 * @property {string} clientId
 * @property {string} text
 * @property {boolean} sent  whether the host has it
 *
 * @typedef {{ entries: Shown[], queue: QueueChip[], paused: boolean }} Display  `paused`: the queue waits for a person
 */

/** @param {Unsent} unsent @param {ShownMessage["note"]} note @returns {ShownMessage} */
function bubble({ clientId, text, page, attachments, fault }, note) {
  /** @type {MessageEntry} */
  const message = {
    kind: "message",
    key: `message:${clientId}`,
    seq: Infinity,
    clientId,
    text,
    context: page?.selection ?? "",
    attachments: attachments.map(({ name, mime, data }) => ({ id: "", name, mime, bytes: bytesOf(data ?? "") })),
    from: "panel",
  };
  return { kind: "shown-message", key: message.key, message, note, fault };
}

/**
 * @param {Conversation} conversation
 * @param {Unsent[]} outbox
 * @param {boolean} connected
 * @returns {Display}
 */
export function displayed(conversation, outbox, connected) {
  const { entries, waiting } = conversation.view;
  const { conversationId } = conversation.info;
  // A branch may exist already, without its message.
  const mine = outbox.filter((each) => each.conversationId === conversationId || each.branch?.conversationId === conversationId);
  const failed = mine.filter(({ state }) => state === "failed").map((each) => bubble(each, "failed"));
  const open = mine.filter(({ state }) => state !== "failed");
  // The host has an acknowledged message, even if the connection was lost since.
  const away = connected ? [] : open.filter(({ state }) => state === "new").map((each) => bubble(each, "away"));
  const underWay = connected ? open : open.filter(({ state }) => state !== "new");
  const next = [
    ...waiting.map((message) => ({ message: /** @type {Shown} */ (message), clientId: message.clientId, text: message.text, sent: true })),
    ...underWay.map((each) => ({
      message: /** @type {Shown} */ (bubble(each, "sending")),
      clientId: each.clientId,
      text: each.text,
      sent: false,
    })),
  ];
  /** @type {Shown[]} */
  const shown = [...entries];
  const last = entries.at(-1);
  // After a turn that did not end well, the daemon continues only when told to.
  const ended = last?.kind === "turn" && last.done !== null && last.done.outcome !== "done" ? last.done.seq : 0;
  const paused = conversation.info.state === "idle" && waiting.some(({ seq }) => seq < ended);
  if (!paused && !runningTurn(conversation.view)) {
    const first = next.shift();
    if (first) shown.push(first.message, { kind: "pending", key: `turn:${first.clientId}` });
  }
  return {
    entries: [...shown, ...failed, ...away],
    queue: next.map(({ clientId, text, sent }) => ({ key: clientId, clientId, text, sent })),
    paused,
  };
}
