/**
 * The composer: text, attachments, commands behind `/`, Send and Stop.
 *
 * Owns the textarea and its keys. The caller handles messages and commands.
 * @import { NewAttachment } from "../../protocol.js"
 * @import { Command, Group } from "../state/slash.js"
 * @import { Source } from "./attach-menu.js"
 * @import { Held } from "./attachments.js"
 */
import { t } from "../../shared/i18n.js";
import { PICTURE_TYPES } from "../../shared/pictures.js";
import { typedCommand } from "../state/slash.js";
import { TypedTimes } from "../typed-times.js";
import { AttachMenu } from "./attach-menu.js";
import { Attachments } from "./attachments.js";
import { h, icon, iconButton, setText } from "./dom.js";
import { SlashMenu } from "./slash-menu.js";

/** The key code that Chrome reports for keys that an input method consumes. */
const IN_COMPOSITION = 229;

/**
 * @typedef {object} ComposerActions
 * @property {(text: string, attachments: NewAttachment[], context: string | null, later: boolean) => boolean} send
 * `later`: it joins the queue even if a request waits; false: rejected, the text stays
 * @property {() => void} stop
 * @property {() => void} arrive  called when the person clicks into the box
 * @property {() => string | null} recall  returns the previous message, for ↑ in an empty box
 * @property {(text: string) => void} draft  called when the text changes
 * @property {() => void} attached  called when the attachments change
 * @property {() => (one: Held) => void} destination  returns the target for content that takes time to read
 * @property {(words: string) => void} say
 * @property {(typed: string) => Group[]} commands  returns the matching commands
 * @property {(text: string) => boolean} run  returns whether it was a command of the panel's
 * @property {(source: Source) => void} attach
 */

export class Composer {
  #canSend = false;
  /** Whether Enter was pressed before there was a conversation to send to. */
  #entered = false;
  #running = false;
  /** When the letters before the caret were typed. */
  #typed = new TypedTimes();
  /** The caret position when the keyboard left. @type {number | null} */ #left = null;

  /**
   * @param {HTMLFormElement} form
   * @param {{ agent: HTMLElement, folder: HTMLElement, commands: HTMLElement, attach: HTMLElement }} parts  the buttons
   * in the bar, and where the lists open
   * @param {ComposerActions} actions
   */
  constructor(form, { agent, folder, commands, attach }, actions) {
    this.actions = actions;
    this.text = h("textarea", { class: "composer__text", rows: 1, dir: "auto", "aria-label": t("message"), enterkeyhint: "send" });
    const chips = h("div", { class: "composer__attachments", hidden: true });
    this.attachments = new Attachments(chips, {
      destination: () => actions.destination(),
      say: (words) => actions.say(words),
      changed: () => {
        this.#draw();
        actions.attached();
      },
      emptied: () => this.focus(),
    });
    this.chooser = h("input", {
      type: "file",
      accept: PICTURE_TYPES.join(","),
      multiple: true,
      hidden: true,
      onchange: () => void this.#chosen(),
    });
    this.sendButton = h("button", { class: "send", type: "submit", "aria-label": t("send"), title: t("send") }, icon("send"));
    this.stopText = h("span", {}, t("stop"));
    this.stopButton = h(
      "button",
      { class: "stop", type: "button", hidden: true, title: t("stopKey"), onclick: () => actions.stop() },
      icon("stop", "icon icon--fill"),
      this.stopText,
    );
    this.slash = new SlashMenu(commands, this.text, (command) => this.#chooseCommand(command));
    const attachMenu = new AttachMenu(attach, (source) => (source === "picture" ? this.chooser.click() : actions.attach(source)));
    form.append(
      chips,
      this.text,
      h(
        "div",
        { class: "composer__bar" },
        attachMenu.button,
        this.chooser,
        iconButton("slash", t("commands"), () => this.#openCommands()),
        folder,
        h("span", { class: "grow" }, agent),
        this.stopButton,
        this.sendButton,
      ),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.text.addEventListener("keydown", (event) => {
      this.#typed.key(event);
      this.#key(event);
    });
    this.text.addEventListener("input", (event) => {
      this.#moveBack(this.#typed.input(/** @type {InputEvent} */ (event)));
      this.#changed();
    });
    // The caret moves.
    this.text.addEventListener("pointerdown", () => this.#typed.forget());
    // The person is about to write. The panel moves the focus here too, but only a person's own act counts.
    this.text.addEventListener("pointerdown", () => this.actions.arrive());
    this.text.addEventListener("keydown", ({ key }) => {
      if (/^(?:Arrow|Home|End|Page)/.test(key)) this.#typed.forget();
    });
    this.text.addEventListener("blur", () => this.slash.close());
    this.text.addEventListener("paste", (event) => this.#take(event, event.clipboardData));
    form.addEventListener("dragover", (event) => {
      if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
    });
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
    this.slash.close();
    this.#draw();
  }

  /** Restores saved attachments. @param {Held[]} held */
  bring(held) {
    this.attachments.held = held;
    this.#draw();
  }

  /** Inserts text at the caret, as if it were typed. @param {string} words */
  insert(words) {
    this.focus();
    const { selectionStart, selectionEnd, value } = this.text;
    const before = value.slice(0, selectionStart);
    this.text.setRangeText(`${before === "" || /\s$/.test(before) ? "" : " "}${words} `, selectionStart, selectionEnd, "end");
    this.#changed();
  }

  /** Records the caret when the keyboard leaves: keys that are restored later without a time go there. */
  leave() {
    this.#left = this.text.selectionEnd;
  }

  /**
   * Inserts keys that were meant for the composer but pressed elsewhere, each where it belongs.
   * @param {string[]} keys  their names
   * @param {number[]} at  when each was pressed
   */
  type(keys, at) {
    for (const [index, key] of keys.entries()) {
      const caret = this.text.selectionEnd;
      const time = at[index];
      const place =
        time === undefined ? Math.min(this.#left ?? caret, this.text.value.length) : Math.max(0, caret - this.#typed.since(time));
      if (key.length === 1) {
        this.text.setRangeText(key, place, place, caret === place ? "end" : "preserve");
        if (time !== undefined) this.#typed.note(time);
        this.#left = place + 1;
      } else if (key === "Backspace" && place > 0) {
        this.text.setRangeText("", place - 1, place, "preserve");
        this.#left = place - 1;
      }
    }
    this.#changed();
    if (keys.includes("Enter")) this.#send();
  }

  get isEmpty() {
    return this.text.value.trim() === "" && this.attachments.isEmpty;
  }

  focus() {
    this.text.focus();
  }

  #draw() {
    this.sendButton.disabled = !this.#canSend || this.isEmpty;
    // While a turn runs, Send appears only if there is something to send, which joins the queue.
    this.sendButton.hidden = this.#running && this.isEmpty;
  }

  #changed() {
    this.#entered = false;
    this.actions.draft(this.text.value);
    this.#offer();
    this.#draw();
  }

  /** Draws the open list again, because there are other commands. */
  offerAgain() {
    if (this.slash.isOpen) this.#offer();
  }

  #offer() {
    const typed = typedCommand(this.text.value, this.text.selectionEnd);
    if (typed === null) this.slash.close();
    else this.slash.show(this.actions.commands(typed.name), typed.name);
  }

  /** Closes the list. A slash that was only put in front of a message goes. */
  #leaveCommands() {
    const typed = typedCommand(this.text.value, this.text.selectionEnd);
    if (typed?.name === "" && typed.rest !== "") this.#replace(typed.rest);
    this.slash.close();
  }

  /** Opens the list. Text that is already there stays behind the slash. */
  #openCommands() {
    if (typedCommand(this.text.value, this.text.selectionEnd) === null) {
      const { value } = this.text;
      this.text.value = value.trim() === "" ? "/" : `/ ${value}`;
      this.text.setSelectionRange(1, 1);
      this.#changed();
    }
    this.focus();
    this.#offer();
  }

  /** @param {string} text */
  #replace(text) {
    this.text.value = text;
    this.text.setSelectionRange(text.length, text.length);
    this.focus();
    this.#changed();
  }

