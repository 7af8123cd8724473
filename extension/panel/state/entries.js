/**
 * Turns events into what is shown: messages, turns and waiting messages. Pure.
 *
 * An unchanged turn keeps its identity, so that the view can skip it. Never sees a delta or a gap: `conversation.js`
 * orders the events first.
 * @import { Attachment, ChatEvent, FaultWords, PlanEntry } from "../../protocol.js"
 */
import { agentLabel } from "./agent-label.js";

/**
 * @template {ChatEvent["type"]} T
 * @typedef {Extract<ChatEvent, { type: T }>} EventOf
 */

/**
 * @typedef {{ kind: "text" | "thinking", seq: number, text: string }} TextItem
 * @typedef {{ kind: "step", seq: number, at: number, step: EventOf<"step">, done: EventOf<"step-done"> | null }} StepItem
 * @typedef {{ kind: "approval", seq: number, at: number, ask: EventOf<"approval">, done: EventOf<"approval-done"> | null }} ApprovalItem
 * @typedef {{ kind: "question", seq: number, at: number, ask: EventOf<"question">, done: EventOf<"question-done"> | null }} QuestionItem
 * @typedef {{ kind: "plan", seq: number, entries: PlanEntry[] }} PlanItem  one per turn: a new plan replaces the
 * previous one
 * @typedef {{ kind: "notice", seq: number, text: string, words?: FaultWords | null }} NoticeItem
 * @typedef {TextItem | StepItem | ApprovalItem | QuestionItem | PlanItem | NoticeItem} Item
 *
 * @typedef {object} MessageEntry
 * @property {"message"} kind
 * @property {string} key
 * @property {number} seq  Infinity until the host assigns it
 * @property {string} clientId
 * @property {string} text
 * @property {Attachment[]} attachments
 * @property {string} context  the part of the page that went with it; empty if none
 * @property {"panel" | "terminal"} from
 *
 * @typedef {object} TurnEntry
 * @property {"turn"} kind
 * @property {string} key
 * @property {string} turnId
 * @property {string} clientId
 * @property {string} agentLabel
 * @property {string | null} model
 * @property {boolean} direct  whether it runs without a model
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

/** Returns the running turn, if any. @param {Entries} held @returns {TurnEntry | null} */
export function runningTurn({ entries }) {
  const last = entries.at(-1);
  return last?.kind === "turn" && !last.done ? last : null;
}

/**
 * Returns the newest unanswered approval or question, if any.
 * @param {TurnEntry | null} turn
 * @returns {ApprovalItem | QuestionItem | null}
 */
export function openAsk(turn) {
  if (!turn || turn.done) return null;
  const item = turn.items.findLast((each) => (each.kind === "approval" || each.kind === "question") && !each.done);
  return item?.kind === "approval" || item?.kind === "question" ? item : null;
}

/**
 * How lists change. A pushed event copies them, so that drawn entries keep their identity. A batch of events modifies
 * them in place: otherwise thousands of events would each copy thousands of entries.
 * @typedef {object} Lists
 * @property {<T>(list: T[], item: T) => T[]} push
 * @property {<T>(list: T[], index: number, item: T) => T[]} set
 * @property {<T>(list: T[], index: number) => T[]} drop
 */

/** @type {Lists} */
const COPIED = {
  push: (list, item) => [...list, item],
  set: (list, index, item) => list.with(index, item),
  drop: (list, index) => list.toSpliced(index, 1),
};

/** @type {Lists} */
const IN_PLACE = {
  push: (list, item) => (list.push(item), list),
  set: (list, index, item) => ((list[index] = item), list),
  drop: (list, index) => (list.splice(index, 1), list),
};

/** @param {EventOf<"message">} event @returns {MessageEntry} */
function messageEntry({ seq, clientId, text, attachments, page, from }) {
  return {
    kind: "message",
    key: `message:${clientId}`,
    seq,
    clientId,
    text,
    attachments: attachments ?? [],
    context: page?.selection ?? "",
    from,
  };
}

/**
 * Applies the next event.
 * @param {Entries} held
 * @param {ChatEvent} event
 * @param {Lists} [lists]
 * @returns {Entries}
 */
