/**
 * What stands in the composer belongs to its conversation: kept while it is typed and attached, back when the tab comes back.
 * @import { Held } from "./view/attachments.js"
 * @import { Composer } from "./view/composer.js"
 */
import { keepAttached, keepDraft, restoreDraft } from "./keep.js";
import { joinedText, withHeld } from "./state/context.js";

/** Written down when the typing pauses this long, and when the panel goes. */
const PAUSE_MS = 200;

/**
 * @typedef {object} Draft  what stands in the composer
 * @property {string | null} conversationId  null while that of the tab is being opened
 * @property {Promise<void> | null} restoring  what was written down earlier is being read: nothing is written over it
 * @property {{ text: string, held: Held[] }} [left]  what stood there when another came into view before that was read
 */

export class Drafts {
  /** @type {Draft} */ #draft = { conversationId: null, restoring: null };
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;
  /** Settles when what came for other conversations is written down. */
  #away = Promise.resolve();

  /** @param {Composer} composer */
  constructor(composer) {
    this.composer = composer;
    addEventListener("pagehide", () => this.#keep());
  }

  /** The text changed. */
  typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), PAUSE_MS);
  }

  /** What goes with it changed: rarely, and it may be large, so it is written apart from the text. */
  attached() {
    const { conversationId, restoring } = this.#draft;
    if (conversationId !== null && !restoring) keepAttached(conversationId, this.composer.attachments.held);
  }

  /**
   * For what takes a while to read: it goes to the draft that stands here now, whichever does by then.
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
    // It may have come back into view meanwhile.
    if (conversationId === this.#draft.conversationId) this.composer.attachments.add(one);
    else keepAttached(conversationId, withHeld(held, one));
  }

  /**
   * Another conversation is in view, or none while that of another tab is being opened.
   * @param {string | null} conversationId
   * @returns {boolean} true when what stands in the composer was typed while there was none
   */
  follow(conversationId) {
    if (conversationId === this.#draft.conversationId) return false;
    // What was typed or attached while there was none goes to the one that came.
    const first = this.#draft.conversationId === null;
    if (first) this.#draft.conversationId = conversationId;
    else {
      this.#keep();
      this.#draft.left = { text: this.composer.value, held: this.composer.attachments.held };
      this.#draft = { conversationId, restoring: null };
      this.#show("", []);
    }
    if (conversationId !== null) this.#draft.restoring = this.#restore(this.#draft, conversationId);
    return first;
  }

  /** What was written down comes back, in front of what stands there by now. @param {Draft} draft @param {string} conversationId */
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
    // What is written down already is not written again: it may be large.
    if (stood.length > 0 || now !== stood) this.attached();
  }

  /** @param {string} text @param {Held[]} held */
  #show(text, held) {
    this.composer.value = text;
    this.composer.bring(held);
  }

  #keep() {
    clearTimeout(this.#timer);
    const { conversationId, restoring } = this.#draft;
    if (conversationId !== null && !restoring) keepDraft(conversationId, this.composer.value);
  }
}
