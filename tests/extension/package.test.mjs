/**
 * Consistency across files: messages and their use, versions, the manifest's permissions, the files that pages load.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { duration, elapsed, hostOf, siteOf, size } from "../../extension/panel/format.js";
import { suggest, suggestPlain } from "../../extension/panel/suggestions.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const extension = join(root, "extension");
const read = (...path) => readFileSync(join(extension, ...path), "utf8");
const files = (folder = "") =>
  readdirSync(join(extension, folder)).flatMap((name) => {
    const path = join(folder, name);
    return statSync(join(extension, path)).isDirectory() ? files(path) : [path];
  });
// Third-party files stay as published.
const isVendored = (path) => path.startsWith("vendor");
const scripts = files().filter((path) => path.endsWith(".js") && !isVendored(path));
const source = scripts.map((path) => read(path)).join("\n");
const manifest = JSON.parse(read("manifest.json"));
const messages = Object.keys(JSON.parse(read("_locales", "en", "messages.json")));

test("every word that is asked for exists, and none is left over", () => {
  const names = new Set(
    [
      ...source.matchAll(/\b(?:t|sentence)\(\s*"(\w+)"/g),
      ...source.matchAll(/getMessage\("(\w+)"/g),
      ...source.matchAll(/"((?:suggest|plain|fact)[A-Z]\w+)"/g),
    ].map(([, name]) => name),
  );
  for (const [, name] of read("manifest.json").matchAll(/__MSG_(\w+)__/g)) names.add(name);
  // Composed names: `hop_${hop}`.
  const families = [...source.matchAll(/\bt\(`(\w+_)\$\{/g)].map(([, family]) => family);
  const conditional = [...source.matchAll(/\? t\("(\w+)"\) : t\("(\w+)"\)/g)].flat();
  assert.deepEqual(
    [...names].filter((name) => !messages.includes(name)),
    [],
  );
  families.push("do_");
  // Names that are tried, with the daemon's text as the fallback.
  for (const [, family] of source.matchAll(/\bword\(`(\w+_)\$\{/g)) families.push(family);
  assert.deepEqual(
    messages.filter((name) => !names.has(name) && !conditional.includes(name) && !families.some((family) => name.startsWith(family))),
    [],
  );
  for (const family of families)
    assert.ok(
      messages.some((name) => name.startsWith(family)),
      family,
    );
});

test("every setting of the daemon has its words, and the English ones are the daemon's", () => {
  const english = JSON.parse(read("_locales", "en", "messages.json"));
  const settings = JSON.parse(readFileSync(join(root, "tests", "extension", "settings.json"), "utf8"));
  const word = (name) => english[name]?.message;
  for (const { name, label, help, group, unit, choices = [] } of settings) {
    const code = name.replaceAll(/\W/g, "_");
    assert.deepEqual(
      [word(`setting_${code}`), word(`settingHelp_${code}`), word(`settingGroup_${group.replaceAll(/\W/g, "_")}`)],
      [label, help, group],
    );
    if (unit) assert.equal(word(`unit_${unit}`), unit);
    // Agents have their own names.
    for (const choice of choices.filter(({ value }) => name !== "agents.default" || value === ""))
      assert.equal(word(`choice_${choice.value || "first"}`), choice.label);
  }
  const codes = new Set(settings.map(({ name }) => name.replaceAll(/\W/g, "_")));
  assert.deepEqual(
    messages.filter((name) => /^setting(?:Help)?_/.test(name) && !codes.has(name.replace(/^\w+?_/, ""))),
    [],
  );
});

const placeholders = (message) => [...message.matchAll(/\$\d/g)].map(([one]) => one).sort();

for (const locale of readdirSync(join(extension, "_locales"))) {
  test(`${locale}: every word, with the values that belong into it, and its own direction`, () => {
    const english = JSON.parse(read("_locales", "en", "messages.json"));
    const own = JSON.parse(read("_locales", locale, "messages.json"));
    assert.deepEqual(Object.keys(own), Object.keys(english));
    for (const [name, { message }] of Object.entries(own)) {
      assert.deepEqual(placeholders(message), placeholders(english[name].message), name);
      assert.equal(message, message.trim(), name);
    }
    assert.equal(own.language.message, locale.replace("_", "-"));
    assert.equal(own.direction.message, locale === "ar" ? "rtl" : "ltr");
    delete own.midSentence; // a choice, not a text: words.test.mjs
    // Left in English: names, commands and words that the language borrowed from it. More than that is a missing
    // translation.
    const same = Object.keys(own).filter((name) => own[name].message === english[name].message && /[a-z]{4}/i.test(english[name].message));
    if (locale !== "en") assert.ok(same.length < 30, same.join(" "));
  });
}

test("what a person reads comes from the catalogue", () => {
  const words = scripts
    .filter((path) => /^(?:panel|content)\//.test(path))
    .flatMap((path) =>
      [
        ...read(path).matchAll(
          /(?:aria-label|title|placeholder|alt)"?: "([^"]*[a-z]{2}[^"]*)"|\bh\("\w+", \{[^{}]*\}, "([^"]*[a-z]{3}[^"]*)"/g,
        ),
      ].map((found) => `${path}: ${found[1] ?? found[2]}`),
    );
  // Our own name, and that of a key on the keyboard.
  assert.deepEqual(words, ["panel/state/slash.js: gstack", "panel/view/slash-menu.js: esc"]);
});

test("the release is the crate's", () => {
  const [, version] = /^version = "(.+)"$/m.exec(readFileSync(join(root, "Cargo.toml"), "utf8"));
  assert.equal(manifest.version, version);
});

test("the manifest opens nothing to pages and asks for no more than is used", () => {
  assert.equal(manifest.externally_connectable, undefined);
  assert.equal(manifest.web_accessible_resources, undefined);
  assert.match(manifest.content_security_policy.extension_pages, /^default-src 'self'; img-src 'self' data: blob:/);
  assert.deepEqual(
    manifest.content_scripts.map(({ matches }) => matches),
    [["http://127.0.0.1/welcome*"]],
  );
  const uses = {
    nativeMessaging: /connectNative/,
    sidePanel: /chrome\.sidePanel/,
    tabs: /chrome\.tabs/,
    scripting: /chrome\.scripting/,
    storage: /chrome\.storage\.local/,
    unlimitedStorage: /keepAttached/,
    debugger: /chrome\.debugger\.getTargets/,
    favicon: /_favicon/,
    webNavigation: /chrome\.webNavigation\.onCreatedNavigationTarget/,
    sessions: /chrome\.sessions\.getRecentlyClosed/,
  };
  assert.deepEqual(manifest.permissions.toSorted(), Object.keys(uses).toSorted());
  for (const [permission, use] of Object.entries(uses)) assert.match(source, use, permission);
  // Only two files attach: to tabs that the daemon names, and to our own panel; all others may only read.
  const usesOf = (path) => [...read(path).matchAll(/chrome\.debugger\.(\w+)/g)].map(([, name]) => name);
  const looks = new Set(["getTargets", "onEvent", "onDetach"]);
  const attaching = scripts.filter((path) => usesOf(path).some((name) => !looks.has(name)));
  assert.deepEqual(
    attaching.map((path) => path.replaceAll("\\", "/")),
    ["background/panel-keyboard.js", "background/relay.js"],
  );
  assert.doesNotMatch(read("background/panel-keyboard.js"), /tabId/);
});

test("no text becomes HTML, no style or script is inline", () => {
  assert.doesNotMatch(source, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/);
  assert.doesNotMatch(read("sidepanel.html"), /<script(?![^>]*\bsrc=)|\bstyle=|\bon\w+=/);
});

test("every file that is named is there", () => {
  for (const [, path] of read("sidepanel.html").matchAll(/(?:href|src)="([^"]+)"/g))
    assert.ok(statSync(join(extension, path)).isFile(), path);
  for (const path of [...Object.values(manifest.icons), manifest.background.service_worker, manifest.side_panel.default_path])
    assert.ok(statSync(join(extension, path)).isFile(), path);
  const pictures = new Set([...read("icons.svg").matchAll(/id="i-([\w-]+)"/g)].map(([, name]) => name));
  for (const [, name] of source.matchAll(/\b(?:icon|action)\("([\w-]+)"/g)) assert.ok(pictures.has(name), name);
  for (const [, name] of source.matchAll(/\bicon: "([\w-]+)"/g)) assert.ok(pictures.has(name), name);
});

test("every script says what it owns, and stays short", () => {
  for (const path of scripts) {
    assert.ok(read(path).startsWith("/**\n"), path);
    assert.ok(read(path).split("\n").length <= 400, path);
  }
});

test("numbers as people read them", () => {
  assert.deepEqual([4, 31, 94, 100, 400, 5000, 9940].map(duration), ["4 ms", "31 ms", "94 ms", "0.1 s", "0.4 s", "5.0 s", "9.9 s"]);
  assert.deepEqual([48_000, 60_000, 125_000, 8_040_000].map(duration), ["48 s", "1 min", "2 min 5 s", "2 h 14 min"]);
  assert.deepEqual([0, 400, 18_200].map(elapsed), ["0 s", "0 s", "18 s"]);
  assert.deepEqual([12, 84_000, 3_000_000].map(size), ["12 B", "82 KB", "2.9 MB"]);
  assert.deepEqual(["https://a.example:8080/x", "chrome://settings/", "about:blank", "file:///tmp/x"].map(hostOf), [
    "a.example:8080",
    "chrome://settings",
    "",
    "file",
  ]);
});

test("suggestions come with their evidence and never twice", () => {
  const found = suggest({ fields: 7, words: 900, links: 3, rows: 0, loadMs: 3800 });
  assert.deepEqual(
    found.map(({ say }) => say),
    ["suggestFill", "suggestSlow", "suggestSummary", "suggestConsole"],
  );
  assert.deepEqual(found[0].evidence, ["factFields", 7]);
  assert.deepEqual(suggest(null), []);
});

test("nothing is suggested that the page in view does not have, and no address outside of it", () => {
  const bare = { fields: 0, words: 40, links: 0, rows: 0, loadMs: 300 };
  assert.deepEqual(
    suggest(bare).map(({ say }) => say),
    ["suggestConsole", "suggestExplain", "suggestAccess"],
  );
  assert.deepEqual(suggest({ ...bare, words: 0 }), []);
  assert.deepEqual(
    suggestPlain(bare).map(({ sends }) => sends),
    ["Read the page", "Show the errors in the console", "Take a screenshot"],
  );
  assert.deepEqual(
    suggestPlain({ ...bare, fields: 2, links: 9 }).map(({ say }) => say),
    ["plainRead", "plainForms", "plainLinks", "plainConsole"],
  );
  assert.deepEqual(suggestPlain(null), []);
  const said = readdirSync(join(extension, "_locales")).flatMap((locale) =>
    Object.entries(JSON.parse(read("_locales", locale, "messages.json"))).filter(([name]) => /^(?:suggest|plain)/.test(name)),
  );
  assert.deepEqual(
    said.filter(([, { message }]) => /\w\.(?:com|org|net)|https?:/.test(message)),
    [],
  );
});

test("the host of the browser's own pages does not crowd their title", () => {
  const shown = [
    "https://a.example:8080/x",
    "chrome://settings/",
    "chrome-extension://abcdefghijklmnopabcdefghijklmnop/page.html",
    "about:blank",
    "file:///tmp/x",
  ].map(siteOf);
  assert.deepEqual(shown, ["a.example:8080", "", "", "", "file"]);
});

test("what is vendored is what its authors published, with its licence", () => {
  const published = join(root, "tests", "extension", "node_modules", "@highlightjs", "cdn-assets");
  for (const path of files(join("vendor", "highlight")).filter((each) => !each.endsWith(".d.ts"))) {
    const [, , ...rest] = path.split("/");
    const original = join(published, rest[0] === "LICENSE" ? "" : "es", ...rest);
    assert.equal(read(path), readFileSync(original, "utf8"), path);
  }
  assert.match(read("vendor", "highlight", "LICENSE"), /BSD 3-Clause/);
  // markdown-it's single file contains its dependencies.
  const modules = join(root, "tests", "extension", "node_modules");
  const parser = {
    "markdown-it.esm.min.js": ["markdown-it", "dist", "browser", "markdown-it.esm.min.mjs"],
    LICENSE: ["markdown-it", "LICENSE"],
    "LICENSE-entities": ["entities", "LICENSE"],
    "LICENSE-linkify-it": ["linkify-it", "LICENSE"],
    "LICENSE-mdurl": ["mdurl", "LICENSE"],
    "LICENSE-punycode": ["punycode.js", "LICENSE-MIT.txt"],
    "LICENSE-uc-micro": ["uc.micro", "LICENSE.txt"],
  };
  assert.deepEqual(
    files(join("vendor", "markdown-it"))
      .map((path) => path.split("/").at(-1))
      .filter((name) => !name.endsWith(".d.ts"))
      .toSorted(),
    Object.keys(parser).toSorted(),
  );
  for (const [name, original] of Object.entries(parser))
    assert.equal(read("vendor", "markdown-it", name), readFileSync(join(modules, ...original), "utf8"), name);
  const carried = new Set(
    [...read("vendor", "markdown-it", "markdown-it.esm.min.js").matchAll(/#region node_modules\/([^/]+)/g)].map(([, name]) => name),
  );
  for (const name of carried)
    assert.ok(
      Object.values(parser).some(([from]) => from === name),
      `${name} has no licence`,
    );
  // The library only returns text: it never receives an element.
  assert.deepEqual(
    [...new Set([...read("panel", "markdown", "highlight.js").matchAll(/library\.(\w+)/g)].map(([, name]) => name))].toSorted(),
    ["highlight", "registerLanguage"],
  );
});
