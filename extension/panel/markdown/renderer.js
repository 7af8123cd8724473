/**
 * Asks the daemon to render finished blocks: all of a frame in one request.
 * Owns the batch. Never inserts anything.
 */

/** The most blocks of one request, and the most of their text: an answer stays far below the wire's limit for a frame. */
const BATCH = 64;
const BATCH_LENGTH = 32_000;

/** @typedef {{ source: string, resolve: (html: string | null) => void }} Asked */

export class Renderer {
  /** @type {Asked[]} */ #asked = [];

  /** @param {(blocks: string[]) => Promise<string[]>} ask */
  constructor(ask) {
    this.ask = ask;
  }

  /**
   * The HTML of a block, or null when nobody can render it now: the live text stays then.
   * @param {string} source
   * @returns {Promise<string | null>}
   */
  render(source) {
    return new Promise((resolve) => {
      this.#asked.push({ source, resolve });
      if (this.#asked.length === 1) queueMicrotask(() => this.#flush());
    });
  }

  #flush() {
    /** @type {Asked[]} */
    let batch = [];
    let length = 0;
    for (const asked of this.#asked) {
      if (batch.length === BATCH || (batch.length > 0 && length + asked.source.length > BATCH_LENGTH)) {
        void this.#send(batch);
        batch = [];
        length = 0;
      }
      batch.push(asked);
      length += asked.source.length;
    }
    this.#asked = [];
    void this.#send(batch);
  }

  /** @param {Asked[]} batch */
  async #send(batch) {
    /** @type {string[]} */
    let html = [];
    try {
      html = await this.ask(batch.map(({ source }) => source));
    } catch {
      // Away: what was asked keeps its live text until the conversation is drawn again.
    }
    batch.forEach(({ resolve }, index) => resolve(html[index] ?? null));
  }
}
