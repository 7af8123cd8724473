/**
 * Whatever a person reads comes from the catalogue, in their language. Reads the extension's source as a syntax tree, so
 * that a text in an unusual place is found as well.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { describe, test } from "node:test";
import ts from "typescript";

const extension = new URL("../../extension/", import.meta.url);
const locales = readdirSync(new URL("_locales/", extension));
const catalogue = (locale) => JSON.parse(readFileSync(new URL(`_locales/${locale}/messages.json`, extension), "utf8"));

/** Behaves like a browser of that language. */
function speak(locale) {
  const words = catalogue(locale);
  globalThis.chrome = {
    i18n: { getMessage: (name, values = []) => (words[name]?.message ?? "").replaceAll(/\$(\d)/g, (_place, at) => values[at - 1] ?? "") },
  };
}

const scripts = readdirSync(extension, { recursive: true })
  .filter((path) => path.endsWith(".js") && !path.startsWith("vendor"))
  .map((path) => ({
    path,
    tree: ts.createSourceFile(path, readFileSync(new URL(path, extension), "utf8"), ts.ScriptTarget.Latest, true),
  }));

/** Calls `seen` with every node below `node`. */
function walk(node, seen) {
  seen(node);
  ts.forEachChild(node, (child) => walk(child, seen));
}

/** Two words, or one that starts like a sentence. */
const READS_LIKE_WORDS = /[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]+/;
const KEYS = /^(?:Enter|Escape|Tab|Home|End|Delete|Backspace|AltGraph|Process|Dead|Unidentified|Arrow(?:Up|Down|Left|Right))$/;
/** Texts that nobody reads in the panel, or that are the same in every language. */
const NOT_OURS = {
  "background/last-error.js": /^(?:Specified native|Access to the|Native host|Failed to start|Error when)/, // Chrome's, compared with
  "background/panel-key.js": /^gstack panel proof 1$/, // signed, never shown
  "background/panel-keyboard.js": /^Page\.bringToFront$/, // a DevTools command
  // Chrome's, and for the daemon; a DevTools command.
  "background/relay.js":
    /^(?:Another debugger is already attached|Cannot access a chrome-extension:.*|too large|Input\.dispatchMouseEvent)$/,
  "panel/markdown/allowed.js": /^p br hr/, // elements
  "panel/markdown/highlight.js": /^[a-z5+. _-]+$/, // names of languages and of scopes
  "panel/page.js": /^sidepanel\.html has no #$/, // a broken package: the panel does not start
  "panel/state/context.js": /^(?:Text of the page|Selected text|Picked element)$/, // for the agent
  "panel/state/revealed.js": /\) blanks/, // the daemon's notation
  "panel/suggestions.js": /^(?:Read the page|List the|Show the errors|Take a screenshot)/, // sent: the built-in agent understands English
  "panel/view/composer.js": /^Files$/, // a type of dragged data
  "panel/view/ask.js": /^a subclass (?:draws|does) it$/, // abstract methods
  "panel/view/conversation.js": /^Ctrl Enter$/, // keys
  "panel/view/history-row.js": /^Markdown$/, // a format's name
  "panel/view/settings-drawer.js": /^(?:Shift Enter|Esc)$/, // keys
  "panel/writing.js": /^the (?:composer is|drafts are|editing is) used before/, // the order of the panel's start
  "shared/fault.js": /^FaultError$/, // a class
};

/** Returns whether the node is a class attribute's value or is compared with. */
function isNotShown(node) {
  for (let at = node; at.parent && !ts.isStatement(at); at = at.parent) {
    const { parent } = at;
    if (ts.isPropertyAssignment(parent) && /^(?:class|className)$/.test(parent.name.getText())) return true;
    if (ts.isBinaryExpression(parent) && /^[!=]==$/.test(parent.operatorToken.getText())) return true;
    if (ts.isCallExpression(parent) && /^(?:icon|iconButton|make)$/.test(parent.expression.getText()) && parent.arguments.indexOf(at) > 0)
      return /is-|icon|--/.test(node.text);
  }
  return false;
}

