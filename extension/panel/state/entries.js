/**
 * From events to what is shown: messages, turns and what waits. Pure.
 *
 * A turn that did not change keeps its identity, so that the view can skip it.
 * Never sees a delta or a gap: `conversation.js` puts the events in order first.
 * @import { Attachment, ChatEvent } from "../../protocol.js"
 */

/**
 * @template {ChatEvent["type"]} T
 * @typedef {Extract<ChatEvent, { type: T }>} EventOf
 */

/**
 * @typedef {{ kind: "text" | "thinking", seq: number, text: string }} TextItem
 * @typedef {{ kind: "step", seq: number, at: number, step: EventOf<"step">, done: EventOf<"step-done"> | null }} StepItem
 * @typedef {{ kind: "approval", seq: number, at: number, ask: EventOf<"approval">, done: EventOf<"approval-done"> | null }} ApprovalItem
 * @typedef {{ kind: "notice", seq: number, text: string }} NoticeItem
 * @typedef {TextItem | StepItem | ApprovalItem | NoticeItem} Item
 *
 * @typedef {object} MessageEntry
 * @property {"message"} kind
 * @property {string} key
 * @property {string} clientId
 * @property {string} text
 * @property {Attachment[]} attachments
 * @property {"panel" | "terminal"} from
 *
 * @typedef {object} TurnEntry
 * @property {"turn"} kind
 * @property {string} key
 * @property {string} turnId
 * @property {string} clientId
 * @property {string} agentLabel
 * @property {string | null} model
 * @property {number} startedAt
 * @property {Item[]} items
 * @property {EventOf<"turn-done"> | null} done
 *
 * @typedef {MessageEntry | TurnEntry} Entry
 *
 * @typedef {object} Entries
 * @property {Entry[]} entries
 * @property {MessageEntry[]} waiting  messages whose turn has not begun, oldest first
 */

/** @type {Entries} */
export const NOTHING = { entries: [], waiting: [] };

/** The turn that runs now, if one does. @param {Entries} held @returns {TurnEntry | null} */
export function runningTurn({ entries }) {
  const last = entries.at(-1);
  return last?.kind === "turn" && !last.done ? last : null;
}

/** The approval that a person has not answered, if there is one. @param {TurnEntry | null} turn @returns {ApprovalItem | null} */
export function openApproval(turn) {
  const item = turn?.items.findLast((each) => each.kind === "approval");
  return item?.kind === "approval" && !item.done ? item : null;
}

/** @param {EventOf<"message">} event @returns {MessageEntry} */
function messageEntry({ clientId, text, attachments, from }) {
  return { kind: "message", key: `message:${clientId}`, clientId, text, attachments: attachments ?? [], from };
}

/**
 * Applies the next event.
 * @param {Entries} held
 * @param {ChatEvent} event
 * @returns {Entries}
 */
export function applyEvent(held, event) {
  switch (event.type) {
    case "message":
      return { ...held, waiting: [...held.waiting, messageEntry(event)] };
    case "message-removed":
      return { ...held, waiting: held.waiting.filter(({ clientId }) => clientId !== event.clientId) };
    case "turn-started":
      return startTurn(held, event);
    case "text":
    case "thinking":
      return addItem(held, event.turnId, { kind: event.type, seq: event.seq, text: event.text });
    case "step":
      return addItem(held, event.turnId, { kind: "step", seq: event.seq, at: event.at, step: event, done: null });
    case "approval":
      return addItem(held, event.turnId, { kind: "approval", seq: event.seq, at: event.at, ask: event, done: null });
    case "notice":
      return addItem(held, event.turnId, { kind: "notice", seq: event.seq, text: event.text });
    case "step-done":
      return changeItems(held, event.turnId, (item) =>
        item.kind === "step" && item.step.stepId === event.stepId ? { ...item, done: event } : item);
    case "approval-done":
      return changeItems(held, event.turnId, (item) =>
        item.kind === "approval" && item.ask.approvalId === event.approvalId ? { ...item, done: event } : item);
    case "turn-done":
      return changeTurn(held, event.turnId, (turn) => ({ ...turn, done: event, model: event.model ?? turn.model }));
    default:
      // A newer daemon may tell what this panel does not know.
      return held;
  }
}

/**
 * The text of an event grew.
 * @param {Entries} held
 * @param {string} turnId
 * @param {number} seq
 * @param {string} text  all of it
 * @returns {Entries}
 */
export function setText(held, turnId, seq, text) {
  return changeItems(held, turnId, (item) =>
    item.seq === seq && (item.kind === "text" || item.kind === "thinking") ? { ...item, text } : item);
}

/** @param {Entries} held @param {EventOf<"turn-started">} event @returns {Entries} */
function startTurn({ entries, waiting }, event) {
  const message = waiting.find(({ clientId }) => clientId === event.clientId);
  const again = entries.some((entry) => entry.kind === "turn" && entry.clientId === event.clientId);
  /** @type {TurnEntry} */
  const turn = {
    kind: "turn",
    // The first turn of a message takes the message's id: the view has shown it before the host named it.
    key: again ? `turn:${event.turnId}` : `turn:${event.clientId}`,
    turnId: event.turnId,
    clientId: event.clientId,
    agentLabel: event.agentLabel,
    model: event.model ?? null,
    startedAt: event.at,
    items: [],
    done: null,
  };
  return {
    entries: [...entries, ...(message ? [message] : []), turn],
    waiting: message ? waiting.filter((each) => each !== message) : waiting,
  };
}

/** @param {Entries} held @param {string} turnId @param {Item} item */
function addItem(held, turnId, item) {
  return changeTurn(held, turnId, (turn) => ({ ...turn, items: [...turn.items, item] }));
}

/** @param {Entries} held @param {string} turnId @param {(item: Item) => Item} change */
function changeItems(held, turnId, change) {
  return changeTurn(held, turnId, (turn) => ({ ...turn, items: turn.items.map(change) }));
}

/**
 * @param {Entries} held
 * @param {string} turnId
 * @param {(turn: TurnEntry) => TurnEntry} change
 * @returns {Entries}
 */
function changeTurn(held, turnId, change) {
  // Searched from the end: events are almost always about the newest turn.
  const index = held.entries.findLastIndex((entry) => entry.kind === "turn" && entry.turnId === turnId);
  const turn = held.entries[index];
  if (turn?.kind !== "turn") return held;
  return { ...held, entries: held.entries.with(index, change(turn)) };
}

/**
 * All entries of a run of events. Events of a turn whose beginning lies before the run show nothing:
 * they come with the page before it.
 * @param {ChatEvent[]} events
 * @returns {Entries}
 */
export function fold(events) {
  return events.reduce(applyEvent, NOTHING);
}
