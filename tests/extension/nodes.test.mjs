/** The nodes of Markdown: its elements, the allow-list, and the one table of links. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { elementOf, linkTo } from "../../extension/panel/markdown/allowed.js";
import { nodesFrom } from "../../extension/panel/markdown/nodes.js";
import { DEEPEST, parse } from "../../extension/panel/markdown/parser.js";
import { element, markup, shimDocument } from "./shim.mjs";

const rendered = (source) => markup(nodesFrom(parse(source), shimDocument));
const links = JSON.parse(readFileSync(new URL("../links.json", import.meta.url), "utf8"));

const CASES = {
  "what an answer is made of": [
    "# T\n\na **b** *c* ~~d~~ `e<f`\\\ng",
    "<h1>T</h1><p>a <strong>b</strong> <em>c</em> <del>d</del> <code>e<f</code><br></br>g</p>",
  ],
  "a table's columns have their sides": [
    "| a | b | c |\n|---|--:|:-:|\n| 1 | 2 | 3 |",
    '<table><thead><tr><th>a</th><th class="num">b</th><th class="middle">c</th></tr></thead>' +
      '<tbody><tr><td>1</td><td class="num">2</td><td class="middle">3</td></tr></tbody></table>',
  ],
  "a list of tasks": [
    "- [x] done\n- [ ] open\n- [link] no",
    '<ul><li><input type="checkbox" disabled="" checked=""></input> done</li>' +
      '<li><input type="checkbox" disabled=""></input> open</li><li>[link] no</li></ul>',
  ],
  "a list begins where it says, and holds lists": ["3. a\n   - b\n4. c", '<ol start="3"><li>a<ul><li>b</li></ul></li><li>c</li></ol>'],
  "a fence has its language": ['```rust,no_run and more\nlet a = "<";\n```', '<pre><code>let a = "<";\n</code></pre>'],
  "a language stays": ["~~~c++\nx\n~~~", '<pre><code class="language-c++">x\n</code></pre>'],
  "a language that is no word is none": ['```"><script>\nx\n```', "<pre><code>x\n</code></pre>"],
  "indented code, a quote and a rule": ["> a\n\n    b\n\n---", "<blockquote><p>a</p></blockquote><pre><code>b\n</code></pre><hr></hr>"],
  "a line that goes on": ["a\nb", "<p>a\nb</p>"],
  "an image is a link, and loads nothing": ["![alt *b*](https://e.com/a.png)", `<p>${a("https://e.com/a.png", "alt <em>b</em>")}</p>`],
  "an image elsewhere is its words": ["![alt](a.png)", "<p>alt (a.png)</p>"],
  "no links in links": ["[![alt](https://e.com/a.png)](https://e.com/)", `<p>${a("https://e.com/", "alt")}</p>`],
  "a link in an image's words": ["![[a](https://a.example/)](https://e.com/)", `<p>${a("https://e.com/", "a")}</p>`],
  "a link elsewhere is text with its address": ["[**b**](javascript:alert(1)) c", "<p><strong>b</strong> (javascript:alert(1)) c</p>"],
  "an address in brackets that is no link": ["<javascript:alert(1)>", "<p>javascript:alert(1)</p>"],
  "raw HTML is text": ["<b onclick=x>*a*</b>\n\nb <i>c</i>", "<p><b onclick=x><em>a</em></b></p><p>b <i>c</i></p>"],
  "a block of raw HTML is text as it is": ["<div>\n*a*\n</div>", "<p><div>\n*a*\n</div></p>"],
  "an entity is its letter": ["&lt;b&gt; &#x6A;", "<p><b> j</p>"],
};

function a(href, text) {
  return `<a href="${href}" target="_blank" rel="noreferrer">${text}</a>`;
}

for (const [name, [source, expected]] of Object.entries(CASES)) {
  test(name, () => assert.equal(rendered(source), expected));
}

test("a link leads where the table says, however it is written", () => {
  for (const { address, leads } of links) {
    assert.equal(linkTo(address), leads, address);
    const escaped = address.replaceAll(/[\\<>()"&]/g, "\\$&");
    const sources = [`[a](<${escaped}>)`, `![a](<${escaped}>)`, `[a][r]\n\n[r]: <${escaped}>`];
    if (!/[<>]/.test(address)) sources.push(`<${address}>`);
    for (const source of sources) {
      const found = [...rendered(source).matchAll(/<a href="(.*?)" target/g)].map(([, href]) => href);
      // An address that this notation cannot contain is not a link; otherwise the table applies.
      assert.ok(
        found.every((href) => href === leads),
        `${source}: ${found}`,
      );
    }
    // Any address without control characters and line ends can be in angle brackets.
    if (leads !== null && !/[\u0000-\u001f]/.test(address)) assert.equal(rendered(sources[0]), `<p>${a(leads, "a")}</p>`, sources[0]);
  }
});

test("an element that is not listed can't be made, and a listed one has only attributes of ours", () => {
  for (const name of "script style iframe object embed form button link meta base template img svg math video audio textarea select".split(
    " ",
  ))
    assert.equal(elementOf(name, { href: "https://example.com/" }, shimDocument), null, name);
  assert.equal(elementOf("a", { href: "javascript:alert(1)" }, shimDocument), null);
  const facts = { href: "https://e.com/", language: 'x" onclick="y', start: '1" x="', side: "center;position:fixed", checked: true };
  const made = (name) => elementOf(name, facts, shimDocument)?.markup;
  assert.equal(made("p"), "<p></p>");
  assert.equal(made("code"), "<code></code>");
  assert.equal(made("ol"), "<ol></ol>");
  assert.equal(made("td"), "<td></td>");
  assert.equal(made("input"), '<input type="checkbox" disabled="" checked=""></input>');
});

test("tokens that no parser should make become nothing but their text", () => {
  const token = (type, more = {}) => ({
    type,
    tag: "",
    nesting: 0,
    content: "",
    info: "",
    markup: "",
    hidden: false,
    children: null,
    attrGet: () => "x",
    ...more,
  });
  const hostile = [
    token("paragraph_open", { tag: "script", nesting: 1 }),
    token("text", { content: "alert(1)" }),
    token("paragraph_close", { tag: "script", nesting: -1 }),
    token("p_close", { tag: "p", nesting: -1 }),
    token("hr", { tag: "iframe" }),
    token("link_open", { tag: "a", nesting: 1, attrGet: () => "javascript:alert(1)" }),
    token("td_open", { tag: "td", nesting: 1, attrGet: () => "text-align:right;position:fixed" }),
  ];
  assert.equal(markup(nodesFrom(hostile, shimDocument)), "alert(1)<td></td> (javascript:alert(1))");
});

test("a table that few letters would fill up with cells is text", () => {
  const filled = `|${"a|".repeat(100)}\n|${"-|".repeat(100)}\n${"|b|\n".repeat(500)}`;
  assert.doesNotMatch(rendered(filled), /<t/);
  const honest = `|${"a|".repeat(30)}\n|${"-|".repeat(30)}\n${`|${"b|".repeat(30)}\n`.repeat(60)}`;
  assert.equal(rendered(honest).split("<td>").length, 1 + 30 * 60);
});

/** Returns the depth of nested nodes. */
const depth = (node) => 1 + Math.max(0, ...(node.childNodes ?? []).map(depth));

