/**
 * Parses Markdown into tokens: CommonMark with GitHub's tables and strikethrough. Owns the library's configuration,
 * never what becomes of its tokens.
 *
 * Raw HTML and links of every kind become tokens; the code that creates nodes decides what may be shown. No limit ever
 * drops text.
 * @import { BlockState, Token } from "../../vendor/markdown-it/markdown-it.esm.min.js"
 */
import MarkdownIt from "../../vendor/markdown-it/markdown-it.esm.min.js";

/** Deeper nesting is flattened: no answer needs it, and each level processes its text once more. */
export const DEEPEST = 64;

/**
 * A table's rows are padded to the columns of its header. A table with more cells than this, and more cells than
 * characters, is text.
 */
const MOST_CELLS = 2000;
const DELIMITERS = /^[-:|>\s]+$/;

const parser = makeParser();
const withoutTables = makeParser();
withoutTables.block.ruler.disable("table");

function makeParser() {
  const made = new MarkdownIt({ html: true, maxNesting: 2 * DEEPEST });
  // Addresses stay as written: the browser parses them, and one list says where links may lead.
  made.validateLink = () => true;
  made.normalizeLink = (address) => address;
  made.normalizeLinkText = (address) => address;
  made.block.ruler.before("table", "deepest", tooDeep);
  return made;
}

/**
 * Emits content that is nested too deeply as plain text.
 * @param {BlockState} state
 * @param {number} from
 * @param {number} to
 * @param {boolean} silent
 */
function tooDeep(state, from, to, silent) {
  if (silent || state.level < DEEPEST) return false;
  state.push("paragraph_open", "p", 1);
  state.push("html_inline", "", 0).content = state.getLines(from, to, state.blkIndent, false).trim();
  state.push("paragraph_close", "p", -1);
  state.line = to;
  return true;
}

/** Returns the tokens of one block. @param {string} source @returns {Token[]} */
export function parse(source) {
  return (cellsOf(source) > Math.max(MOST_CELLS, source.length) ? withoutTables : parser).parse(source, {});
}

/** Returns an upper bound for the cells of its tables. @param {string} source */
function cellsOf(source) {
  const lines = source.split("\n");
  const columns = lines.filter((line) => DELIMITERS.test(line)).map((line) => line.split("|").length);
  return Math.max(0, ...columns) * lines.length;
}

/** Returns the first word after a fence, which names the language. @param {Token} fence */
export function languageOf(fence) {
  return parser.utils.unescapeAll(fence.info).trim().split(/\s/)[0] ?? "";
}
