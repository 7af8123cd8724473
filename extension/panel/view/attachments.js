/**
 * The attachments of the next message, as chips: pictures that were pasted, dropped or chosen, a screenshot, parts of
 * the page.
 * @import { NewAttachment } from "../../protocol.js"
 * @import { Context } from "../state/context.js"
 */
import { quoted, t } from "../../shared/i18n.js";
import { PICTURE_TYPES } from "../../shared/pictures.js";
import { size } from "../format.js";
import { joined, withHeld } from "../state/context.js";
import { h, icon, iconButton } from "./dom.js";

/** The total size of a message's pictures, before Base64. The wire allows more, but the saved draft does not. */
const LARGEST = 4 * 1024 * 1024;
export const CONTEXT_ICONS = { page: "page", selection: "selection", element: "pick" };

/**
 * @typedef {{ kind: "picture", attachment: NewAttachment, bytes: number }} Picture
 * @typedef {{ kind: "shot", attachment: NewAttachment }} Shot  a picture that the daemon has already
 * @typedef {Picture | Shot | Context} Held  plain data that is saved with the draft
 */

/** @param {Blob} file @returns {Promise<string>} */
export async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  // In chunks, because a call takes a limited number of arguments.
  for (let from = 0; from < bytes.length; from += 0x8000) binary += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(binary);
}

export class Attachments {
  /** @type {Held[]} */ #held = [];

  /**
   * @param {HTMLElement} element
   * @param {object} actions
   * @param {() => (one: Held) => void} actions.destination  returns the target for content that takes time to read
   * @param {(words: string) => void} actions.say  tells the person why something was rejected
   * @param {() => void} actions.changed  called on the person's changes
   * @param {() => void} actions.emptied  called when the person removed the last chip: the focus needs a place
   */
  constructor(element, { destination, say, changed, emptied }) {
    this.element = element;
    this.destination = destination;
    this.say = say;
    this.changed = changed;
    this.emptied = emptied;
    element.setAttribute("role", "list");
    element.setAttribute("aria-label", t("attached"));
  }

  /** Adds the person's pictures. @param {Iterable<File>} files */
  async take(files) {
    const bring = this.destination();
    let total = this.#held.reduce((sum, held) => sum + (held.kind === "picture" ? held.bytes : 0), 0);
    for (const file of files) {
      if (!PICTURE_TYPES.includes(file.type)) {
        this.say(t("onlyPictures"));
        continue;
      }
      if (total + file.size > LARGEST) {
        this.say(t("pictureTooLarge", size(LARGEST)));
        continue;
      }
      total += file.size;
      bring({
        kind: "picture",
        attachment: { name: file.name || t("picture"), mime: file.type, data: await base64(file) },
        bytes: file.size,
      });
    }
  }

  /** @param {Held} one */
  add(one) {
    this.#change(withHeld(this.#held, one));
  }

  /** @returns {NewAttachment[]} */
  get files() {
    return this.#held.flatMap((held) => (held.kind === "picture" || held.kind === "shot" ? [held.attachment] : []));
  }

  /** The parts of the page that go with the message. */
  get context() {
    return joined(/** @type {Context[]} */ (this.#held.filter(({ kind }) => kind !== "picture" && kind !== "shot")));
  }

  /** All attachments, in the form that is saved. */
  get held() {
    return this.#held;
  }

  /** Restores saved attachments. Does not call `changed`, because the person changed nothing. @param {Held[]} held */
  set held(held) {
    this.#held = held;
    this.#draw();
  }

  clear() {
    if (this.#held.length > 0) this.#change([]);
  }

  /** Whether nothing here can be sent without text. The daemon accepts pictures alone. */
  get isEmpty() {
    return this.files.length === 0;
  }

  /** @param {Held[]} held */
  #change(held) {
    this.held = held;
    this.changed();
  }

  #draw() {
    this.element.hidden = this.#held.length === 0;
    this.element.replaceChildren(...this.#held.map((held) => this.#chip(held)));
  }

  /** @param {Held} held */
  #chip(held) {
    const label =
      held.kind === "picture" || held.kind === "shot" ? held.attachment.name : held.kind === "selection" ? quoted(held.label) : held.label;
    const detail = held.kind === "picture" ? size(held.bytes) : held.kind === "shot" ? "" : held.detail;
    return h(
      "span",
      { class: "attachment", role: "listitem", "data-kind": held.kind },
      held.kind === "picture"
        ? h("img", { class: "attachment__thumb", src: `data:${held.attachment.mime};base64,${held.attachment.data ?? ""}`, alt: "" })
        : icon(held.kind === "shot" ? "camera" : CONTEXT_ICONS[held.kind]),
      h("span", { class: "truncate", title: label }, label),
      detail && h("span", { class: "data" }, detail),
      iconButton("cross", t("removePicture", label), () => this.#remove(held), "attachment__remove"),
    );
  }

  /** @param {Held} held */
  #remove(held) {
    const at = this.#held.indexOf(held);
    this.#change(this.#held.filter((each) => each !== held));
    const next = this.element.querySelectorAll("button")[Math.min(at, this.#held.length - 1)];
    if (next) next.focus();
    else this.emptied();
  }
}
