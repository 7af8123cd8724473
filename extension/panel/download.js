/**
 * A file of a conversation as a download. Owns the Blob's life; reading it is `files.js`'s.
 * @import { Attachment } from "../protocol.js"
 * @import { Files } from "./files.js"
 */

/** @param {Files} files @param {string} conversationId @param {Attachment} file */
export async function download(files, conversationId, file) {
  const url = URL.createObjectURL(await files.blob(conversationId, file));
  const link = document.createElement("a");
  link.href = url;
  link.download = file.name;
  link.click();
  // The download has its own hold of the Blob once the click was handled.
  setTimeout(() => URL.revokeObjectURL(url));
}
