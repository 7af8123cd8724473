/**
 * The conversation: entries by key, the scroll that follows the stream, older pages on the way up.
 *
 * Owns the scroll position. Never decides what is shown: `state/display.js` does.
 * @import { Shown } from "../state/display.js"
 * @import { View } from "./dom.js"
 * @import { MessageTools } from "./message.js"
 * @import { TurnTools } from "./turn.js"
 */
import { t } from "../../shared/i18n.js";
import { h, icon, KeyedList } from "./dom.js";
import { Message } from "./message.js";
import { Turn } from "./turn.js";

/** Nearer to the end than this counts as at the end: a line's height. */
const AT_END = 24;
/** Older events are asked for before the first held one comes into view. */
const NEAR_START = 400;
/** How many entries are drawn at the end, and how many more each time that the person nears the first of them. */
const DRAWN = 120;

export class ConversationView {
  /** The stream is followed until the person scrolls up. */
  #follows = true;
  #older = false;
  /** @type {readonly Shown[]} */ #shown = [];
  /** How many of the newest entries are drawn. Older ones have no nodes. */
  #drawn = DRAWN;
  #top = 0;
  #lastTurnKey = "";

  /**
   * @param {HTMLElement} scroller
   * @param {object} options
   * @param {MessageTools & TurnTools} options.tools
   * @param {() => Promise<void>} options.loadOlder
   */
  constructor(scroller, { tools, loadOlder }) {
    this.scroller = scroller;
    this.tools = tools;
    this.loadOlder = loadOlder;
    this.column = h("div", { class: "conversation__column" });
    this.jump = h("button", { class: "jump", type: "button", hidden: true, onclick: () => this.toEnd() }, icon("arrow-down"), t("jumpToLatest"));
    /** @type {KeyedList<Shown>} */
    this.entries = new KeyedList(this.column, ({ kind }) =>
      /** @type {View<any>} */ (kind === "turn" || kind === "pending" ? new Turn(this.tools) : new Message(this.tools)));
    scroller.append(this.column);
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    // Who opens a fold looks at it: what it pushes down does not pull the view along.
    this.column.addEventListener("click", ({ target }) => { if (target instanceof Element && target.closest("summary")) this.#follows = false; });
    // Pictures and rendered blocks grow after they were drawn.
    new ResizeObserver(() => this.#settle()).observe(this.column);
    new ResizeObserver(() => this.#settle()).observe(scroller);
  }

  /** @param {readonly Shown[]} entries @param {boolean} older  whether there is more above @param {boolean} waitsForSlot */
  update(entries, older, waitsForSlot) {
    this.#older = older;
    // What is read stays drawn while new entries come below it; who follows the end needs no more than the end.
    if (this.#follows) this.#drawn = DRAWN;
    else this.#drawn += Math.max(0, entries.length - this.#shown.length);
    this.#shown = entries;
    this.#lastTurnKey = entries.findLast(({ kind }) => kind === "turn" || kind === "pending")?.key ?? "";
    this.#draw();
    this.runningTurn?.waitForSlot(waitsForSlot);
    this.#settle();
  }

  #draw() {
    const { scrollHeight, scrollTop } = this.scroller;
    const first = this.column.firstElementChild;
    this.entries.update(this.#shown.length > this.#drawn ? this.#shown.slice(-this.#drawn) : this.#shown);
    // What came above keeps what is read in its place.
    if (!this.#follows && first && this.column.firstElementChild !== first && first.isConnected) {
      this.scroller.scrollTop = scrollTop + this.scroller.scrollHeight - scrollHeight;
    }
  }

  /** Shows another conversation. */
  reset() {
    this.#shown = [];
    this.#drawn = DRAWN;
    this.entries.update([]);
    this.#follows = true;
  }

  toEnd() {
    this.#follows = true;
    this.#settle();
  }

  /** @param {number} now */
  tick(now) {
    this.runningTurn?.tick(now);
  }

  /** The card that waits for a person, if one does. */
  get asking() {
    return this.runningTurn?.asking ?? null;
  }

  get runningTurn() {
    const last = this.#lastTurnKey && this.entries.get(this.#lastTurnKey);
    return last instanceof Turn ? last : null;
  }

  #settle() {
    if (this.#follows) this.scroller.scrollTop = this.scroller.scrollHeight;
    else if (this.#left <= AT_END) this.#follows = true;
    this.#top = this.scroller.scrollTop;
    this.#drawEdge();
  }

  #scrolled() {
    const { scrollTop } = this.scroller;
    // Only a person scrolls up; text that grew since the last frame merely leaves more below.
    if (this.#left <= AT_END) this.#follows = true;
    else if (scrollTop < this.#top) this.#follows = false;
    this.#top = scrollTop;
    this.#drawEdge();
    if (this.scroller.scrollTop < NEAR_START) this.#more();
  }

  /** The first drawn entry is near: the ones before it are drawn, or asked for. */
  #more() {
    if (this.#shown.length > this.#drawn) {
      this.#drawn += DRAWN;
      this.#draw();
    } else if (this.#older) {
      void this.loadOlder();
    }
  }

  get #left() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  #drawEdge() {
    const above = !this.#follows && this.#left > AT_END;
    this.jump.hidden = !above;
    this.scroller.classList.toggle("conversation--above", above);
  }
}
