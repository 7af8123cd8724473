/**
 * The text in the composer belongs to its conversation: kept while it is typed, back when the tab comes back.
 * @import { Composer } from "./view/composer.js"
 */
import { keepDraft, restoreDraft } from "./keep.js";

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

  /** @param {string} _text */
  typed(_text) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), PAUSE_MS);
  }

  /**
   * Another conversation is in view.
   * @param {string | null} conversationId
   * @returns {boolean} true when what stands in the composer was typed before any conversation was known
   */
  follow(conversationId) {
    if (conversationId === this.#conversationId || conversationId === null) return false;
    // What was typed before any conversation was known goes to the first one.
    const first = this.#conversationId === null;
    const orphan = first ? this.composer.value : "";
    if (!first) this.#keep();
    this.#conversationId = conversationId;
    this.composer.value = orphan;
    void restoreDraft(conversationId).then((draft) => {
      if (this.#conversationId === conversationId && this.composer.value === "" && draft) this.composer.value = draft;
    });
    return first;
  }

  #keep() {
    clearTimeout(this.#timer);
    if (this.#conversationId !== null) keepDraft(this.#conversationId, this.composer.value);
  }
}
