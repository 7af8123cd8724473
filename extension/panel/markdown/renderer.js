/**
 * Asks the daemon to render finished blocks: all of a frame in one request.
 * Owns the batch. Never inserts anything.
 */

/** The most blocks of one request; an answer stays far below the wire's limit for a frame. */
const BATCH = 64;

export class Renderer {
  /** @type {{ source: string, resolve: (html: string | null) => void }[]} */ #asked = [];

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
    const asked = this.#asked;
    this.#asked = [];
    for (let from = 0; from < asked.length; from += BATCH) void this.#send(asked.slice(from, from + BATCH));
  }

  /** @param {{ source: string, resolve: (html: string | null) => void }[]} batch */
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