test("no script of the extension holds words for a person outside the catalogue", () => {
  const found = [];
  const used = new Set();
  for (const { path, tree } of scripts)
    walk(tree, (node) => {
      if (!ts.isStringLiteralLike(node) && !ts.isTemplateHead(node) && !ts.isTemplateMiddleOrTemplateTail(node)) return;
      const { text } = node;
      // A command, to be copied as it is; a style sheet.
      if (!READS_LIKE_WORDS.test(text) || KEYS.test(text) || /^gstack [a-z]+|^\s*:host \{/.test(text) || isNotShown(node)) return;
      // Several classes in a row.
      if (/^[a-z_]+-[a-z_-]+ /.test(text) || /^[\w-]+ (?:[\w-]+(?:--|__)[\w-]*|truncate|dim|is-\w+)/.test(text)) return;
      if (NOT_OURS[path]?.test(text)) used.add(path);
      else found.push(`${path}:${tree.getLineAndCharacterOfPosition(node.pos).line + 1} ${text}`);
    });
  assert.deepEqual(found, []);
  const listed = Object.keys(NOT_OURS).filter((path) => !["background/panel-key.js", "background/panel-keyboard.js"].includes(path));
  assert.deepEqual(
    listed.filter((path) => !used.has(path)),
    [],
    "listed, and no longer there",
  );
});

test("what can reach a toast or a card is thrown as a fault, with words of the catalogue", () => {
  const thrown = [];
  for (const { path, tree } of scripts)
    walk(tree, (node) => {
      if (!ts.isNewExpression(node) || !/Error$/.test(node.expression.getText())) return;
      if (node.expression.getText() !== "FaultError") return void thrown.push(`${path} ${node.expression.getText()}`);
      const [fault] = node.arguments;
      const message = ts.isObjectLiteralExpression(fault) && fault.properties.find((one) => one.name.getText() === "message");
      if (message) assert.match(message.initializer.getText(), /^t\(/, path);
    });
  // Defects of ours that a person does not meet: abstract methods, the order of the start, an element that is not in the page.
  // The relay's is Chrome's own text, and becomes a refusal.
  const others = ["background/relay.js Error", "panel/page.js Error", "panel/view/ask.js Error", "panel/writing.js Error"];
  assert.deepEqual([...new Set(thrown)].sort(), others);
});

test("the panel's page and its styles hold no words", () => {
  const html = readFileSync(new URL("sidepanel.html", extension), "utf8");
  const shown = html.replace(/<!--[^]*?-->/g, "").match(/(?<=>)[^<>]*[A-Za-z]{2}[^<>]*(?=<)|(?:title|aria-label|placeholder|alt)="[^"]+"/g);
  assert.deepEqual(shown, ["gstack", "gstack"]);
  for (const name of readdirSync(new URL("styles/", extension)))
    assert.doesNotMatch(readFileSync(new URL(`styles/${name}`, extension), "utf8"), /content: *"[^"]*[A-Za-z]/, name);
});

describe("an exception of the browser's own", () => {
  test("says in every language that something went wrong, and its English in brackets", async () => {
    const { faultOf } = await import("../../extension/shared/fault.js");
    const said = new Set();
    for (const locale of locales) {
      speak(locale);
      const { message } = faultOf(new TypeError("Failed to fetch"));
      assert.ok(message.startsWith(catalogue(locale).code_internal.message), message);
      assert.match(message, /Failed to fetch/);
      assert.doesNotMatch(message, /^Failed/);
      said.add(message);
    }
    assert.equal(said.size, locales.length);
  });

  test("a file that is too large for the panel is named with its size and the limit", async () => {
    const { Files } = await import("../../extension/panel/files.js");
    const { faultOf } = await import("../../extension/shared/fault.js");
    const files = new Files({ request: async () => ({ data: "", total: 40 * 1024 * 1024 }) });
    const said = new Set();
    for (const locale of locales) {
      speak(locale);
      const error = await files.blob("c", { id: "f", mime: "image/png" }).catch((thrown) => thrown);
      const { code, message } = faultOf(error);
      assert.equal(code, "too-large");
      assert.match(message, /40\.0 MB.*32\.0 MB/);
      said.add(message);
    }
    assert.equal(said.size, locales.length);
  });
});

describe("a phrase in the middle of a sentence", () => {
  /** A card's items: a text for a field, and a step that submits. */
  const items = (phrase) => [
    { ask: { ask: "Fill “Name”", phrase: { code: "fill_sel", values: ["Name"] }, action: { element: {}, text: "a" } } },
    { ask: { ask: "Click “Order”", phrase, action: { element: {}, submits: true } } },
  ];

  for (const locale of locales)
    test(`${locale}: is lowercased only where every phrase starts with a verb`, async () => {
      const { headlineOf } = await import("../../extension/panel/state/approvals.js");
      const words = catalogue(locale);
      speak(locale);
      const lowers = words.midSentence.message === "lower";
      assert.ok(lowers || words.midSentence.message === "keep");
      const phrases = Object.keys(words).filter((name) => /^do_/.test(name));
      const quoted = (value) => words.quoted.message.replace("$1", value);
      assert.ok(phrases.length > 100);
      for (const name of phrases) {
        const values = [...words[name].message.matchAll(/\$\d/g)].map((_place, at) => `Ärger ${at}`);
        const headline = headlineOf(items({ code: name.slice("do_".length), values }));
        const text = headline.map((part) => part.text).join("");
        for (const value of locale === "en" ? [] : values) assert.ok(text.includes(quoted(value)), `${name}: ${text}`);
        if (locale === "en") assert.match(text, /, then click “Order”$/);
        else if (lowers) assert.doesNotMatch(text, /(?:puis|luego) \p{Lu}/u, text);
        else {
          const own = words[name].message.replaceAll(/\$(\d)/g, (_place, at) => quoted(values[at - 1]));
          assert.ok(text.endsWith(own), `${name}: ${text}`);
        }
      }
    });

  test("de: a noun keeps its capital, after a colon", async () => {
    const { headlineOf } = await import("../../extension/panel/state/approvals.js");
    speak("de");
    const said = headlineOf(items({ code: "accept_dialogs", values: [] }));
    assert.equal(said.map(({ text }) => text).join(""), "„Name“ ausfüllen, dann: Dialoge annehmen");
  });

  test("phrases of a language that lowercases start with no name: that word is nowhere capitalised within a sentence", () => {
    for (const locale of locales) {
      const words = catalogue(locale);
      if (words.midSentence.message !== "lower") continue;
      const all = Object.values(words).map(({ message }) => message);
      for (const [name, { message }] of Object.entries(words).filter(([name]) => /^(?:do_|group(?:Fill|Actions))/.test(name))) {
        const [first] = message.split(/[^\p{L}’'-]/u);
        const within = all.find((text) => new RegExp(`\\p{Ll},? ${first}(?!\\p{L})`, "u").test(text));
        assert.equal(within, undefined, `${locale} ${name}: ${first}`);
      }
    }
  });
});

test("upper and lower case follow the catalogue's language, not the system's", () => {
  const found = [];
  for (const { path, tree } of scripts)
    walk(tree, (node) => {
      if (ts.isIdentifier(node) && /^toLocale(?:Lower|Upper)Case$/.test(node.text)) found.push(path);
    });
  assert.deepEqual(found, []);
});

test("only the list of connections under Debug names gstack's parts", () => {
  const parts =
    /daemon|d[ée]mon\b|デーモン|守护进程|native (?:messaging )?host|messagerie native|ネイティブメッセージング|本机消息|原生消息/i;
  for (const locale of locales)
    for (const [name, { message }] of Object.entries(catalogue(locale)))
      if (!name.startsWith("hopName_")) assert.doesNotMatch(message, parts, `${locale} ${name}`);
});