  /**
   * Runs the command, or completes it in the text if it takes an argument and its name was not fully typed.
   * @param {Command} command
   */
  #chooseCommand({ name, hint, own }) {
    const rest = typedCommand(this.text.value, this.text.selectionEnd)?.rest ?? "";
    this.slash.close();
    if (rest !== "" && own && !hint) {
      // It takes no argument, so what was written stays a message.
      this.#replace(rest);
      this.actions.run(`/${name}`);
      return;
    }
    if (rest !== "" || (hint && this.text.value !== `/${name}`)) return this.#replace(`/${name} ${rest}`);
    this.text.value = `/${name}`;
    this.#send();
  }

  /** Handles the first conversation: an Enter that came before it now sends the message. */
  sendEntered() {
    if (this.#entered) this.#send();
  }

  /** Sends the message, as Enter does. @param {boolean} later  it joins the queue even if a request waits */
  submit(later) {
    this.focus();
    this.#send(later);
  }

  #send(later = false) {
    const text = this.text.value.trim();
    if (text.startsWith("/") && this.actions.run(text)) return this.#sent(false);
    this.#entered = !this.#canSend;
    if (!this.#canSend || this.isEmpty) return;
    if (!this.actions.send(text, this.attachments.files, this.attachments.context, later)) return;
    this.#sent(true);
  }

  /** @param {boolean} whole  with all that was attached */
  #sent(whole) {
    if (whole) this.attachments.clear();
    this.text.value = "";
    this.slash.close();
    this.actions.draft("");
    this.#draw();
  }

  /**
   * Moves the letter before the caret in front of the given number of letters, because it was pressed before them.
   * @param {number} letters
   */
  #moveBack(letters) {
    const caret = this.text.selectionEnd;
    const place = caret - 1 - letters;
    if (letters === 0 || place < 0) return;
    const [letter, others] = [this.text.value.slice(caret - 1, caret), this.text.value.slice(place, caret - 1)];
    this.text.setRangeText(letter + others, place, caret, "end");
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.isComposing || event.keyCode === IN_COMPOSITION) return;
    if (this.slash.isOpen && this.#slashKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      this.#send(event.ctrlKey || event.metaKey);
    } else if (event.key === "ArrowUp" && this.text.value === "") {
      const before = this.actions.recall();
      if (before === null) return;
      event.preventDefault();
      this.value = before;
      this.text.setSelectionRange(before.length, before.length);
      this.actions.draft(before);
    }
  }

  /** @param {KeyboardEvent} event */
  #slashKey(event) {
    const { selected } = this.slash;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") this.slash.move(event.key === "ArrowDown" ? 1 : -1);
    else if (event.key === "Escape") this.#leaveCommands();
    else if (event.key === "Tab" && selected && !event.shiftKey)
      this.#replace(`/${selected.name} ${typedCommand(this.text.value, this.text.selectionEnd)?.rest ?? ""}`);
    else if (event.key === "Enter" && selected && !event.shiftKey && !event.altKey) this.#chooseCommand(selected);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  async #chosen() {
    const files = [...(this.chooser.files ?? [])];
    this.chooser.value = "";
    await this.attachments.take(files);
    this.focus();
  }

  /** @param {Event} event @param {DataTransfer | null} data */
  #take(event, data) {
    const files = [...(data?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void this.attachments.take(files);
  }
}
