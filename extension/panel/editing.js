/**
 * An earlier message that the person edits: its text is in the composer until it is sent as a branch, or the edit is
 * cancelled.
 *
 * Owns the message's id, and the text and attachments that the composer held before. Both are saved, so closing the panel
 * loses nothing. `writing.js` sends the branch.
 * @import { Drafts } from "./drafts.js"
 * @import { Held } from "./view/attachments.js"
 * @import { Composer } from "./view/composer.js"
 */
import { keepEdit, restoreEdit } from "./storage.js";

/** @typedef {{ text: string, held: Held[] }} Content  of the composer */
/** @typedef {{ clientId: string, before: Content }} Edit  `before`: what the composer held when the edit began */

export class Editing {
  /** @type {string | null} */ #conversationId = null;
  /** @type {Edit | null} */ #edit = null;

  /** @param {Composer} composer @param {Drafts} drafts @param {() => void} changed */
  constructor(composer, drafts, changed) {
    this.composer = composer;
    this.drafts = drafts;
    this.changed = changed;
  }

  /** The message that is edited in the tab's conversation. */
  get clientId() {
    return this.#edit?.clientId ?? null;
  }

  /** Follows the tab's conversation, and continues the edit that was begun in it. @param {string | null} conversationId */
  follow(conversationId) {
    if (this.#conversationId === conversationId) return;
    this.#conversationId = conversationId;
    this.#set(null);
    if (conversationId !== null) void this.#restore(conversationId);
  }

  /** @param {string} conversationId */
  async #restore(conversationId) {
    const edit = await restoreEdit(conversationId);
    // The person may have begun another one, or left.
    if (edit && this.#conversationId === conversationId && !this.#edit) this.#set(edit);
  }

  /** Puts a message into the composer in place of its content. @param {string} clientId @param {Content} content */
  begin(clientId, content) {
    if (this.#conversationId === null) return;
    // If another edit has begun already, the composer holds that edit, not what was there before it.
    const before = this.#edit?.before ?? { text: this.composer.value, held: this.composer.attachments.held };
    this.#set({ clientId, before });
    keepEdit(this.#conversationId, this.#edit);
    this.#show(content);
  }

  /** Puts back what the composer held before. Returns false if nothing is edited. */
  cancel() {
    if (!this.#edit) return false;
    this.#end();
    return true;
  }

  /** Ends the edit because its message is being sent. The composer empties itself after that. */
  sent() {
    queueMicrotask(() => this.#end());
  }

  #end() {
    if (!this.#edit || this.#conversationId === null) return;
    const { before } = this.#edit;
    this.#set(null);
    keepEdit(this.#conversationId, null);
    this.#show(before);
  }

  /** @param {Content} content */
  #show({ text, held }) {
    this.composer.value = text;
    this.composer.bring(held);
    this.drafts.attached();
    this.drafts.keep();
    this.composer.focus();
  }

  /** @param {Edit | null} edit */
  #set(edit) {
    if (this.#edit === edit) return;
    this.#edit = edit;
    this.changed();
  }
}
