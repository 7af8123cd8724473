/**
 * Messages that wait behind the running turn.
 * @import { QueueChip } from "../state/display.js"
 */
import { QUEUE_LIMIT } from "../../shared/constants.js";
import { t } from "../../shared/i18n.js";
import { h, iconButton, KeyedList, setText } from "./dom.js";

class Chip {
  /** @param {(clientId: string) => void} remove */
  constructor(remove) {
    this.place = h("span", { class: "queue-chip__place" });
    this.text = h("span", { class: "truncate grow" });
    this.button = iconButton("cross", t("removeFromQueue"), () => remove(this.clientId), "icon-button icon-button--small");
    this.clientId = "";
    this.element = h("div", { class: "queue-chip", role: "listitem" }, this.place, this.text, this.button);
  }

  /** @param {QueueChip & { place: number }} chip */
  update({ clientId, text, sent, place }) {
    this.clientId = clientId;
    setText(this.place, String(place));
    setText(this.text, text);
    this.text.title = text;
    // Taking back needs the host's confirmation: it may be starting the message's turn at this moment.
    this.button.disabled = !sent;
  }
}

export class Queue {
  /** @param {HTMLElement} element @param {{ remove: (clientId: string) => void, goOn: () => void }} actions */
  constructor(element, { remove, goOn }) {
    this.element = element;
    this.count = h("span", {});
    this.title = h("span", { class: "grow" }, t("waiting"));
    this.more = h("button", { class: "button button--small", type: "button", hidden: true, onclick: goOn }, t("goOn"));
    this.list = h("div", { class: "queue__list", role: "list", "aria-label": t("waiting") });
    this.refusal = h("p", { class: "queue__refusal", role: "alert", hidden: true });
    this.chips = new KeyedList(this.list, () => new Chip(remove));
    element.append(h("div", { class: "queue__head" }, this.title, this.count, this.more), this.list, this.refusal);
    this.length = 0;
  }

  /** @param {QueueChip[]} queue @param {boolean} paused  it waits for the person */
  update(queue, paused) {
    this.length = queue.length;
    this.element.hidden = queue.length === 0;
    setText(this.title, !paused ? t("waiting") : queue.length === 1 ? t("messageWaits") : t("messagesWait", queue.length));
    setText(this.count, paused ? "" : t("queueCount", queue.length, QUEUE_LIMIT));
    this.more.hidden = !paused;
    this.chips.update(queue.map((chip, index) => ({ ...chip, place: index + 1 })));
    if (queue.length < QUEUE_LIMIT) this.refusal.hidden = true;
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
