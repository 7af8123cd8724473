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
/** Entries are drawn, or asked for, before they come into view. */
const NEAR = 800;
/** How many entries are drawn at the end, and how many more each time that the person nears the last drawn one. */
const STEP = 120;
/** More are never drawn: those that are farthest from what is read lose their nodes. */
const MOST = 360;

export class ConversationView {
  /** The stream is followed until the person scrolls up. */
  #follows = true;
  #older = false;
  /** @type {readonly Shown[]} */ #shown = [];
  /** The drawn part of them: from one index up to another. */
  #from = 0;
  #to = 0;
  #top = 0;
  #lastTurnKey = "";
  #id = "";
  /** Where conversations were left that were not read at their end: an entry, and how far from the top it stood. @type {Map<string, { key: string, top: number }>} */ #left =
    new Map();
  /** Where this one was left, until it is drawn. @type {{ key: string, top: number } | null} */ #back = null;
  /** The same while what was drawn still grows: until the person scrolls. @type {{ key: string, top: number } | null} */ #held = null;

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
    this.jump = h(
      "button",
      { class: "jump", type: "button", hidden: true, onclick: () => this.toEnd() },
      icon("arrow-down"),
      t("jumpToLatest"),
    );
    /** @type {KeyedList<Shown>} */
    this.entries = new KeyedList(
      this.column,
      ({ kind }) => /** @type {View<any>} */ (kind === "turn" || kind === "pending" ? new Turn(this.tools) : new Message(this.tools)),
    );
    scroller.append(this.column);
    scroller.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    for (const act of ["wheel", "pointerdown", "touchstart", "keydown"])
      scroller.addEventListener(act, () => (this.#held = null), { passive: true });
    // Who opens a fold looks at it: what it pushes down does not pull the view along.
    this.column.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("summary") && !target.closest(".approval__more")) this.#follows = false;
    });
    // Pictures and rendered blocks grow after they were drawn.
    new ResizeObserver(() => this.#settle()).observe(this.column);
    new ResizeObserver(() => this.#settle()).observe(scroller);
  }

  /** @param {readonly Shown[]} entries @param {boolean} older  whether there is more above @param {boolean} waitsForSlot */
  update(entries, older, waitsForSlot) {
    const before = this.#shown;
    this.#older = older;
    this.#shown = entries;
    this.#lastTurnKey = entries.findLast(({ kind }) => kind === "turn" || kind === "pending")?.key ?? "";
    if (this.#follows) this.#range(entries.length - STEP, entries.length);
    else this.#keepRange(before);
    this.#draw();
    if (this.#isSeen) this.#goBack();
    this.runningTurn?.waitForSlot(waitsForSlot);
    if (this.#back === null) this.#settle();
    if (!this.#isSeen) return;
    // A page of events may hold so few entries that nothing can be scrolled.
    const short = this.scroller.scrollHeight <= this.scroller.clientHeight;
    if (short || (!this.#follows && this.scroller.scrollTop < NEAR)) this.#up();
  }

  /** While a drawer lies in its place nothing here has a size. */
  get #isSeen() {
    return this.scroller.clientHeight > 0;
  }

  /** What is read stays drawn when older entries come before it and new ones behind it. @param {readonly Shown[]} before */
  #keepRange(before) {
    const first = before[this.#from]?.key;
    const moved = before[0] === this.#shown[0] ? 0 : Math.max(0, this.#shown.findIndex(({ key }) => key === first) - this.#from);
    const toEnd = this.#to === before.length;
    this.#range(this.#from + moved, toEnd ? this.#shown.length : this.#to + moved);
  }

  /** @param {number} from @param {number} to */
  #range(from, to) {
    this.#to = Math.min(this.#shown.length, to);
    this.#from = Math.min(Math.max(0, from), this.#to);
  }

  /** Draws the range; what is read keeps its place, whatever came or went above it. */
  #draw() {
    const anchor = this.#follows ? null : this.#anchor;
    const top = anchor?.getBoundingClientRect().top ?? 0;
    this.entries.update(this.#shown.slice(this.#from, this.#to));
    if (anchor?.isConnected) this.scroller.scrollTop += anchor.getBoundingClientRect().top - top;
  }

  /** The first entry in sight. */
  get #anchor() {
    const { top } = this.scroller.getBoundingClientRect();
    return [...this.column.children].find((child) => child.getBoundingClientRect().bottom > top) ?? null;
  }

  /** The first drawn entry is near: the ones before it are drawn, or asked for. */
  #up() {
    if (this.#from > 0) {
      const from = this.#from - STEP;
      this.#range(from, Math.min(this.#to, Math.max(0, from) + MOST));
      this.#draw();
    } else if (this.#older) {
      void this.loadOlder();
    }
  }

  /** The last drawn entry is near, and is not the newest. */
  #down() {
    const to = Math.min(this.#shown.length, this.#to + STEP);
    this.#range(Math.max(this.#from, to - MOST), to);
    this.#draw();
  }

  /** Shows another conversation, where it was left. @param {string} id  of the one that comes */
  reset(id) {
    const anchor = this.#follows ? null : this.#anchor;
    const key = anchor && this.#shown.find((one) => this.entries.get(one.key)?.element === anchor)?.key;
    if (anchor && key)
      this.#left.set(this.#id, { key, top: anchor.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top });
    else this.#left.delete(this.#id);
    this.#id = id;
    this.#back = this.#left.get(id) ?? null;
    this.#held = null;
    this.#shown = [];
    this.#range(0, 0);
    this.entries.update([]);
    this.#follows = this.#back === null;
  }

  /** Goes to where the conversation was left, once that is drawn. */
  #goBack() {
    const back = this.#back;
    const at = back ? this.#shown.findIndex(({ key }) => key === back.key) : -1;
    if (!back || at === -1) return;
    this.#back = null;
    this.#range(at - STEP / 2, at + STEP);
    this.#draw();
    this.#held = back;
    this.#hold();
  }

  /** Puts the entry where it stood: what is drawn may be too short for that yet. */
  #hold() {
    const element = this.#held && this.entries.get(this.#held.key)?.element;
    if (!element || !this.#held) return;
    const top = element.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
    this.scroller.scrollTop += top - this.#held.top;
    this.#top = this.scroller.scrollTop;
  }

  toEnd() {
    this.#held = null;
    this.#follows = true;
    this.#range(this.#shown.length - STEP, this.#shown.length);
    this.#draw();
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
    if (!this.#isSeen) return;
    if (this.#held) this.#hold();
    else if (this.#follows) this.scroller.scrollTop = this.scroller.scrollHeight;
    else if (this.#atEnd) this.#follows = true;
    this.#top = this.scroller.scrollTop;
    this.#drawEdge();
  }

  #scrolled() {
    if (!this.#isSeen) return;
    const { scrollTop } = this.scroller;
    // Only a person scrolls up; text that grew since the last frame merely leaves more below.
    if (this.#held) return this.#drawEdge();
    if (this.#atEnd) this.#follows = true;
    else if (scrollTop < this.#top) this.#follows = false;
    this.#top = scrollTop;
    this.#drawEdge();
    if (scrollTop < NEAR && !this.#follows) this.#up();
    else if (this.#below < NEAR && this.#to < this.#shown.length) this.#down();
  }

  /** The newest entry is drawn, and its end in sight. */
  get #atEnd() {
    return this.#to === this.#shown.length && this.#below <= AT_END;
  }

  get #below() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  #drawEdge() {
    const above = !this.#follows && !this.#atEnd;
    this.jump.hidden = !above;
    this.scroller.classList.toggle("conversation--above", above);
  }
}
