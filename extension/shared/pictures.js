/**
 * The MIME types that count as pictures: those that a person may attach, and that may open as documents of their own.
 * None of them can contain scripts.
 */
export const PICTURE_TYPES = Object.freeze(["image/png", "image/jpeg", "image/webp", "image/gif"]);
