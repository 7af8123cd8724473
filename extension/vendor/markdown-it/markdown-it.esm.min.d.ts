/** What of markdown-it is used: a source becomes tokens, of which our own code makes nodes. Its renderer is not. */
export interface Token {
  type: string;
  tag: string;
  /** 1 opens, -1 closes, 0 is whole. */
  nesting: number;
  content: string;
  /** Of a fence: what stands behind it. */
  info: string;
  markup: string;
  /** The paragraph of a tight list. */
  hidden: boolean;
  children: Token[] | null;
  attrGet(name: string): string | number | null;
}
export interface BlockState {
  level: number;
  line: number;
  blkIndent: number;
  getLines(from: number, to: number, indent: number, keepLastLineFeed: boolean): string;
  push(type: string, tag: string, nesting: number): Token;
}
export type BlockRule = (state: BlockState, from: number, to: number, silent: boolean) => boolean;
export default class MarkdownIt {
  constructor(options: { html: boolean; maxNesting: number });
  validateLink: (address: string) => boolean;
  normalizeLink: (address: string) => string;
  normalizeLinkText: (address: string) => string;
  block: { ruler: { before(next: string, name: string, rule: BlockRule): void; disable(name: string): void } };
  utils: { unescapeAll(text: string): string };
  parse(source: string, references: object): Token[];
}
