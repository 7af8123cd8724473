/**
 * Where a person writes: text, pictures, Send and Stop.
 *
 * Owns the textarea and its keys. What happens with a message is its user's.
 * @import { NewAttachment } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { Attachments } from "./attachments.js";
import { h, icon, iconButton, setText } from "./dom.js";

/** The key code that Chrome gives to keys which an input method swallows. */
const IN_COMPOSITION = 229;

/**
 * @typedef {object} ComposerActions
 * @property {(text: string, attachments: NewAttachment[]) => boolean} send  false: not taken, the text stays
 * @property {() => void} stop
 * @property {() => string | null} recall  the message before, for ↑ in an empty box
 * @property {(text: string) => void} draft  the text changed
 * @property {(words: string) => void} say
 */

export class Composer {
  #canSend = false;
  /** Enter was pressed before there was a conversation to send to. */
  #entered = false;
  #running = false;

  /**
   * @param {HTMLFormElement} form
   * @param {HTMLElement} agentButton
   * @param {ComposerActions} actions
   */
  constructor(form, agentButton, actions) {
    this.actions = actions;
    this.text = h("textarea", { class: "composer__text", rows: 1, "aria-label": t("message"), enterkeyhint: "send" });
    const files = h("div", { class: "composer__attachments", hidden: true });
    this.attachments = new Attachments(files, (words) => actions.say(words));
    const chooser = h("input", { type: "file", accept: "image/png,image/jpeg,image/webp,image/gif", multiple: true, hidden: true, onchange: () => void this.#choose(chooser) });
    this.sendButton = h("button", { class: "send", type: "submit", "aria-label": t("send"), title: t("send") }, icon("send"));
    this.stopText = h("span", {}, t("stop"));
    this.stopButton = h("button", { class: "stop", type: "button", hidden: true, title: t("stopKey"), onclick: () => actions.stop() }, icon("stop", "icon icon--fill"), this.stopText);
    form.append(files, this.text, h("div", { class: "composer__bar" }, iconButton("plus", t("attachPicture"), () => chooser.click()), chooser,
      h("span", { class: "grow" }, agentButton), this.stopButton, this.sendButton));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.text.addEventListener("keydown", (event) => this.#key(event));
    this.text.addEventListener("input", () => {
      this.#entered = false;
      actions.draft(this.text.value);
      this.#draw();
    });
    this.text.addEventListener("paste", (event) => this.#take(event, event.clipboardData));
    form.addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) event.preventDefault(); });
    form.addEventListener("drop", (event) => this.#take(event, event.dataTransfer));
  }

  /** @param {{ placeholder: string, canSend: boolean, running: boolean, stopping: boolean }} state */
  update({ placeholder, canSend, running, stopping }) {
    if (this.text.placeholder !== placeholder) this.text.placeholder = placeholder;
    this.#canSend = canSend;
    this.#running = running;
    this.stopButton.hidden = !running;
    this.stopButton.disabled = stopping;
    setText(this.stopText, stopping ? t("stopping") : t("stop"));
    this.#draw();
  }

  get value() {
    return this.text.value;
  }

  /** @param {string} text */
  set value(text) {
    this.text.value = text;
    this.#draw();
  }

  get isEmpty() {
    return this.text.value.trim() === "" && this.attachments.isEmpty;
  }

  focus() {
    this.text.focus();
  }

  #draw() {
    this.sendButton.disabled = !this.#canSend || this.isEmpty;
    // While a turn runs Send comes only with something to send: it puts it into the queue.
    this.sendButton.hidden = this.#running && this.isEmpty;
  }

  /** The first conversation is there: an Enter that came before it counts now. */
  sendEntered() {
    if (this.#entered) this.#send();
  }

  #send() {
    const text = this.text.value.trim();
    this.#entered = !this.#canSend;
    if (!this.#canSend || this.isEmpty) return;
    if (!this.actions.send(text, this.attachments.held)) return;
    this.attachments.clear();
    this.text.value = "";
    this.actions.draft("");
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.keyCode === IN_COMPOSITION) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#send();
    } else if (event.key === "ArrowUp" && this.text.value === "") {
      const before = this.actions.recall();
      if (before === null) return;
      event.preventDefault();
      this.value = before;
      this.text.setSelectionRange(before.length, before.length);
      this.actions.draft(before);
    }
  }

  /** @param {HTMLInputElement} chooser */
  async #choose(chooser) {
    const files = [...(chooser.files ?? [])];
    chooser.value = "";
    await this.attachments.add(files);
    this.#draw();
    this.focus();
  }

  /** @param {Event} event @param {DataTransfer | null} data */
  #take(event, data) {
    const files = [...(data?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.attachments.add(files).then(() => this.#draw());
  }
}
