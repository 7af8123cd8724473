/**
 * Pictures that go with the next message: pasted, dropped or chosen.
 * @import { NewAttachment } from "../../protocol.js"
 */
import { t } from "../../shared/i18n.js";
import { size } from "../format.js";
import { h, iconButton } from "./dom.js";

/** One message's pictures together, before Base64. The wire takes more; a person's draft on disk does not. */
const LARGEST = 4 * 1024 * 1024;
const PICTURES = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);

/** @param {File} file @returns {Promise<string>} */
async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  // In parts: a call takes only so many arguments.
  for (let from = 0; from < bytes.length; from += 0x8000) binary += String.fromCharCode(...bytes.subarray(from, from + 0x8000));
  return btoa(binary);
}

export class Attachments {
  /** @type {{ file: File, attachment: NewAttachment, url: string }[]} */ #held = [];

  /** @param {HTMLElement} element @param {(words: string) => void} say  tells the person why something was not taken */
  constructor(element, say) {
    this.element = element;
    this.say = say;
  }

  /** @param {Iterable<File>} files */
  async add(files) {
    for (const file of files) {
      if (!PICTURES.has(file.type)) {
        this.say(t("onlyPictures"));
        continue;
      }
      const total = this.#held.reduce((sum, held) => sum + held.file.size, file.size);
      if (total > LARGEST) {
        this.say(t("pictureTooLarge", size(LARGEST)));
        continue;
      }
      this.#held.push({ file, attachment: { name: file.name || t("picture"), mime: file.type, data: await base64(file) }, url: URL.createObjectURL(file) });
      this.#draw();
    }
  }

  /** @returns {NewAttachment[]} */
  get held() {
    return this.#held.map(({ attachment }) => attachment);
  }

  clear() {
    for (const { url } of this.#held) URL.revokeObjectURL(url);
    this.#held = [];
    this.#draw();
  }

  get isEmpty() {
    return this.#held.length === 0;
  }

  #draw() {
    this.element.hidden = this.isEmpty;
    this.element.replaceChildren(...this.#held.map((held) => h("span", { class: "attachment" },
      h("img", { class: "attachment__thumb", src: held.url, alt: "" }),
      h("span", { class: "truncate" }, held.attachment.name), h("span", { class: "data" }, size(held.file.size)),
      iconButton("cross", t("removePicture", held.attachment.name), () => this.#remove(held), "attachment__remove"))));
  }

  /** @param {{ file: File, attachment: NewAttachment, url: string }} held */
  #remove(held) {
    URL.revokeObjectURL(held.url);
    this.#held = this.#held.filter((each) => each !== held);
    this.#draw();
  }
}
