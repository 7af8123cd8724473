/**
 * Files of a conversation: read in parts and kept as Blob URLs while the panel shows them.
 * @import { Attachment } from "../protocol.js"
 * @import { Connection } from "./connection.js"
 */
import { FaultError } from "../shared/fault.js";
import { SAID } from "../shared/fault-words.js";
import { t } from "../shared/i18n.js";
import { PICTURE_TYPES } from "../shared/pictures.js";
import { size } from "./format.js";

/** A panel keeps at most this many bytes. */
const LARGEST = 32 * 1024 * 1024;

export class Files {
  /** @type {Map<string, Promise<string>>} */ #urls = new Map();

  /** @param {Connection} connection */
  constructor(connection) {
    this.connection = connection;
  }

  /**
   * Returns a URL of the file's bytes.
   * @param {string} conversationId
   * @param {Attachment} file
   * @returns {Promise<string>}
   */
  url(conversationId, file) {
    const key = `${conversationId}/${file.id}`;
    const held = this.#urls.get(key);
    if (held) return held;
    const url = this.#read(conversationId, file);
    this.#urls.set(key, url);
    url.catch(() => this.#urls.delete(key));
    return url;
  }

  /** Revokes the URLs when another conversation comes into view. */
  forget() {
    for (const url of this.#urls.values())
      url.then(URL.revokeObjectURL, () => {
        /* its read had failed */
      });
    this.#urls.clear();
  }

  /** @param {string} conversationId @param {Attachment} file */
  async #read(conversationId, file) {
    return URL.createObjectURL(await this.blob(conversationId, file));
  }

  /** Reads the whole file. @param {string} conversationId @param {Attachment} file */
  async blob(conversationId, file) {
    /** @type {Uint8Array<ArrayBuffer>[]} */
    const parts = [];
    let offset = 0;
    for (;;) {
      const { data, total } = await this.connection.request("file.read", { conversationId, id: file.id, offset });
      if (total > LARGEST) throw new FaultError({ code: "too-large", message: t("fileTooLarge", size(total), size(LARGEST)), words: SAID });
      const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
      parts.push(bytes);
      offset += bytes.length;
      if (bytes.length === 0 || offset >= total) break;
    }
    const type = PICTURE_TYPES.includes(file.mime) ? file.mime : "application/octet-stream";
    return new Blob(parts, { type });
  }
}
