/**
 * The conversation: entries by key, scrolling that follows the stream, older pages above.
 *
 * Owns the scroll position. Never decides what is shown: `state/display.js` does.
 * @import { Shown } from "../state/display.js"
 * @import { View } from "./dom.js"
 * @import { MessageTools } from "./message.js"
 * @import { TurnTools } from "./turn.js"
 */
import { t } from "../../shared/i18n.js";
import { h, icon, KeyedList, setText, zoomOf } from "./dom.js";
import { Message } from "./message.js";
import { Turn } from "./turn.js";

/** A distance below this, one line's height, counts as the end. */
const AT_END = 24;
/** Entries within this distance of the view are drawn or requested. */
const NEAR = 800;
/** How many entries are drawn at the end, and how many are added when the person nears the last drawn one. */
const STEP = 120;
/** At most this many entries are drawn: those farthest from the view lose their nodes. */
const MOST = 360;

export class ConversationView {
  /** Follows the stream until the person scrolls up. */
  #follows = true;
  #older = false;
  /** The card that `waits` leads to. @type {unknown} */ #waitsFor = null;
  /** @type {readonly Shown[]} */ #shown = [];
  /** The range of drawn entries: from one index up to another. */
  #from = 0;
  #to = 0;
  #top = 0;
  #lastTurnKey = "";
  #id = "";
  /**
   * Scroll positions of conversations that were left above their end: an entry and its distance from the top.
   * @type {Map<string, { key: string, top: number }>}
   */
  #left = new Map();
  /** This conversation's last position, until it is drawn. @type {{ key: string, top: number } | null} */ #back = null;
  /**
   * The same position while the drawn content still grows, until the person scrolls.
   * @type {{ key: string, top: number } | null}
   */
  #held = null;

