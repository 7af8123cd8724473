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

  /** The text changed. */
  typed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#keep(), PAUSE_MS);
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
      this.composer.value = "";
      return false;
    }
    // What was typed while there was none goes to the one that came.
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
