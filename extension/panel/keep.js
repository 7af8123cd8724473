/**
 * What a person typed and attached outlives everything: drafts and unsent messages in `chrome.storage.local`.
 *
 * Owns the keys `draft:<conversation>`, `attached:<conversation>`, `unsent:<client id>` and `answer:<question>`. Never keeps what the daemon has.
 * @import { Unsent } from "./state/outbox.js"
 * @import { Given } from "./state/question.js"
 * @import { Held } from "./view/attachments.js"
 */

const DRAFT = "draft:";
const ATTACHED = "attached:";
const ANSWER = "answer:";
const UNSENT = "unsent:";

/** Unsent messages of earlier runs, oldest first. @returns {Promise<Unsent[]>} */
export async function restoreUnsent() {
  const all = await chrome.storage.local.get(null);
  return Object.entries(all)
    .filter(([key]) => key.startsWith(UNSENT))
    .map(([, kept]) => /** @type {{ at: number, message: Unsent }} */ (kept))
    .sort((a, b) => a.at - b.at)
    .map(({ message }) => (message.state === "failed" ? message : { ...message, state: "new" }));
}

/** Writes down what changed between two outboxes. @param {Unsent[]} before @param {Unsent[]} after */
export function keepUnsent(before, after) {
  const ids = new Set(after.map(({ clientId }) => clientId));
  const gone = before.filter(({ clientId }) => !ids.has(clientId)).map(({ clientId }) => UNSENT + clientId);
  const known = new Set(before.map(({ clientId }) => clientId));
  const added = after.filter(({ clientId }) => !known.has(clientId));
  if (gone.length > 0) void chrome.storage.local.remove(gone);
  if (added.length > 0) {
    void chrome.storage.local.set(Object.fromEntries(added.map((message, index) => [UNSENT + message.clientId, { at: Date.now() + index, message }])));
  }
}

/**
 * What stood in a conversation's composer.
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

/** What was chosen and written in an open question. @param {string} questionId @returns {Promise<Given[]>} */
export async function restoreAnswer(questionId) {
  const key = ANSWER + questionId;
  const given = (await chrome.storage.local.get(key))[key];
  return Array.isArray(given) ? given : [];
}

/** @param {string} questionId @param {Given[] | null} given  null: it was answered */
export function keepAnswer(questionId, given) {
  const key = ANSWER + questionId;
  void (given ? chrome.storage.local.set({ [key]: given }) : chrome.storage.local.remove(key));
}
