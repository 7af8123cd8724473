/**
 * Colours code. The library and a language's grammar are loaded when a block in that language first comes into view.
 *
 * Owns the list of languages, the kinds of words that have a colour, and the queue of blocks to colour. Never changes a
 * block's text: the lines stay, and what stands in them becomes spans with a class of ours.
 */
import { h } from "../view/dom.js";

/** The grammars that we carry, each with the other names under which agents write it. */
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

/** highlight.js' classes by the colour that they have here; what is not listed has none. */
const COLOURS = {
  keyword: "keyword literal selector-tag meta-keyword operator",
  string: "string regexp char quote-string link addition",
  number: "number symbol variable.constant",
  comment: "comment quote doctag",
  name: "title section name function selector-id selector-class",
  type: "type class built_in attr attribute property meta selector-attr selector-pseudo",
};
const KINDS = new Map(Object.entries(COLOURS).flatMap(([kind, classes]) => classes.split(" ").map((each) => [`hljs-${each}`, kind])));

/** @typedef {{ text: string, kind: string }} Token */

/** @type {Map<string, Promise<unknown>>} */ const loaded = new Map();
/** Languages by the code element that waits to be seen. @type {WeakMap<Element, string>} */ const languages = new WeakMap();
/** In view and not coloured yet. @type {Set<HTMLElement>} */ const waiting = new Set();
let isWorking = false;
/** @type {IntersectionObserver | null} */ let seen = null;

/** Colours it once it is in view; a language that we don't have stays as it is. @param {HTMLElement} code  its children are lines @param {string} language */
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

/** One block each time that nothing else has to be done: no frame is late for a colour. */
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
    // The extension was replaced while the panel is open: the code stays as it is.
    return null;
  }
}

/** @param {HTMLElement} code */
function sourceOf(code) {
  return [...code.children].map(lineOf).join("\n");
}

/** A line's text; an empty one holds a character without width. @param {Element} line */
function lineOf(line) {
  return (line.textContent ?? "").replace(/^\u200b$/, "");
}

/**
 * The library's marked text as pieces of text, each with its kind. Its HTML is parsed in an inert document, and nothing
 * but text and our own names leaves it.
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
  // What is drawn is what was there, whatever the library made of it.
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