  /**
   * @param {HTMLElement} scroller
   * @param {object} options
   * @param {MessageTools & TurnTools & { sendTyped: (later: boolean) => void }} options.tools  `sendTyped` sends what the
   * composer contains: in place of the request that waits, or later
   * @param {() => Promise<void>} options.loadOlder
   * @param {() => void} options.forgetOlder  called while the end is shown: the oldest events may be dropped
   */
  constructor(scroller, { tools, loadOlder, forgetOlder }) {
    this.scroller = scroller;
    this.tools = tools;
    this.loadOlder = loadOlder;
    this.forgetOlder = forgetOlder;
    this.column = h("div", { class: "conversation__column" });
    this.jump = h(
      "button",
      { class: "jump", type: "button", hidden: true, onclick: () => this.toEnd() },
      icon("arrow-down"),
      t("jumpToLatest"),
    );
    this.waitsFor = h("span", { class: "truncate grow" });
    this.waits = h(
      "button",
      { class: "waits", type: "button", hidden: true, onclick: () => this.asking?.show() },
      icon("shield"),
      this.waitsFor,
      h("span", { class: "waits__show" }, t("showCard")),
    );
    this.insteadWords = h("span", { class: "choice__words" });
    const choice = (/** @type {string} */ key, /** @type {HTMLElement} */ words, /** @type {boolean} */ later) =>
      h(
        "button",
        { class: "choice", type: "button", "data-instead": later ? "later" : "now", onclick: () => this.tools.sendTyped(later) },
        words,
        h("kbd", { class: "key", "aria-hidden": "true" }, key),
      );
    this.instead = h(
      "div",
      { class: "card__rows card__instead", role: "group", "aria-label": t("sayInstead") },
      choice("Enter", this.insteadWords, false),
      choice("Ctrl Enter", h("span", { class: "choice__words" }, t("queueLater")), true),
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
    // A person who opens a fold wants to see it, so the content that it pushes down must not scroll the view.
    this.column.addEventListener("click", ({ target }) => {
      if (target instanceof Element && target.closest("summary") && !target.closest(".approval__more")) this.#follows = false;
    });
    // Pictures and rendered blocks grow after they are drawn.
    new ResizeObserver(() => this.#settle()).observe(this.column);
    new ResizeObserver(() => this.#settle()).observe(scroller);
  }

  /**
   * @param {readonly Shown[]} entries
   * @param {boolean} older  whether there is more above
   * @param {boolean} waitsForSlot
   */
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
    if (this.#follows) this.forgetOlder();
    if (!this.#isSeen) return;
    // A page may hold too few entries to fill the view.
    const short = this.scroller.scrollHeight <= this.scroller.clientHeight;
    if (short || (!this.#follows && this.scroller.scrollTop < NEAR)) this.#up();
  }

  /** Nothing here has a size while a drawer covers it. */
  get #isSeen() {
    return this.scroller.clientHeight > 0;
  }

  /** Keeps the visible entries drawn when older or newer ones are added. @param {readonly Shown[]} before */
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

  /** Draws the range. The visible entries keep their position, whatever is added or removed above them. */
  #draw() {
    const anchor = this.#follows ? null : this.#anchor;
    const top = anchor?.getBoundingClientRect().top ?? 0;
    this.entries.update(this.#shown.slice(this.#from, this.#to));
    if (anchor?.isConnected) this.scroller.scrollTop += (anchor.getBoundingClientRect().top - top) / zoomOf(this.scroller);
  }

  /** The first visible entry. */
  get #anchor() {
    const { top } = this.scroller.getBoundingClientRect();
    return [...this.column.children].find((child) => child.getBoundingClientRect().bottom > top) ?? null;
  }

  /** Draws or requests earlier entries when the first drawn entry is near the view. */
  #up() {
    if (this.#from > 0) {
      const from = this.#from - STEP;
      this.#range(from, Math.min(this.#to, Math.max(0, from) + MOST));
      this.#draw();
    } else if (this.#older) {
      void this.loadOlder();
    }
  }

  /** Draws later entries when the last drawn one is near the view and not the newest. */
  #down() {
    const to = Math.min(this.#shown.length, this.#to + STEP);
    this.#range(Math.max(this.#from, to - MOST), to);
    this.#draw();
  }

  /** Shows or hides what only the tab's own conversation can do. @param {boolean} readOnly */
  setReadOnly(readOnly) {
    if (this.tools.readOnly === readOnly) return;
    this.tools.readOnly = readOnly;
    for (const view of this.entries.views) if (view instanceof Turn || view instanceof Message) view.redraw();
  }

  /** Marks the message that is edited in the composer. @param {string | null} clientId */
  setEdited(clientId) {
    if (this.tools.edited === clientId) return;
    this.tools.edited = clientId;
    for (const view of this.entries.views) if (view instanceof Message) view.redraw();
  }

  /** Shows another conversation at its last scroll position. @param {string} id  of the new conversation */
  reset(id) {
    const anchor = this.#follows ? null : this.#anchor;
    const key = anchor && this.#shown.find((one) => this.entries.get(one.key)?.element === anchor)?.key;
    if (anchor && key) this.#left.set(this.#id, { key, top: this.#topOf(anchor) });
    else this.#left.delete(this.#id);
    this.#id = id;
    this.#back = this.#left.get(id) ?? null;
    this.#held = null;
    this.#shown = [];
    this.#range(0, 0);
    this.entries.update([]);
    this.#follows = this.#back === null;
  }

  /** Restores the last scroll position once that part is drawn. */
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

  /** Restores the entry's position; the drawn part may be too short for that yet. */
  #hold() {
    const element = this.#held && this.entries.get(this.#held.key)?.element;
    if (!element || !this.#held) return;
    this.scroller.scrollTop += this.#topOf(element) - this.#held.top;
    this.#top = this.scroller.scrollTop;
  }

  /** Returns an element's distance from the view's top edge. @param {Element} element */
  #topOf(element) {
    return (element.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top) / zoomOf(this.scroller);
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

  /** The card that waits for a person, if any. */
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
    // Only a person scrolls up; text that grew since the last frame only adds content below.
    if (this.#held) return this.#drawEdge();
    if (this.#atEnd) this.#follows = true;
    else if (scrollTop < this.#top) this.#follows = false;
    this.#top = scrollTop;
    this.#drawEdge();
    if (scrollTop < NEAR && !this.#follows) this.#up();
    else if (this.#below < NEAR && this.#to < this.#shown.length) this.#down();
  }

  /** Shows in the card that waits what sending does with it. @param {boolean} isTyping  the composer contains a message */
  setTyping(isTyping) {
    const { asking } = this;
    if (!isTyping || !asking) return this.instead.remove();
    setText(this.insteadWords, asking.insteadWords);
    asking.append(this.instead);
  }

  /** Shows what waits for the person if its card is not in view. */
  #drawWaits() {
    const { asking } = this;
    this.waits.hidden = asking === null || asking.isInView;
    if (asking === this.#waitsFor) return;
    this.#waitsFor = asking;
    this.waitsFor.replaceChildren(...(asking?.title ?? []));
  }

  /** Whether the newest entry is drawn and its end is visible. */
  get #atEnd() {
    return this.#to === this.#shown.length && this.#below <= AT_END;
  }

  get #below() {
    const { scrollHeight, scrollTop, clientHeight } = this.scroller;
    return scrollHeight - scrollTop - clientHeight;
  }

  #drawEdge() {
    const above = !this.#follows && !this.#atEnd;
    this.#drawWaits();
    // One of them at a time: the card is what matters.
    this.jump.hidden = !above || !this.waits.hidden;
    this.scroller.classList.toggle("conversation--above", above);
  }
}
