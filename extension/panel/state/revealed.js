/**
 * Shows a text as it really is: replaces invisible characters, and those that change the order of letters, by their
 * names. Pure.
 *
 * Owns the named characters. Omits nothing: the parts together represent the whole text.
 */

/**
 * @typedef {{ kind: "text", text: string } | { kind: "hidden", name: string } | { kind: "spaces" | "lines", count: number }} Part
 */

/** A run of at least this many blanks within a line, or of empty lines, is counted instead of drawn. */
const LONG_RUN = 4;
/** Code indentation is drawn up to this depth. */
const INDENT = 16;

const BLANKS = "[ \\t\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000]";
/** Characters that draw nothing, besides controls, format characters and unassigned code points. */
const UNSEEN = "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u3164\\uffa0\\ufe00-\\ufe0e\\u{e0100}-\\u{e01ef}";
/** An emoji sequence. Its joiners are part of the drawn emoji, so they are not named. */
const EMOJI =
  "\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?(?:\\u200d\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?)*";
/** The daemon's notation. In a text that uses it, the text's own brackets are escaped too. */
const SPELLED = "⟨(?:(?<code>U\\+[0-9A-F]{4,6})|(?<blanks>\\d+) blanks|(?<breaks>\\d+) line breaks)⟩";
const LONG_BLANKS = `(?<spaces>${BLANKS}{${LONG_RUN},})|(?<lines>(?:\\r?\\n${BLANKS}*){${LONG_RUN},})`;
const HIDDEN = `\\r(?!\\n)|(?![\\n\\r\\t])[\\p{Cc}\\p{Cf}\\p{Co}\\p{Cn}\\p{Cs}\\p{Zl}\\p{Zp}${UNSEEN}\\ufe0f]`;
const FOUND = new RegExp(`(?<emoji>${EMOJI})|${SPELLED}|${LONG_BLANKS}|(?<hidden>${HIDDEN})`, "gu");

/** @param {string} text @returns {Part[]} */
export function revealed(text) {
  /** @type {Part[]} */
  const parts = [];
  let plain = "";
  let from = 0;
  const flush = () => {
    if (plain) parts.push({ kind: "text", text: plain });
    plain = "";
  };
  for (const match of text.matchAll(FOUND)) {
    const { spaces, lines, hidden, code, blanks, breaks } = match.groups ?? {};
    plain += text.slice(from, match.index);
    from = match.index + match[0].length;
    if (hidden !== undefined) {
      flush();
      parts.push({ kind: "hidden", name: nameOf(hidden) });
    } else if (code !== undefined) {
      flush();
      parts.push({ kind: "hidden", name: code });
    } else if (blanks !== undefined) {
      flush();
      parts.push({ kind: "spaces", count: Number(blanks) });
    } else if (breaks !== undefined) {
      flush();
      parts.push({ kind: "lines", count: Number(breaks) - 1 });
    } else if (spaces !== undefined && !isIndent(text, match.index, spaces)) {
      flush();
      parts.push({ kind: "spaces", count: spaces.length });
    } else if (lines !== undefined) {
      flush();
      parts.push({ kind: "lines", count: lines.split("\n").length - 1 });
    } else {
      plain += match[0];
    }
  }
  plain += text.slice(from);
  flush();
  return parts;
}

/** @param {string} character */
function nameOf(character) {
  const code = /** @type {number} */ (character.codePointAt(0));
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** @param {string} text @param {number} at @param {string} spaces */
function isIndent(text, at, spaces) {
  return spaces.length <= INDENT && (at === 0 || text[at - 1] === "\n") && /\S/.test(text[at + spaces.length] ?? "");
}
