/**
 * One conversation as the panel holds it: events in order without a gap, text that grows, what to re-read. Pure.
 *
 * Owns the rules of the wire: a held part of a delta is ignored, a gap asks for a re-read, a new epoch cuts back.
 * @import { ChatDelta, ChatEvent, ConversationInfo, HistoryPage, Subscribed } from "../../protocol.js"
 * @import { Entries } from "./entries.js"
 */
import { applyEvent, fold, NOTHING, runningTurn, setText } from "./entries.js";

/**
 * @typedef {object} Conversation
 * @property {ConversationInfo} info
 * @property {string | null} epoch  null until the first subscription was answered
 * @property {ChatEvent[]} events  oldest first, without gaps
 * @property {boolean} older  whether the daemon has events before the first held one
 * @property {Entries} view
 * @property {boolean} stale  something was missed: read again from {@link resumeAfter}
 */

/** @param {ConversationInfo} info @returns {Conversation} */
export function newConversation(info) {
  return { info, epoch: null, events: [], older: false, view: NOTHING, stale: false };
}

/** The number of the newest held event, 0 for none. @param {Conversation} held */
export function headOf({ events }) {
  return events.at(-1)?.seq ?? 0;
}

/**
 * After which event to read again: before the first text of the running turn that may have grown unseen.
 * @param {Conversation} held
 */
export function resumeAfter(held) {
  const turn = runningTurn(held.view);
  const growing = turn?.items.find((item) => item.kind === "text" || item.kind === "thinking");
  return growing ? growing.seq - 1 : headOf(held);
}

/**
 * The answer to `chat.subscribe {after}`.
 * @param {Conversation} held
 * @param {Subscribed} answer
 * @param {number} after  what was asked
 * @returns {Conversation}
 */
export function subscribed(held, { epoch, info, head, events, older }, after) {
  // What the daemon does not have (it died before it was written) or has told again is cut off here.
  const kept = older ? [] : held.events.filter(({ seq }) => seq <= after && seq <= head);
  const joined = [...kept, ...events];
  return {
    info,
    epoch,
    events: joined,
    older: kept.length > 0 ? held.older : older,
    view: fold(joined),
    stale: false,
  };
}

/**
 * An older page.
 * @param {Conversation} held
 * @param {HistoryPage} page
 * @returns {Conversation}
 */
export function prepended(held, { events, older }) {
  const first = held.events[0]?.seq ?? Infinity;
  const joined = [...events.filter(({ seq }) => seq < first), ...held.events];
  return { ...held, events: joined, older, view: fold(joined) };
}

/**
 * A pushed event.
 * @param {Conversation} held
 * @param {ChatEvent} event
 * @returns {Conversation}
 */
export function pushed(held, event) {
  const next = headOf(held) + 1;
  if (event.seq < next || held.epoch === null) return held;
  if (event.seq > next) return missed(held);
  return { ...held, events: [...held.events, event], view: applyEvent(held.view, event) };
}

/**
 * A pushed delta. Offsets are UTF-16 units, which is what JavaScript's strings count.
 * @param {Conversation} held
 * @param {Omit<ChatDelta, "conversationId">} delta
 * @returns {Conversation}
 */
export function grown(held, { seq, offset, text }) {
  if (held.epoch === null) return held;
  const index = seq - (held.events[0]?.seq ?? 0);
  const event = held.events[index];
  if (!event) return seq > headOf(held) ? missed(held) : held;
  if (event.type !== "text" && event.type !== "thinking") return held;
  if (offset > event.text.length) return missed(held);
  if (offset + text.length <= event.text.length) return held;
  const whole = event.text + text.slice(event.text.length - offset);
  return {
    ...held,
    events: held.events.with(index, { ...event, text: whole }),
    view: setText(held.view, event.turnId, seq, whole),
  };
}

/** Something was left out. @param {Conversation} held @returns {Conversation} */
export function missed(held) {
  return held.stale ? held : { ...held, stale: true };
}

/** What `chat.ack` says: the newest event, and how much of its text if it has any. @param {Conversation} held */
export function ackOf(held) {
  const last = held.events.at(-1);
  if (!last) return null;
  return {
    conversationId: held.info.conversationId,
    seq: last.seq,
    offset: last.type === "text" || last.type === "thinking" ? last.text.length : 0,
  };
}
