/**
 * A person's message: the bubble, its files, and whether the host has it.
 * @import { Attachment } from "../../protocol.js"
 * @import { MessageEntry } from "../state/entries.js"
 * @import { ShownMessage } from "../state/display.js"
 */
import { worded } from "../../shared/fault-words.js";
import { t } from "../../shared/i18n.js";
import { size } from "../format.js";
import { partsOf } from "../state/context.js";
import { CONTEXT_ICONS } from "./attachments.js";
import { h, icon, iconButton } from "./dom.js";

/**
 * @typedef {object} MessageTools
 * @property {(clientId: string) => void} resend
 * @property {(clientId: string) => void} takeBack  removes a failed message and puts its text into the composer
 * @property {(file: Attachment) => Promise<string>} load
 * @property {(clientId: string) => void} editEarlier  puts a message that was answered into the composer
 * @property {string | null} edited  the message that is in the composer
 * @property {boolean} readOnly
 */

/** A longer text is shown only in part: the person knows what they pasted. */
const LONG = 6000;
const BEGINNING = 3000;

export class Message {
  #drawn = "";
  /** Whether the whole of a long text was requested. */
  #whole = false;
  /** @type {MessageEntry | ShownMessage | null} */ #entry = null;

  /** @param {MessageTools} tools */
  constructor(tools) {
    this.tools = tools;
    this.element = h("div", { class: "turn turn--message" });
  }

  /** @param {MessageEntry | ShownMessage} entry */
  update(entry) {
    this.#entry = entry;
    const message = entry.kind === "message" ? entry : entry.message;
    this.element.classList.toggle("turn--edited", message.clientId === this.tools.edited);
    const note = entry.kind === "message" ? "" : entry.note;
    const fault = entry.kind === "message" || !entry.fault ? null : worded(entry.fault);
    const attached = message.attachments.map(({ id }) => id).join();
    const drawn = `${note}\n${fault?.message ?? ""}\n${attached}\n${message.context}\n${message.text}`;
    if (this.#drawn === drawn) return;
    this.#drawn = drawn;
    const failed = note === "failed" || note === "away";
    // Only what the agent has begun to answer has something before it to go on from.
    const edit =
      entry.kind === "message" &&
      !this.tools.readOnly &&
      iconButton("pencil", t("editEarlier"), () => this.tools.editEarlier(message.clientId), "icon-button icon-button--small bubble-edit");
    this.element.replaceChildren(
      h("h2", { class: "visually-hidden" }, t("you")),
      h(
        "div",
        { class: "bubble-row" },
        edit,
        message.text &&
          h(
            "p",
            { class: failed ? "bubble bubble--failed" : "bubble", dir: "auto" },
            this.#whole || message.text.length <= LONG ? message.text : `${message.text.slice(0, BEGINNING)}…`,
          ),
      ),
      ...this.#rest(entry, message.text),
      ...(message.attachments.length > 0 || message.context
        ? [
            h(
              "div",
              { class: "bubble-files" },
              ...partsOf(message.context).map(contextChip),
              ...message.attachments.map((file) => this.#file(file)),
            ),
          ]
        : []),
      ...this.#note(message, note, fault?.message ?? "", fault?.hint ?? ""),
    );
  }

  /** Draws the message again, after `readOnly` or `edited` has changed. */
  redraw() {
    this.#drawn = "";
    if (this.#entry) this.update(this.#entry);
  }

  /** Draws the button for the rest of a long text. @param {MessageEntry | ShownMessage} entry @param {string} text */
  #rest(entry, text) {
    if (this.#whole || text.length <= LONG) return [];
    const all = () => {
      this.#whole = true;
      this.#drawn = "";
      this.update(entry);
    };
    return [h("p", { class: "bubble-note" }, size(text.length), h("button", { type: "button", onclick: all }, t("showAll")))];
  }

  /** @param {MessageEntry} message @param {string} note @param {string} reason @param {string} hint */
  #note({ clientId, from }, note, reason, hint) {
    if (note === "away")
      return [
        h(
          "p",
          { class: "bubble-note bubble-note--failed" },
          t("notSentAway"),
          h("button", { type: "button", onclick: () => this.tools.resend(clientId) }, t("retry")),
        ),
      ];
    if (note === "failed") {
      return [
        h(
          "p",
          { class: "bubble-note bubble-note--failed", title: hint },
          t("notSent", reason),
          h("button", { type: "button", onclick: () => this.tools.resend(clientId) }, t("retry")),
          h("button", { type: "button", onclick: () => this.tools.takeBack(clientId) }, t("takeBack")),
        ),
      ];
    }
    if (note === "sending") return [h("p", { class: "bubble-note bubble-note--sending" }, t("sending"))];
    if (from === "terminal") return [h("p", { class: "bubble-note" }, t("fromTerminal"))];
    return [];
  }

  /** @param {Attachment} file */
  #file(file) {
    return h(
      "span",
      { class: "attachment attachment--sent" },
      icon(file.mime.startsWith("image/") ? "camera" : "file"),
      h("span", { class: "truncate" }, file.name),
      // The daemon reads this picture itself and measures it there.
      file.bytes > 0 && h("span", { class: "data" }, size(file.bytes)),
    );
  }
}

/**
 * Shows a part of the page that went with a message: its first words, and all of it on hover.
 * @param {{ kind: "page" | "selection" | "element", text: string }} part
 */
function contextChip({ kind, text }) {
  return h(
    "span",
    { class: "attachment attachment--sent", title: text.slice(0, 1000), "data-part": kind },
    icon(CONTEXT_ICONS[kind]),
    h("span", { class: "truncate" }, text.split("\n", 1)[0]),
  );
}
