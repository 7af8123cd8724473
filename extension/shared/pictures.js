/**
 * The types that count as pictures: what a person may attach, and what may become a document of its own when opened. None
 * of them holds script.
 */
export const PICTURE_TYPES = Object.freeze(["image/png", "image/jpeg", "image/webp", "image/gif"]);
