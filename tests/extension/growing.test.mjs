/** Markdown while it grows, and finished code: in a real Chromium, as a person sees them. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { options, say, text, withPanel } from "./with-panel.mjs";

/** What must never be visible of a source, however much of it has arrived, and its final text. */
const CASES = [
  ["a link", 'See [how rounding works](https://example.com/a_(b)?c=d "Title") for **more**.', "See how rounding works for more."],
  ["a link that ends the answer", "See [the `lineTotal` page](https://example.com/very/long/path)", "See the lineTotal page"],
  ["an address in brackets", "At <https://example.com/x>.", "At https://example.com/x."],
  ["a picture", "![A cart](https://example.com/cart.png) stands", "A cart stands"],
  ["a fence", "```js\nconst a = [b(1)];\n```", "const a = [b(1)];\n"],
  ["a fence of tildes", "~~~\nx\n~~~", "x\n"],
  ["a fence in a list", "- one\n\n  ```sh\n  ls\n    a\n  ```\n- two", "one  ls\n  a\ntwo"],
  [
    "emphasis of each kind",
    "**bold** and *light* and ~~gone~~ and __strong__ and ***both***",
    "bold and light and gone and strong and both",
  ],
  ["an escape", "5 \\* 3 and \\[x\\]", "5 * 3 and [x]"],
  ["a rule", "---", ""],
  ["a task list", "- [ ] open\n- [x] done", "open done"],
];
const SEEN = /\]\(|https?:\/\/example\.com\/(?:a|very|cart)|```|~~|\*\*|__|\\|<http|---|\[x\] done|\[ \]/;
/** Not a marker at all: it appears in the final text. */
const KEPT = [
  ["an index", "Take `a` of b[0] and c[1].", "Take a of b[0] and c[1]."],
  ["arithmetic", "2 * 3 * 4 and a*b and snake_case_name", "2 * 3 * 4 and a*b and snake_case_name"],
  ["an interval", "from [0, 1) on", "from [0, 1) on"],
  ["a smaller sign", "a < b and 1<2", "a < b and 1<2"],
  ["a nested list", "- a\n  - b\n    - c\n- d", "a b c d"],
];

/** An expression: the texts shown while a source grows letter by letter, and the final one. */
const grown = (source) => `import(chrome.runtime.getURL("panel/markdown/live.js")).then(({ LiveBlock }) => {
  const source = ${JSON.stringify(source)};
  const block = new LiveBlock();
  const shown = [];
  for (let at = 1; at <= source.length; at += 1) { block.grow(source.slice(0, at)); shown.push(block.element.textContent); }
  block.end();
  return [...shown, block.element.textContent];
})`;

describe("growing Markdown", options, () => {
  test("no marker and no link's address is seen, neither while a block grows nor at its end", () =>
    withPanel("usual", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      for (const [name, source, end] of CASES) {
        const shown = await panel.evaluate(grown(source));
        assert.deepEqual(
          shown.filter((one) => SEEN.test(one)),
          [],
          name,
        );
        assert.equal(shown.at(-1), end, name);
      }
      for (const [name, source, end] of KEPT) assert.equal((await panel.evaluate(grown(source))).at(-1), end, name);
      const nested = await panel.evaluate(async () => {
        const { LiveBlock } = await import(chrome.runtime.getURL("panel/markdown/live.js"));
        const block = new LiveBlock();
        block.grow("- a\n  - b\n- c");
        block.end();
        return block.element.innerHTML;
      });
      // A space before a tag is not drawn.
      assert.equal(nested.replaceAll(" <", "<"), "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>");
    }));

  test("a stream never shows a raw link or a fence, up to the frame in which it is rendered", () =>
    withPanel("usual", async (panel) => {
      await panel.until("document.querySelector('.suggestion')");
      await panel.evaluate(`{
      globalThis.seen = [];
      new MutationObserver(() => {
        for (const { textContent } of document.querySelectorAll(".prose"))
          if (/\\]\\(|\`\`\`|\\*\\*/.test(textContent)) seen.push(textContent.slice(-120));
      }).observe(document.querySelector("#conversation"), { subtree: true, childList: true, characterData: true });
    }`);
      await say(panel, "go");
      await panel.until("document.querySelector('.turn-footer [aria-label=\"Copy answer\"]') && !document.querySelector('.live-block')");
      assert.deepEqual(await panel.evaluate("seen"), []);
    }));
});

describe("code", options, () => {
  /** Collects the names of the highlighter files that a panel has loaded or will load. */
  async function vendored(panel, browser) {
    const names = new Set();
    browser.pipe.on(({ method, params }) => {
      if (method === "Debugger.scriptParsed" && params.url.includes("/vendor/highlight/")) names.add(params.url.split("/").at(-1));
    });
    await panel.send("Debugger.enable");
    return names;
  }

  test("nothing of the highlighter is loaded before a block of code is in view", () =>
    withPanel("usual", async (panel, browser) => {
      const loaded = await vendored(panel, browser);
      await panel.until("document.querySelector('.suggestion')");
      assert.deepEqual([...loaded], []);
    }));

  test("is coloured, letter for letter the same, and only its own languages are loaded", () =>
    withPanel("code", async (panel, browser) => {
      const loaded = await vendored(panel, browser);
      await panel.until(text("That is all"));
      await panel.evaluate("document.querySelector('#conversation').scrollTop = 0");
      await panel.until("document.querySelector('.code--keyword')");
      for (let index = 0; index < 4; index += 1) {
        const block = `document.querySelectorAll(".codeblock")[${index}]`;
        await panel.evaluate(`${block}.scrollIntoView()`);
        if (index < 3) await panel.until(`${block}.querySelector("[class^=code--]")`);
      }
      assert.deepEqual([...loaded].toSorted(), ["core.min.js", "rust.min.js", "typescript.min.js", "xml.min.js"]);
      const drawn = await panel.evaluate(() => {
        const textOf = (line) => line.textContent.replace("\u200b", "");
        return [...document.querySelectorAll(".codeblock")].map((block) => [...block.querySelectorAll(".line")].map(textOf).join("\n"));
      });
      assert.deepEqual(drawn, [
        'fn main() {\n    // A comment,\n\n    let a = "<img src=x onerror=alert(1)>";\n}',
        "export const answer: number = 42; // &lt; stays\nconst twice = (count: number) => round(count * 2);",
        '<b onclick="run()">bold</b><script>alert(1)</script>',
        "no such language",
      ]);
      const names = "[...document.querySelectorAll('.codeblock')[1].querySelectorAll('.code--name')].map((one) => one.textContent)";
      assert.deepEqual(await panel.evaluate(names), ["twice", "round"], "an arrow function's parameters and its arrow are no name");
      assert.equal(await panel.evaluate("document.querySelectorAll('.codeblock :is(img, b, script)').length"), 0);
      assert.equal(await panel.evaluate("document.querySelectorAll('.codeblock')[3].querySelectorAll('.line > *').length"), 0);
    }));
});
