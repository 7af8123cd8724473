/**
 * A text of the agent: finished blocks as rendered Markdown, the growing one as light text.
 *
 * Owns the nodes of one text. A finished block is drawn once and never touched again. However much came at once, a
 * frame draws its share of it, and the rest follows in the next ones.
 * @import { Renderer } from "../markdown/renderer.js"
 * @import { Block } from "../markdown/split.js"
 * @import { Pace } from "../pace.js"
 */
import { finished, joined } from "../markdown/finish.js";
import { LiveBlock } from "../markdown/live.js";
import { nodesOf } from "../markdown/sanitise.js";
import { BlockSplitter } from "../markdown/split.js";
import { directionOf } from "../state/direction.js";
import { h, setAttribute } from "./dom.js";

/**
 * @typedef {object} ProseTools
 * @property {Renderer} renderer
 * @property {Pace} text  letters of growing text
 * @property {Pace} html  letters of rendered blocks
 */

/** An answer is laid out in parts of so many letters: those that are out of sight cost nothing. */
const PART = 8000;

export class Prose {
  #text = "";
  /** How much of it is drawn. */
  #drawn = 0;
  /** Where blocks are added, and what it holds. @type {HTMLElement | null} */ #part = null;
  #partLength = 0;
  #splitter = new BlockSplitter();
  /** @type {LiveBlock | null} */ #live = null;
  /** It will not grow any more. */
  #ends = false;
  #ended = false;
  #asked = false;
  /** How many blocks are being rendered. */
  #rendering = 0;
  /** What the block before became, once it stands: a further piece of it goes there. @type {Promise<Node | null>} */ #before =
    Promise.resolve(null);

  /** @param {ProseTools} tools */
  constructor(tools) {
    this.tools = tools;
    this.element = h("div", { class: "prose" });
  }

  /**
   * @param {string} text  all of it
   * @param {boolean} ends  it will not grow any more
   */
  update(text, ends) {
    // A shorter or different text (cut back after a crash), or one that was taken for ended and grew, is redrawn.
    if (!text.startsWith(this.#text) || (this.#ended && text.length > this.#text.length)) this.#reset();
    // Decided once by the first letter: `dir="auto"` would read the whole text again with each word.
    if (!this.element.dir) this.element.dir = directionOf(text) ?? "";
    this.#text = text;
    this.#ends = ends;
    this.#draw();
  }

  #draw() {
    const left = this.#text.length - this.#drawn;
    const granted = this.tools.text.take(left);
    if (granted > 0) {
      const from = this.#drawn;
      // Half a character is not a character.
      this.#drawn += granted + (/[\uD800-\uDBFF]/.test(this.#text[from + granted - 1] ?? "") && granted < left ? 1 : 0);
      for (const block of this.#splitter.feed(this.#text.slice(from, this.#drawn))) this.#finish(block);
      this.#grow();
    }
    if (this.#drawn < this.#text.length) this.#goOn();
    else if (this.#ends && !this.#ended) {
      this.#ended = true;
      const { tail } = this.#splitter;
      if (tail.source.trim() !== "") this.#finish({ ...tail, source: tail.source.trimEnd() });
    }
    this.#tellBusy();
  }

  #goOn() {
    if (this.#asked) return;
    this.#asked = true;
    const { element } = this;
    this.tools.text.later(() => {
      this.#asked = false;
      // Nobody looks at what was taken out of the page.
      if (element.isConnected) this.#draw();
    });
  }

  /** Text is left to be drawn, or a block to be rendered. */
  #tellBusy() {
    setAttribute(this.element, "aria-busy", this.#drawn < this.#text.length || this.#rendering > 0 ? "true" : null);
  }

  #reset() {
    this.#drawn = 0;
    this.#splitter = new BlockSplitter();
    this.#live = null;
    this.#part = null;
    this.#ended = false;
    this.#before = Promise.resolve(null);
    this.element.dir = "";
    this.element.replaceChildren();
  }

  #grow() {
    const { tail } = this.#splitter;
    if (tail.source.trim() !== "") this.#liveOf(tail).grow(tail.source);
  }

  /** @param {Block} block */
  #liveOf({ goesOn }) {
    if (this.#live) return this.#live;
    this.#live = new LiveBlock();
    if (goesOn) this.#live.element.classList.add("goes-on");
    if (!this.#part || this.#partLength >= PART) {
      this.#part = h("div", { class: "prose__part" });
      this.#partLength = 0;
      this.element.append(this.#part);
    }
    this.#part.append(this.#live.element);
    return this.#live;
  }

  /** The growing block is `block` now and stays so. @param {Block} block */
  #finish(block) {
    const live = this.#liveOf(block);
    this.#live = null;
    live.grow(block.source);
    live.end();
    this.#partLength += block.source.length;
    this.#before = this.#render(block, live.element, this.#before);
  }

  /** @param {Block} block @param {HTMLElement} place @param {Promise<Node | null>} before @returns {Promise<Node | null>} what it became */
  async #render({ source, goesOn, glued }, place, before) {
    this.#rendering += 1;
    try {
      const html = await this.tools.renderer.render(source);
      if (html === null) return null;
      const stands = goesOn ? await before : null;
      await this.tools.html.turn(html.length);
      if (!place.isConnected) return null;
      const nodes = nodesOf(html).map(finished);
      if (goesOn && joined(stands, nodes[0], glued)) {
        place.remove();
        return stands;
      }
      if (goesOn) for (const node of nodes) if (node instanceof Element) node.classList.add("goes-on");
      place.replaceWith(...nodes);
      return nodes.at(-1) ?? null;
    } finally {
      this.#rendering -= 1;
      this.#tellBusy();
    }
  }
}
