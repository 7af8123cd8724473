/**
 * What a person typed outlives everything: drafts and unsent messages in `chrome.storage.local`.
 *
 * Owns the keys `draft:<conversation>` and `unsent:<client id>`. Never keeps what the daemon has.
 * @import { Unsent } from "./state/outbox.js"
 */

const DRAFT = "draft:";
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

/** @param {string} conversationId @returns {Promise<string>} */
export async function restoreDraft(conversationId) {
  const key = DRAFT + conversationId;
  const text = (await chrome.storage.local.get(key))[key];
  return typeof text === "string" ? text : "";
}

/** @param {string} conversationId @param {string} text */
export function keepDraft(conversationId, text) {
  const key = DRAFT + conversationId;
  void (text ? chrome.storage.local.set({ [key]: text }) : chrome.storage.local.remove(key));
}
