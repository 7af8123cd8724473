/**
 * A text of the agent: finished blocks as rendered Markdown, the growing one as plain nodes.
 *
 * Owns the nodes of one text. Draws a finished block once and never touches it again. However much arrives at once,
 * each frame draws its share, and the next frames draw the rest.
 * @import { Block } from "../markdown/split.js"
 * @import { FrameBudget } from "../frame-budget.js"
 */
import { finished, joined } from "../markdown/finish.js";
import { LiveBlock } from "../markdown/live.js";
import { nodesOf } from "../markdown/nodes.js";
import { BlockSplitter } from "../markdown/split.js";
import { directionOf } from "../state/direction.js";
import { h, setAttribute } from "./dom.js";

/**
 * @typedef {object} ProseTools
 * @property {FrameBudget} text  letters that come to the text
 * @property {FrameBudget} blocks  letters of finished blocks
 *
 * @typedef {{ block: Block, place: ChildNode, ready: boolean }} Due  a finished block, its placeholder until then, and
 * whether its turn has come
 */

/** The browser lays out an answer in parts of this many characters: invisible parts cost nothing. */
const PART = 8000;

export class Prose {
  #text = "";
  /** How much of it is drawn. */
  #drawn = 0;
  /** The element that receives the next blocks. @type {HTMLElement | null} */ #part = null;
  #partLength = 0;
  #splitter = new BlockSplitter();
  /** @type {LiveBlock | null} */ #live = null;
  /** Whether it will grow no more. */
  #ends = false;
  #ended = false;
  #asked = false;
  /** The finished blocks that are not rendered yet, in order. @type {Due[]} */ #due = [];
  /** The node of the previous block once it is rendered: a further piece of it goes there. @type {Node | null} */
  #before = null;

  /** @param {ProseTools} tools */
  constructor(tools) {
    this.tools = tools;
    this.element = h("div", { class: "prose" });
  }

  /**
   * @param {string} text  the whole text
   * @param {boolean} ends  whether it will grow no more
   */
  update(text, ends) {
    // Redraws a shorter or different text (truncated after a crash), and one that grew after it was considered
    // finished.
    if (!text.startsWith(this.#text) || (this.#ended && text.length > this.#text.length)) this.#reset();
    // Decided once, by the first letter: `dir="auto"` would scan the whole text again with each word.
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
      // Half a surrogate pair is not a character.
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
      // Skips text that was removed from the page.
      if (element.isConnected) this.#draw();
    });
  }

  /** Reports whether text is left to draw, or a block to render. */
  #tellBusy() {
    setAttribute(this.element, "aria-busy", this.#drawn < this.#text.length || this.#due.length > 0 ? "true" : null);
  }

  #reset() {
    this.#drawn = 0;
    this.#splitter = new BlockSplitter();
    this.#live = null;
    this.#part = null;
    this.#ended = false;
    this.#due = [];
    this.#before = null;
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
    this.#add(this.#live.element);
    return this.#live;
  }

  /** @param {ChildNode} node */
  #add(node) {
    if (!this.#part || this.#partLength >= PART) {
      this.#part = h("div", { class: "prose__part" });
      this.#partLength = 0;
      this.element.append(this.#part);
    }
    this.#part.append(node);
  }

  /** Marks the growing block as finished, with this content. @param {Block} block */
  #finish(block) {
    const { length } = block.source;
    const ready = this.tools.blocks.now(length);
    /** @type {Due} */
    const due = { block, place: this.#placeOf(block, ready), ready };
    this.#live = null;
    this.#partLength += length;
    this.#due.push(due);
    if (!ready)
      void this.tools.blocks.turn(length).then(() => {
        due.ready = true;
        this.#render();
      });
    // An element about to be inserted is in the page after this task; tables need to be measured.
    else if (this.element.isConnected) this.#render();
    else queueMicrotask(() => this.#render());
  }

  /**
   * Returns the placeholder of a block until it is rendered: its live text, unless none of it was visible yet.
   * @param {Block} block
   * @param {boolean} ready
   * @returns {ChildNode}
   */
  #placeOf(block, ready) {
    if (ready && !this.#live) {
      const place = document.createComment("");
      this.#add(place);
      return place;
    }
    const live = this.#liveOf(block);
    live.grow(block.source);
    live.end();
    return live.element;
  }

  /** Renders the blocks whose turn has come, in order. */
  #render() {
    while (this.#due[0]?.ready) {
      const { block, place } = /** @type {Due} */ (this.#due.shift());
      const { source, goesOn, glued } = block;
      const nodes = nodesOf(source).map(finished);
      if (goesOn && joined(this.#before, nodes[0], glued)) {
        place.remove();
        continue;
      }
      if (goesOn) for (const node of nodes) if (node instanceof Element) node.classList.add("goes-on");
      place.replaceWith(...nodes);
      this.#before = nodes.at(-1) ?? null;
    }
    this.#tellBusy();
  }
}
