/**
 * The composer's content belongs to its conversation: saved while the person types and attaches, restored when the tab
 * is in view again.
 * @import { Held } from "./view/attachments.js"
 * @import { Composer } from "./view/composer.js"
 */
import { keepAttached, keepDraft, restoreDraft } from "./storage.js";
import { joinedText, withHeld } from "./state/context.js";

/** Saved when typing pauses for this long, and when the panel closes. */
const PAUSE_MS = 200;

/**
 * @typedef {object} Draft  the composer's content
 * @property {string | null} conversationId  null while the tab's conversation is being opened
 * @property {Promise<void> | null} restoring  the read of the saved draft; nothing overwrites the draft until it
 * settles
 * @property {{ text: string, held: Held[] }} [left]  the content when another conversation came into view before that
 * read had finished
 */

export class Drafts {
  /** @type {Draft} */ #draft = { conversationId: null, restoring: null };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** Settles when content for other conversations is saved. */
  #away = Promise.resolve();

  /** @param {Composer} composer */
  constructor(composer) {
    this.composer = composer;
    addEventListener("pagehide", () => this.keep());
  }

  /** Saves the text after a change. */
  typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.keep(), PAUSE_MS);
  }

  /** Saves the attachments after a change. Rare and possibly large, so they are saved apart from the text. */
  attached() {
    const { conversationId, restoring } = this.#draft;
    if (conversationId !== null && !restoring) keepAttached(conversationId, this.composer.attachments.held);
  }

  /**
   * Returns a function that adds to the current draft, for content that takes time to read: it reaches that draft
   * wherever it is by then.
   * @returns {(one: Held) => void}
   */
  destination() {
    const draft = this.#draft;
    return (one) => {
      const { conversationId } = draft;
      if (conversationId === null || conversationId === this.#draft.conversationId) this.composer.attachments.add(one);
      else this.#away = this.#away.then(() => this.#addAway(draft, conversationId, one));
    };
  }

  /** @param {Draft} draft @param {string} conversationId @param {Held} one */
  async #addAway(draft, conversationId, one) {
    await draft.restoring;
    const { held } = await restoreDraft(conversationId);
    // It may be in view again by now.
    if (conversationId === this.#draft.conversationId) this.composer.attachments.add(one);
    else keepAttached(conversationId, withHeld(held, one));
  }

  /**
   * Follows the conversation in view; null while another tab's conversation is being opened.
   * @param {string | null} conversationId
   * @param {string | null} [deleted]  the deleted conversation whose place this one took
   * @returns {boolean} whether the composer's content was typed while there was no conversation
   */
  follow(conversationId, deleted = null) {
    const before = this.#draft.conversationId;
    if (conversationId === before) return false;
    // Content that was typed or attached before there was a conversation goes to the new one, as does that of a deleted one.
    const first = before === null;
    if (before !== null && before === deleted) {
      keepDraft(before, "");
      keepAttached(before, []);
      this.#draft.conversationId = conversationId;
    } else if (first) this.#draft.conversationId = conversationId;
    else {
      this.keep();
      this.#draft.left = { text: this.composer.value, held: this.composer.attachments.held };
      this.#draft = { conversationId, restoring: null };
      this.#show("", []);
    }
    if (conversationId !== null) this.#draft.restoring = this.#restore(this.#draft, conversationId);
    return first;
  }

  /**
   * Restores a saved draft, in front of the content that has been added since.
   * @param {Draft} draft
   * @param {string} conversationId
   */
  async #restore(draft, conversationId) {
    const { composer } = this;
    const stood = composer.attachments.held;
    const { text, held } = await restoreDraft(conversationId);
    draft.restoring = null;
    if (this.#draft !== draft) {
      if (draft.left?.text) keepDraft(conversationId, joinedText(text, draft.left.text));
      if (draft.left?.held.length) keepAttached(conversationId, draft.left.held.reduce(withHeld, held));
      return;
    }
    const typed = composer.value;
    if (text) composer.value = joinedText(text, typed);
    if (typed) this.typed();
    const now = composer.attachments.held;
    if (held.length > 0) composer.bring(now.reduce(withHeld, held));
    // Content that is already saved is not saved again, because it may be large.
    if (stood.length > 0 || now !== stood) this.attached();
  }

  /** @param {string} text @param {Held[]} held */
  #show(text, held) {
    this.composer.value = text;
    this.composer.bring(held);
  }

  /** Saves the text now. */
  keep() {
    clearTimeout(this.#timer);
    const { conversationId, restoring } = this.#draft;
    if (conversationId !== null && !restoring) keepDraft(conversationId, this.composer.value);
  }
}
