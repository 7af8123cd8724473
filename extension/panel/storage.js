/**
 * Persists what a person typed and attached: drafts and unsent messages in `chrome.storage.local`.
 *
 * Owns the keys `draft:<conversation>`, `attached:<conversation>`, `edit:<conversation>`, `unsent:<client id>` and
 * `answer:<question>`. Never stores what the daemon has.
 * @import { Edit } from "./editing.js"
 * @import { Unsent } from "./state/outbox.js"
 * @import { Given } from "./state/question.js"
 * @import { Held } from "./view/attachments.js"
 */

const DRAFT = "draft:";
const ATTACHED = "attached:";
const EDIT = "edit:";
const ANSWER = "answer:";
const UNSENT = "unsent:";

/**
 * When the person sent each unsent message, by its client id: it gives their order in a later run.
 * @type {Map<string, number>}
 */
const saidAt = new Map();

/** Returns the unsent messages of earlier runs, oldest first. @returns {Promise<Unsent[]>} */
export async function restoreUnsent() {
  const all = await chrome.storage.local.get(null);
  const kept = Object.entries(all)
    .filter(([key]) => key.startsWith(UNSENT))
    .map(([, value]) => /** @type {{ at: number, message: Unsent }} */ (value))
    .sort((a, b) => a.at - b.at);
  for (const { at, message } of kept) saidAt.set(message.clientId, at);
  return kept.map(({ message }) => (message.state === "failed" ? message : { ...message, state: "new" }));
}

/**
 * Saves the differences between two outboxes, failures included: only a person resends a failed message.
 * @param {Unsent[]} before
 * @param {Unsent[]} after
 */
export function keepUnsent(before, after) {
  const ids = new Set(after.map(({ clientId }) => clientId));
  const gone = before.filter(({ clientId }) => !ids.has(clientId)).map(({ clientId }) => clientId);
  const known = new Map(before.map((message) => [message.clientId, message]));
  const changed = after.filter((message) => {
    const was = known.get(message.clientId);
    return !was || (was.state === "failed") !== (message.state === "failed");
  });
  for (const id of gone) saidAt.delete(id);
  for (const [index, { clientId }] of changed.entries()) if (!saidAt.has(clientId)) saidAt.set(clientId, Date.now() + index);
  if (gone.length > 0) void chrome.storage.local.remove(gone.map((id) => UNSENT + id));
  if (changed.length > 0) {
    void chrome.storage.local.set(
      Object.fromEntries(changed.map((message) => [UNSENT + message.clientId, { at: saidAt.get(message.clientId), message }])),
    );
  }
}

/**
 * Returns the saved content of a conversation's composer.
 * @param {string} conversationId
 * @returns {Promise<{ text: string, held: Held[] }>}
 */
export async function restoreDraft(conversationId) {
  const [draft, attached] = [DRAFT + conversationId, ATTACHED + conversationId];
  const { [draft]: text, [attached]: held } = await chrome.storage.local.get([draft, attached]);
  return { text: typeof text === "string" ? text : "", held: Array.isArray(held) ? held : [] };
}

/** @param {string} conversationId @param {string} text */
export function keepDraft(conversationId, text) {
  const key = DRAFT + conversationId;
  void (text ? chrome.storage.local.set({ [key]: text }) : chrome.storage.local.remove(key));
}

/** @param {string} conversationId @param {Held[]} held */
export function keepAttached(conversationId, held) {
  const key = ATTACHED + conversationId;
  void (held.length > 0 ? chrome.storage.local.set({ [key]: held }) : chrome.storage.local.remove(key));
}

/**
 * Returns the edit of an earlier message that was begun in a conversation.
 * @param {string} conversationId
 * @returns {Promise<Edit | null>}
 */
export async function restoreEdit(conversationId) {
  const key = EDIT + conversationId;
  const edit = (await chrome.storage.local.get(key))[key];
  return edit && typeof edit === "object" ? /** @type {Edit} */ (edit) : null;
}

/** @param {string} conversationId @param {Edit | null} edit */
export function keepEdit(conversationId, edit) {
  const key = EDIT + conversationId;
  void (edit ? chrome.storage.local.set({ [key]: edit }) : chrome.storage.local.remove(key));
}

/** Returns the saved choices and text of an open question. @param {string} questionId @returns {Promise<Given[]>} */
export async function restoreAnswer(questionId) {
  const key = ANSWER + questionId;
  const given = (await chrome.storage.local.get(key))[key];
  return Array.isArray(given) ? given : [];
}

/**
 * Saves the answer to an open question.
 * @param {string} questionId
 * @param {Given[] | null} given  null once it is answered
 */
export function keepAnswer(questionId, given) {
  const key = ANSWER + questionId;
  void (given ? chrome.storage.local.set({ [key]: given }) : chrome.storage.local.remove(key));
}
