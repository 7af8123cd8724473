/** What of highlight.js is used: a grammar is registered, a text becomes marked text. Nothing of it touches the document. */
interface Highlighter {
  registerLanguage(name: string, grammar: unknown): void;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}
declare const highlighter: Highlighter;
export default highlighter;
