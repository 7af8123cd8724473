/**
 * The panel's copy of one conversation: events in order without a gap, growing text, and what to read again. Pure.
 *
 * Owns the rules of the wire: ignores the known part of a delta, reads again after a gap, and truncates on a new epoch.
 * @import { ChatDelta, ChatEvent, ConversationInfo, HistoryPage, Subscribed } from "../../protocol.js"
 * @import { Entries } from "./entries.js"
 */
import { applyEvent, fold, NOTHING, runningTurn, setText } from "./entries.js";

/**
 * @typedef {object} Conversation
 * @property {ConversationInfo} info
 * @property {string | null} epoch  null until the first subscription is answered
 * @property {ChatEvent[]} events  oldest first, without gaps
 * @property {boolean} older  whether the daemon has events before the first one here
 * @property {Entries} view
 * @property {boolean} stale  events were missed: read again from {@link resumeAfter}
 * @property {string | null} insteadOf  the deleted conversation whose place it took in its tab
 */

/** A conversation of more events than this may drop its oldest, and keeps this many. */
const MOST = 3000;
const KEPT = 1500;

/** @param {ConversationInfo} info @returns {Conversation} */
export function newConversation(info) {
  return { info, epoch: null, events: [], older: false, view: NOTHING, stale: false, insteadOf: null };
}

/** Returns the number of the newest event, 0 if there is none. @param {Conversation} held */
export function headOf({ events }) {
  return events.at(-1)?.seq ?? 0;
}

/**
 * Returns the event after which to read again: before the first text of the running turn that may have grown unseen.
 * @param {Conversation} held
 */
export function resumeAfter(held) {
  const turn = runningTurn(held.view);
  const growing = turn?.items.find((item) => item.kind === "text" || item.kind === "thinking");
  return growing ? growing.seq - 1 : headOf(held);
}

/**
 * Applies the answer to `chat.subscribe {after}`.
 * @param {Conversation} held
 * @param {Subscribed} answer
 * @param {number} after  the `after` of the request
 * @returns {Conversation}
 */
export function subscribed(held, { epoch, info, head, events, older }, after) {
  // Drops events that the daemon lacks (it died before writing them) or has sent again.
  const kept = older ? [] : held.events.filter(({ seq }) => seq <= after && seq <= head);
  const joined = [...kept, ...events];
  return {
    info,
    epoch,
    events: joined,
    older: kept.length > 0 ? held.older : older,
    view: fold(joined),
    stale: false,
    insteadOf: held.insteadOf,
  };
}

/**
 * Adds an older page.
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
 * Drops the oldest events of a long conversation, from a message on; the daemon has them. For a view that shows the
 * end. Changes nothing while a turn runs or a message waits, because they may have begun in the dropped part.
 * @param {Conversation} held
 * @returns {Conversation}
 */
export function shortened(held) {
  const { events, view } = held;
  if (events.length <= MOST || held.stale || runningTurn(view) || view.waiting.length > 0) return held;
  const from = events.findIndex(({ type }, index) => type === "message" && index >= events.length - KEPT);
  if (from === -1) return held;
  const kept = events.slice(from);
  return { ...held, events: kept, older: true, view: fold(kept) };
}

/**
 * Applies a pushed event.
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
 * Applies a pushed delta. Offsets are UTF-16 units, like JavaScript's string indexes.
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

/** Marks the conversation as incomplete after a gap. @param {Conversation} held @returns {Conversation} */
export function missed(held) {
  return held.stale ? held : { ...held, stale: true };
}

/**
 * Returns the parameters of `chat.ack`: the newest event, and the length of its text if it has any.
 * @param {Conversation} held
 */
export function ackOf(held) {
  const last = held.events.at(-1);
  if (!last) return null;
  return {
    conversationId: held.info.conversationId,
    seq: last.seq,
    offset: last.type === "text" || last.type === "thinking" ? last.text.length : 0,
  };
}
