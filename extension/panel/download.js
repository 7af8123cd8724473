/**
 * Downloads a conversation's file. Owns the Blob's lifetime; `files.js` reads it.
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
  // Once the click is handled, the download keeps its own reference to the Blob.
  setTimeout(() => URL.revokeObjectURL(url));
}
