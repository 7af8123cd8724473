/**
 * Highlights code. Loads the library and a language's grammar when a block in that language first comes into view.
 *
 * Owns the list of languages, the token classes that have a colour, and the queue of blocks. Never changes a block's
 * text: the lines stay, and their content becomes spans with a class of ours.
 */
import { h } from "../view/dom.js";

/** The bundled grammars, each with its aliases. */
const GRAMMARS = {
  bash: "sh zsh shell console shellsession",
  c: "h",
  cpp: "c++ cc cxx hpp",
  csharp: "c# cs",
  css: "",
  dart: "",
  dockerfile: "docker",
  elixir: "ex exs",
  go: "golang",
  graphql: "gql",
  http: "",
  ini: "toml conf",
  java: "",
  javascript: "js jsx mjs cjs",
  json: "jsonc json5",
  kotlin: "kt kts",
  lua: "",
  makefile: "make mk",
  markdown: "md",
  nginx: "",
  perl: "pl",
  php: "",
  powershell: "ps1 pwsh",
  protobuf: "proto",
  python: "py",
  r: "",
  ruby: "rb",
  rust: "rs",
  scala: "",
  scss: "",
  sql: "",
  swift: "",
  typescript: "ts tsx mts cts",
  xml: "html svg xhtml vue svelte",
  yaml: "yml",
};
const NAMES = new Map(
  Object.entries(GRAMMARS).flatMap(([grammar, others]) => [grammar, ...others.split(" ")].map((name) => [name, grammar])),
);

/** Maps highlight.js classes to our colours. Classes that are not listed have none. */
const COLOURS = {
  keyword: "keyword literal selector-tag meta-keyword operator",
  string: "string regexp char quote-string link addition",
  number: "number symbol variable.constant",
  comment: "comment quote doctag",
  name: "title section name selector-id selector-class",
  type: "type class built_in attr attribute property meta selector-attr selector-pseudo",
};
const KINDS = new Map(Object.entries(COLOURS).flatMap(([kind, classes]) => classes.split(" ").map((each) => [`hljs-${each}`, kind])));

/** @typedef {{ text: string, kind: string }} Token */

/** @type {Map<string, Promise<unknown>>} */ const loaded = new Map();
/** Languages by the code element that has not been in view yet. @type {WeakMap<Element, string>} */
const languages = new WeakMap();
/** Code in view that is not highlighted yet. @type {Set<HTMLElement>} */ const waiting = new Set();
let isWorking = false;
/** @type {IntersectionObserver | null} */ let seen = null;

/**
 * Highlights the code once it is in view. A language without a grammar stays plain.
 * @param {HTMLElement} code  its children are lines
 * @param {string} language
 */
export function colourWhenSeen(code, language) {
  const grammar = NAMES.get(language.toLowerCase());
  if (!grammar) return;
  languages.set(code, grammar);
  seen ??= new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen?.unobserve(target);
      waiting.add(/** @type {HTMLElement} */ (target));
    }
    void work();
  });
  seen.observe(code);
}

/** Handles one block per idle period, so that highlighting delays no frame. */
async function work() {
  if (isWorking) return;
  isWorking = true;
  for (const code of waiting) {
    waiting.delete(code);
    const language = languages.get(code) ?? "";
    const library = await load(language);
    await new Promise((free) => requestIdleCallback(free, { timeout: 1000 }));
    if (library && code.isConnected) colour(code, tokensOf(library.highlight(sourceOf(code), { language, ignoreIllegals: true }).value));
  }
  isWorking = false;
}

/** @param {string} language */
async function load(language) {
  try {
    const { default: library } = await import("../../vendor/highlight/core.min.js");
    const grammar =
      loaded.get(language) ??
      import(`../../vendor/highlight/languages/${language}.min.js`).then((module) => library.registerLanguage(language, module.default));
    loaded.set(language, grammar);
    await grammar;
    return library;
  } catch {
    // The extension was replaced while the panel is open, so the code stays plain.
    return null;
  }
}

/** @param {HTMLElement} code */
function sourceOf(code) {
  return [...code.children].map(lineOf).join("\n");
}

/** Returns a line's text; an empty line holds a zero-width character. @param {Element} line */
function lineOf(line) {
  return (line.textContent ?? "").replace(/^\u200b$/, "");
}

/**
 * Returns the library's output as pieces of text, each with its class. Parses its HTML in an inert document; only text
 * and our own class names leave it.
 * @param {string} html
 * @returns {Token[]}
 */
export function tokensOf(html) {
  /** @type {Token[]} */
  const tokens = [];
  const walk = (/** @type {Node} */ node, /** @type {string} */ kind) => {
    for (const child of node.childNodes) {
      if (child instanceof Text) tokens.push({ text: child.data, kind });
      else if (child instanceof Element) walk(child, KINDS.get(child.classList[0] ?? "") ?? kind);
    }
  };
  walk(new DOMParser().parseFromString(html, "text/html").body, "");
  return tokens;
}

/** @param {HTMLElement} code @param {Token[]} tokens */
function colour(code, tokens) {
  // The drawn text must equal the original, whatever the library returned.
  if (tokens.map(({ text }) => text).join("") !== sourceOf(code)) return;
  const lines = [...code.children];
  /** @type {Node[][]} */
  const drawn = [[]];
  for (const { text, kind } of tokens) {
    text.split("\n").forEach((part, index) => {
      if (index > 0) drawn.push([]);
      if (part) drawn.at(-1)?.push(kind ? h("span", { class: `code--${kind}` }, part) : document.createTextNode(part));
    });
  }
  lines.forEach((line, index) => {
    if (lineOf(line)) line.replaceChildren(...(drawn[index] ?? []));
  });
}
