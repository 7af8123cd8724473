/**
 * Messages that the daemon may not have yet. Pure; `panel/storage.js` saves them.
 *
 * Each message keeps the `clientId` that it got on Enter and is sent again with it until its `message` event arrives,
 * so a resend is harmless.
 * @import { ChatEvent, Fault, NewAttachment, PageContext } from "../../protocol.js"
 */

/**
 * @typedef {object} Unsent
 * @property {string} clientId
 * @property {string} conversationId
 * @property {string} text
 * @property {PageContext | null} page
 * @property {NewAttachment[]} attachments
 * @property {{ of: string, conversationId: string }} [branch]  it edits the earlier message `of`: it begins the branch
 * with this id
 * @property {boolean} [now]  the running turn is stopped for it
 * @property {"new" | "sending" | "sent" | "failed"} state  `new`: to be sent when there is a connection; `sent`:
 * acknowledged, its event is still to arrive
 * @property {Fault | null} fault  why it failed
 */

/** @param {Unsent[]} outbox @param {string} clientId @param {Partial<Unsent>} change @returns {Unsent[]} */
export function changed(outbox, clientId, change) {
  return outbox.some((each) => each.clientId === clientId)
    ? outbox.map((each) => (each.clientId === clientId ? { ...each, ...change } : each))
    : outbox;
}

/** @param {Unsent[]} outbox @param {string} clientId @returns {Unsent[]} */
export function without(outbox, clientId) {
  return outbox.some((each) => each.clientId === clientId) ? outbox.filter((each) => each.clientId !== clientId) : outbox;
}

/**
 * Removes messages that arrived with these events.
 * @param {Unsent[]} outbox
 * @param {ChatEvent[]} events
 * @returns {Unsent[]}
 */
export function arrived(outbox, events) {
  if (outbox.length === 0) return outbox;
  const there = new Set(events.flatMap((event) => (event.type === "message" ? [event.clientId] : [])));
  return there.size > 0 && outbox.some(({ clientId }) => there.has(clientId))
    ? outbox.filter(({ clientId }) => !there.has(clientId))
    : outbox;
}

/**
 * Marks messages in transit as new when the connection is lost: it is unknown whether they arrived, so they are sent
 * again.
 * @param {Unsent[]} outbox
 * @returns {Unsent[]}
 */
export function interrupted(outbox) {
  return outbox.some(({ state }) => state === "sending" || state === "sent")
    ? outbox.map((each) => (each.state === "failed" ? each : { ...each, state: "new" }))
    : outbox;
}

/** Whether the daemon has no such conversation: an empty one ends with its daemon. @param {Partial<Unsent>} message */
const isHomeless = ({ state, fault }) => state === "failed" && fault?.code === "not-found";

/**
 * Moves messages whose conversation does not exist any more to the one in view, where the person sees them. Those of the
 * conversation that it took the place of are sent there.
 * @param {Unsent[]} outbox
 * @param {string} conversationId  the one in view
 * @param {string | null} [insteadOf]
 * @returns {Unsent[]}
 */
export function rehomed(outbox, conversationId, insteadOf = null) {
  /** @param {Unsent} each @returns {Unsent} */
  const one = (each) => {
    if (each.conversationId === conversationId) return each;
    // One in transit is sent again once its refusal is there.
    if (each.conversationId === insteadOf)
      return { ...each, conversationId, ...(each.state !== "sending" && { state: "new", fault: null }) };
    return isHomeless(each) ? { ...each, conversationId } : each;
  };
  const moved = outbox.map(one);
  return moved.some((each, i) => each !== outbox[i]) ? moved : outbox;
}