export function applyEvent(held, event, lists = COPIED) {
  switch (event.type) {
    case "message":
      return { ...held, waiting: lists.push(held.waiting, messageEntry(event)) };
    case "message-removed": {
      const index = held.waiting.findIndex(({ clientId }) => clientId === event.clientId);
      return index === -1 ? held : { ...held, waiting: lists.drop(held.waiting, index) };
    }
    case "queue-ordered": {
      const place = new Map(event.clientIds.map((clientId, index) => [clientId, index]));
      const at = (/** @type {MessageEntry} */ { clientId }) => place.get(clientId) ?? place.size;
      return { ...held, waiting: held.waiting.toSorted((one, other) => at(one) - at(other)) };
    }
    case "turn-started":
      return startTurn(held, event, lists);
    case "text":
    case "thinking":
      return addItem(held, event.turnId, { kind: event.type, seq: event.seq, text: event.text }, lists);
    case "step":
      return addItem(held, event.turnId, { kind: "step", seq: event.seq, at: event.at, step: event, done: null }, lists);
    case "approval":
      return addItem(held, event.turnId, { kind: "approval", seq: event.seq, at: event.at, ask: event, done: null }, lists);
    case "question":
      return addItem(held, event.turnId, { kind: "question", seq: event.seq, at: event.at, ask: event, done: null }, lists);
    case "notice":
      return addItem(held, event.turnId, { kind: "notice", seq: event.seq, text: event.text, words: event.words }, lists);
    case "plan":
      return changeTurn(
        held,
        event.turnId,
        (turn) => {
          const before = turn.items.findIndex(({ kind }) => kind === "plan");
          /** @type {PlanItem} */
          const plan = { kind: "plan", seq: turn.items[before]?.seq ?? event.seq, entries: event.entries };
          return { ...turn, items: before === -1 ? lists.push(turn.items, plan) : lists.set(turn.items, before, plan) };
        },
        lists,
      );
    case "step-done":
      return changeItem(
        held,
        event.turnId,
        (item) => item.kind === "step" && item.step.stepId === event.stepId,
        (item) => ({ .../** @type {StepItem} */ (item), done: event }),
        lists,
      );
    case "step-updated":
      return changeItem(
        held,
        event.turnId,
        (item) => item.kind === "step" && item.step.stepId === event.stepId,
        (item) => updatedStep(/** @type {StepItem} */ (item), event),
        lists,
      );
    case "approval-done":
      return changeItem(
        held,
        event.turnId,
        (item) => item.kind === "approval" && item.ask.approvalId === event.approvalId,
        (item) => ({ .../** @type {ApprovalItem} */ (item), done: event }),
        lists,
      );
    case "question-done":
      return changeItem(
        held,
        event.turnId,
        (item) => item.kind === "question" && item.ask.questionId === event.questionId,
        (item) => ({ .../** @type {QuestionItem} */ (item), done: event }),
        lists,
      );
    case "turn-done":
      return changeTurn(held, event.turnId, (turn) => ({ ...turn, done: event, model: event.model ?? turn.model }), lists);
    default:
      // A newer daemon may send events that this panel does not know.
      return held;
  }
}

/** Updates a step. @param {StepItem} item @param {EventOf<"step-updated">} event @returns {StepItem} */
function updatedStep(item, { object, phrase, arguments: given }) {
  return { ...item, step: { ...item.step, ...(object && { object, phrase }), ...(given && { arguments: given }) } };
}

/**
 * Replaces the text of an event.
 * @param {Entries} held
 * @param {string} turnId
 * @param {number} seq
 * @param {string} text  the whole text
 * @returns {Entries}
 */
export function setText(held, turnId, seq, text) {
  return changeItem(
    held,
    turnId,
    (item) => item.seq === seq && (item.kind === "text" || item.kind === "thinking"),
    (item) => ({ .../** @type {TextItem} */ (item), text }),
    COPIED,
  );
}

/** @param {Entries} held @param {EventOf<"turn-started">} event @param {Lists} lists @returns {Entries} */
function startTurn({ entries, waiting }, event, lists) {
  const index = waiting.findIndex(({ clientId }) => clientId === event.clientId);
  const message = waiting[index];
  /** @type {TurnEntry} */
  const turn = {
    kind: "turn",
    // The first turn of a message takes the message's id, because the view showed it before the host named it.
    key: message ? `turn:${event.clientId}` : `turn:${event.turnId}`,
    turnId: event.turnId,
    clientId: event.clientId,
    agentLabel: agentLabel(event.agent, event.agentLabel),
    model: event.model ?? null,
    direct: event.direct ?? false,
    startedAt: event.at,
    items: [],
    done: null,
  };
  return {
    entries: lists.push(message ? lists.push(entries, message) : entries, turn),
    waiting: message ? lists.drop(waiting, index) : waiting,
  };
}

/** @param {Entries} held @param {string} turnId @param {Item} item @param {Lists} lists */
function addItem(held, turnId, item, lists) {
  return changeTurn(held, turnId, (turn) => ({ ...turn, items: lists.push(turn.items, item) }), lists);
}

/**
 * Changes the newest matching item. Searches from the end: an ending item is almost always the newest.
 * @param {Entries} held
 * @param {string} turnId
 * @param {(item: Item) => boolean} fits
 * @param {(item: Item) => Item} change
 * @param {Lists} lists
 */
function changeItem(held, turnId, fits, change, lists) {
  return changeTurn(
    held,
    turnId,
    (turn) => {
      const index = turn.items.findLastIndex(fits);
      const item = turn.items[index];
      return item ? { ...turn, items: lists.set(turn.items, index, change(item)) } : turn;
    },
    lists,
  );
}

/**
 * @param {Entries} held
 * @param {string} turnId
 * @param {(turn: TurnEntry) => TurnEntry} change
 * @param {Lists} lists
 * @returns {Entries}
 */
function changeTurn(held, turnId, change, lists) {
  // Searches from the end: events almost always concern the newest turn.
  const index = held.entries.findLastIndex((entry) => entry.kind === "turn" && entry.turnId === turnId);
  const turn = held.entries[index];
  if (turn?.kind !== "turn") return held;
  return { ...held, entries: lists.set(held.entries, index, change(turn)) };
}

/**
 * Returns all entries of a batch of events. Events of a turn that started before the batch show nothing: they come with
 * the page before it.
 * @param {ChatEvent[]} events
 * @returns {Entries}
 */
export function fold(events) {
  /** @type {Entries} */
  let held = { entries: [], waiting: [] };
  for (const event of events) held = applyEvent(held, event, IN_PLACE);
  return held;
}
