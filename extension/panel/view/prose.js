/**
 * A text of the agent: finished blocks as rendered Markdown, the growing one as light text.
 *
 * Owns the nodes of one text. A finished block is drawn once and never touched again.
 * @import { Renderer } from "../markdown/renderer.js"
 */
import { finished } from "../markdown/finish.js";
import { LiveBlock } from "../markdown/live.js";
import { nodesOf } from "../markdown/sanitise.js";
import { BlockSplitter } from "../markdown/split.js";
import { directionOf } from "../state/direction.js";
import { h } from "./dom.js";

export class Prose {
  #source = "";
  #splitter = new BlockSplitter();
  /** @type {LiveBlock | null} */ #live = null;
  #ended = false;

  /** @param {Renderer} renderer */
  constructor(renderer) {
    this.renderer = renderer;
    this.element = h("div", { class: "prose" });
  }

  /**
   * @param {string} text  all of it
   * @param {boolean} ended  it will not grow any more
   */
  update(text, ended) {
    // A shorter or different text (cut back after a crash), or one that was taken for ended and grew, is drawn anew.
    if (!text.startsWith(this.#source) || (this.#ended && text.length > this.#source.length)) this.#reset();
    if (text.length > this.#source.length) {
      // Decided once by the first letter: `dir="auto"` would read the whole text again with each word.
      if (!this.element.dir) this.element.dir = directionOf(text) ?? "";
      const blocks = this.#splitter.feed(text.slice(this.#source.length));
      this.#source = text;
      for (const block of blocks) this.#finish(block);
      this.#grow();
    }
    if (ended && !this.#ended) {
      this.#ended = true;
      if (this.#splitter.tail.trim() !== "") this.#finish(this.#splitter.tail.trimEnd());
    }
  }

  #reset() {
    this.#source = "";
    this.#splitter = new BlockSplitter();
    this.#live = null;
    this.#ended = false;
    this.element.dir = "";
    this.element.replaceChildren();
  }

  #grow() {
    const { tail } = this.#splitter;
    if (tail.trim() === "") return;
    if (!this.#live) {
      this.#live = new LiveBlock();
      this.element.append(this.#live.element);
    }
    this.#live.grow(tail);
  }

  /** The growing block is `block` now and stays so. @param {string} block */
  #finish(block) {
    const live = this.#live ?? new LiveBlock();
    this.#live = null;
    if (!live.element.isConnected) this.element.append(live.element);
    live.grow(block);
    live.end();
    void this.#render(block, live.element);
  }

  /** @param {string} block @param {HTMLElement} place */
  async #render(block, place) {
    const html = await this.renderer.render(block);
    if (html === null) return;
    place.replaceWith(...nodesOf(html).map(finished));
  }
}
