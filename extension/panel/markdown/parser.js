/**
 * Markdown as tokens: CommonMark with GitHub's tables and deleted text. Owns how the library is set up, and nothing of
 * what its tokens become.
 *
 * Raw HTML and links of every kind come as tokens: what may be shown is decided where nodes are made. Text is never lost
 * to a limit.
 * @import { BlockState, Token } from "../../vendor/markdown-it/markdown-it.esm.min.js"
 */
import MarkdownIt from "../../vendor/markdown-it/markdown-it.esm.min.js";

/** Deeper nesting is flattened: no answer needs it, and every level costs its text once more. */
export const DEEPEST = 64;

/** A table's rows are filled up to its head's columns. With more cells than these and than it has letters it is text. */
const MOST_CELLS = 2000;
const DELIMITERS = /^[-:|>\s]+$/;

const parser = makeParser();
const withoutTables = makeParser();
withoutTables.block.ruler.disable("table");

function makeParser() {
  const made = new MarkdownIt({ html: true, maxNesting: 2 * DEEPEST });
  // Addresses stay as they were written: the browser reads them, and one list says where a link may lead.
  made.validateLink = () => true;
  made.normalizeLink = (address) => address;
  made.normalizeLinkText = (address) => address;
  made.block.ruler.before("table", "deepest", tooDeep);
  return made;
}

/** What is nested too deeply stands as the text that it is. @param {BlockState} state @param {number} from @param {number} to @param {boolean} silent */
function tooDeep(state, from, to, silent) {
  if (silent || state.level < DEEPEST) return false;
  state.push("paragraph_open", "p", 1);
  state.push("html_inline", "", 0).content = state.getLines(from, to, state.blkIndent, false).trim();
  state.push("paragraph_close", "p", -1);
  state.line = to;
  return true;
}

/** The tokens of one block. @param {string} source @returns {Token[]} */
export function parse(source) {
  return (cellsOf(source) > Math.max(MOST_CELLS, source.length) ? withoutTables : parser).parse(source, {});
}

/** How many cells its tables may have at most. @param {string} source */
function cellsOf(source) {
  const lines = source.split("\n");
  const columns = lines.filter((line) => DELIMITERS.test(line)).map((line) => line.split("|").length);
  return Math.max(0, ...columns) * lines.length;
}

/** The first word behind a fence, where a language has its name. @param {Token} fence */
export function languageOf(fence) {
  return parser.utils.unescapeAll(fence.info).trim().split(/\s/)[0] ?? "";
}