test("what is nested deeply is flattened and keeps its text", () => {
  const sources = {
    quotes: `${">".repeat(10_000)} deep`,
    "lines of quotes": `${">".repeat(3000)} a\n${">".repeat(3000)} deep`,
    lists: `${"- ".repeat(7000)}deep`,
    "indented lists": `${Array.from({ length: 150 }, (_, level) => `${" ".repeat(level * 2)}- a`).join("\n")}\n${" ".repeat(300)}- deep`,
    emphasis: `${"*".repeat(5000)}deep${"*".repeat(5000)}`,
    "emphasis of two kinds": `${"*_".repeat(4000)}deep${"_*".repeat(4000)}`,
    brackets: `${"[".repeat(8000)}deep`,
    "images in images": `${"![".repeat(3000)}deep${"](https://e.com/)".repeat(3000)}`,
  };
  for (const [name, source] of Object.entries(sources)) {
    const held = element("div", {}, nodesFrom(parse(source), shimDocument));
    assert.ok(held.textContent.includes("deep"), name);
    assert.ok(depth(held) <= DEEPEST + 3, `${name}: ${depth(held)} deep`);
  }
});

test("no source makes an element, an attribute or an address that is not listed", () => {
  const pieces = [
    "<",
    ">",
    "[",
    "](",
    ")",
    "!",
    "`",
    "```\n",
    "*",
    "_",
    "~~",
    "#",
    "- ",
    "> ",
    "| ",
    "|--|\n",
    "\n",
    " ",
    "&#106;",
    "\\",
    '"',
    "a",
    "javascript:",
    "https://e.com",
    "<img src=x onerror=y>",
    "<script>",
    "\u202e",
    "\0",
    ":",
    "1. ",
    "[x] ",
  ];
  // The same sources each time, from our own small generator.
  let seed = 7;
  const next = (below) => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed % below;
  };
  const known = /^(?:p|br|hr|h[1-6]|blockquote|ul|ol|li|pre|code|em|strong|del|a|table|thead|tbody|tr|th|td|input)$/;
  const attributes = {
    a: /^(?:href|target|rel)$/,
    code: /^class$/,
    ol: /^start$/,
    th: /^class$/,
    td: /^class$/,
    input: /^(?:type|disabled|checked)$/,
  };
  const strict = {
    createTextNode: shimDocument.createTextNode,
    createElement(name) {
      assert.match(name, known);
      const made = element(name);
      const { setAttribute } = made;
      made.setAttribute = (attribute, value) => {
        assert.match(attribute, attributes[name] ?? /^$/);
        if (attribute === "href") assert.match(value, /^https?:\/\//);
        setAttribute(attribute, value);
      };
      return made;
    },
  };
  for (let run = 0; run < 3000; run += 1) {
    const source = Array.from({ length: 1 + next(40) }, () => pieces[next(pieces.length)]).join("");
    nodesFrom(parse(source), strict);
  }
});
