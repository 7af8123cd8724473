/**
 * Where the keyboard goes: the focus when a card appears or an element disappears, and the keys that belong to no part
 * of the panel.
 *
 * Owns the last card that was revealed. Never takes the focus from a person who types.
 * @import { Editing } from "./editing.js"
 * @import { Drawers } from "./drawers.js"
 * @import { Pick } from "./pick.js"
 * @import { PanelState } from "./state/panel-state.js"
 * @import { PanelStore } from "./tab-conversation.js"
 * @import { Composer } from "./view/composer.js"
 * @import { ConversationView } from "./view/conversation.js"
 * @import { DriverAsks } from "./view/driver-asks.js"
 * @import { Toast } from "./view/toast.js"
 */
import { t } from "../shared/i18n.js";
import { byId } from "./page.js";
import { writesElsewhere } from "./typing.js";

/**
 * @typedef {{ clients: DriverAsks, editing: Editing, conversation: ConversationView, drawers: Drawers, composer: Composer, pick: Pick,
 *   store: PanelStore, toast: Toast }} Parts
 */

export class Attention {
  /** The last card that was revealed. @type {unknown} */ #offered = null;

  /** @param {Parts} parts @param {() => void} stop  stops the running turn */
  constructor(parts, stop) {
    this.parts = parts;
    this.stop = stop;
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  /** @param {PanelState} state */
  update(state) {
    this.#offerFocus();
    this.#keepFocus(state);
  }

  /** Moves the focus to the card or the composer after a drawer closed. */
  goOn() {
    const { asking } = this.parts.conversation;
    if (asking && this.parts.composer.isEmpty) asking.focus();
    else if (!this.parts.store.state.reading) this.parts.composer.focus();
  }

  /** Reveals a new card by closing whatever hides it. Moves the focus to it unless the person is typing. */
  #offerFocus() {
    // A client's card is above the drawers, an agent's behind them.
    const client = this.parts.clients.asking;
    const asking = client ?? this.parts.conversation.asking;
    if (asking === this.#offered) return;
    this.#offered = asking;
    if (!asking) return;
    if (!client) this.parts.drawers.close();
    // In another card, the person may be about to answer by a key.
    const isBusy = document.activeElement?.closest("input, .asked-text, .approval");
    if (this.parts.drawers.open === null && this.parts.composer.isEmpty && document.hasFocus() && !isBusy) asking.focus();
  }

  /** Restores a focus that was lost with a removed element. @param {PanelState} state */
  #keepFocus({ reading }) {
    const { activeElement } = document;
    const lost =
      !activeElement ||
      activeElement === document.body ||
      !activeElement.checkVisibility() ||
      (activeElement instanceof HTMLButtonElement && activeElement.disabled);
    // A person who selects text is reading it.
    if (!lost || this.parts.drawers.open !== null || !(getSelection()?.isCollapsed ?? true)) return;
    if (reading) byId("reading").querySelector("button")?.focus();
    else this.parts.composer.focus();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.defaultPrevented || event.isComposing) return;
    if (event.key === "Escape" && !event.ctrlKey && !event.metaKey && !event.altKey) return this.escape(event);
    if (this.#chooses(event)) {
      event.preventDefault();
      const card = this.#chosen(event);
      if (card?.isInView) card.choose(Number(event.key));
      else this.parts.toast.show(t("cardNotInView"));
    } else if (writesElsewhere(event) && this.parts.store.state.reading === null) {
      // The key itself goes to the newly focused element.
      if (this.parts.drawers.hidesComposer) this.parts.drawers.close();
      this.parts.composer.focus();
    }
  }

  /** @param {KeyboardEvent} [event]  absent: the key was pressed while the page had the keyboard */
  escape(event) {
    if (this.parts.pick.stop()) {
      /* the page's element picker is open */
    } else if (this.parts.drawers.open) this.parts.drawers.close();
    else if (!this.parts.composer.stopButton.hidden && !this.parts.composer.stopButton.disabled) this.stop();
    else if (!this.parts.editing.cancel()) return;
    event?.preventDefault();
  }

  /** Returns the card that a key is pressed in. @param {KeyboardEvent} event */
  #chosen({ target }) {
    const cards = [this.parts.clients.asking, this.parts.conversation.asking];
    return cards.find((card) => target instanceof Node && card?.element.contains(target)) ?? null;
  }

  /**
   * Returns whether a digit key answers the focused card. In the composer a digit is text.
   * @param {KeyboardEvent} event
   */
  #chooses(event) {
    const asking = this.#chosen(event);
    if (!asking?.takesNumbers || event.repeat || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return false;
    const writes =
      event.target instanceof HTMLTextAreaElement || (event.target instanceof HTMLInputElement && event.target.type === "text");
    return !writes;
  }
}
