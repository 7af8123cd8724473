/**
 * Messages that wait behind the running turn: each can be sent now, moved forward, edited or removed.
 * @import { QueueChip } from "../state/display.js"
 */
import { QUEUE_LIMIT } from "../../shared/constants.js";
import { t } from "../../shared/i18n.js";
import { h, iconButton, KeyedList, setText } from "./dom.js";

/**
 * @typedef {object} QueueActions
 * @property {(clientId: string) => void} remove
 * @property {(clientId: string) => void} edit  takes the message back into the composer
 * @property {(clientIds: string[], now: boolean) => void} order  the new order; `now`: runs the first one
 * @property {(clientIds: string[]) => void} clear
 * @property {() => void} goOn
 */

class Chip {
  /** @param {Queue} queue */
  constructor(queue) {
    this.place = h("span", { class: "queue-chip__place" });
    this.text = h("span", { class: "truncate grow", dir: "auto" });
    const button = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ act) =>
      iconButton(name, label, act, "icon-button icon-button--small");
    const { actions } = queue;
    this.now = button("enter", t("sendNow"), () => queue.order(this.clientId, 0, true));
    this.up = button("arrow-up", t("moveForward"), () => queue.order(this.clientId, this.index - 1, false));
    this.edit = button("pencil", t("edit"), () => actions.edit(this.clientId));
    this.remove = button("cross", t("removeFromQueue"), () => actions.remove(this.clientId));
    this.clientId = "";
    this.index = 0;
    this.element = h(
      "div",
      { class: "queue-chip", role: "listitem" },
      this.place,
      this.text,
      h("span", { class: "queue-chip__actions" }, this.now, this.up, this.edit, this.remove),
    );
  }

  /** @param {QueueChip & { index: number }} chip */
  update({ clientId, text, sent, index }) {
    this.clientId = clientId;
    this.index = index;
    setText(this.place, String(index + 1));
    setText(this.text, text);
    this.text.title = text;
    this.up.hidden = index === 0;
    // Changing it needs the host's confirmation: it may be starting the message's turn at this moment.
    for (const button of [this.now, this.up, this.edit, this.remove]) button.disabled = !sent;
  }
}

export class Queue {
  /** The waiting messages that the host has. @type {string[]} */ #sent = [];

  /** @param {HTMLElement} element @param {QueueActions} actions */
  constructor(element, actions) {
    this.element = element;
    this.actions = actions;
    this.count = h("span", {});
    this.title = h("span", { class: "grow" }, t("waiting"));
    this.more = h("button", { class: "button button--small", type: "button", hidden: true, onclick: actions.goOn }, t("goOn"));
    this.clear = h("button", { class: "link", type: "button", hidden: true, onclick: () => actions.clear(this.#sent) }, t("clearQueue"));
    this.list = h("div", { class: "queue__list", role: "list", "aria-label": t("waiting") });
    this.refusal = h("p", { class: "queue__refusal", role: "alert", hidden: true });
    this.chips = new KeyedList(this.list, () => new Chip(this));
    element.append(h("div", { class: "queue__head" }, this.title, this.count, this.clear, this.more), this.list, this.refusal);
    this.length = 0;
  }

  /** @param {QueueChip[]} queue @param {boolean} paused  it waits for the person */
  update(queue, paused) {
    this.length = queue.length;
    this.#sent = queue.flatMap(({ clientId, sent }) => (sent ? [clientId] : []));
    this.element.hidden = queue.length === 0;
    setText(this.title, !paused ? t("waiting") : queue.length === 1 ? t("messageWaits") : t("messagesWait", queue.length));
    setText(this.count, paused ? "" : t("queueCount", queue.length, QUEUE_LIMIT));
    this.more.hidden = !paused;
    this.clear.hidden = this.#sent.length < 2;
    this.chips.update(queue.map((chip, index) => ({ ...chip, index })));
    if (queue.length < QUEUE_LIMIT) this.refusal.hidden = true;
  }

  /** Moves a message to a place among those that the host has. @param {string} clientId @param {number} to @param {boolean} now */
  order(clientId, to, now) {
    const others = this.#sent.filter((each) => each !== clientId);
    this.actions.order(others.toSpliced(to, 0, clientId), now);
  }

  get isFull() {
    return this.length >= QUEUE_LIMIT;
  }

  /** Shows why a message was not added. */
  refuse() {
    setText(this.refusal, t("queueFull", QUEUE_LIMIT));
    this.refusal.hidden = false;
  }
}
