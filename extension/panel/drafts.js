/**
 * What stands in the composer belongs to its conversation: kept while it is typed and attached, back when the tab comes back.
 * @import { Held } from "./view/attachments.js"
 * @import { Composer } from "./view/composer.js"
 */
import { keepAttached, keepDraft, restoreDraft } from "./keep.js";

/** Written down when the typing pauses this long, and when the panel goes. */
const PAUSE_MS = 200;

export class Drafts {
  /** @type {string | null} */ #conversationId = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #timer;

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
    if (this.#conversationId !== null) keepAttached(this.#conversationId, this.composer.attachments.held);
  }

  /**
   * Another conversation is in view, or none while that of another tab is being opened.
   * @param {string | null} conversationId
   * @returns {boolean} true when what stands in the composer was typed while there was none
   */
  follow(conversationId) {
    if (conversationId === this.#conversationId) return false;
    if (conversationId === null) {
      this.#keep();
      this.#conversationId = null;
      this.#show("", []);
      return false;
    }
    // What was typed or attached while there was none goes to the one that came.
    const first = this.#conversationId === null;
    if (!first) this.#keep();
    this.#conversationId = conversationId;
    if (!first) this.#show("", []);
    else if (this.composer.attachments.held.length > 0) this.attached();
    void this.#restore(conversationId);
    return first;
  }

  /** @param {string} conversationId */
  async #restore(conversationId) {
    const { text, held } = await restoreDraft(conversationId);
    if (this.#conversationId !== conversationId) return;
    const { composer } = this;
    if (composer.value === "" && text) composer.value = text;
    if (composer.attachments.held.length === 0 && held.length > 0) composer.bring(held);
  }

  /** @param {string} text @param {Held[]} held */
  #show(text, held) {
    this.composer.value = text;
    this.composer.bring(held);
  }

  #keep() {
    clearTimeout(this.#timer);
    if (this.#conversationId !== null) keepDraft(this.#conversationId, this.composer.value);
  }
}
