/** The ends of blocks in growing Markdown. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockSplitter, PIECE } from "../../extension/panel/markdown/split.js";

function split(source, step = source.length) {
  const splitter = new BlockSplitter();
  const blocks = [];
  for (let at = 0; at < source.length; at += step) blocks.push(...splitter.feed(source.slice(at, at + step)));
  return { blocks, tail: splitter.tail };
}

const sources = ({ blocks, tail }) => ({ blocks: blocks.map(({ source }) => source), tail: tail.source });

const CASES = {
  "paragraphs end at a blank line": ["a\nb\n\nc\n\n", ["a\nb", "c"], ""],
  "the last block stays open": ["a\n\nb", ["a"], "b"],
  "a heading is a block of its own": ["## Title\ntext\n\n", ["## Title", "text"], ""],
  "a hash without a space is not a heading": ["#tag\n\n", ["#tag"], ""],
  "a heading ends a paragraph": ["text\n# Title\n", ["text", "# Title"], ""],
  "a fence holds blank lines": ["```js\na\n\nb\n```\nc\n\n", ["```js\na\n\nb\n```", "c"], ""],
  "a longer fence holds shorter ones": ["````\n```\n````\n\n", ["````\n```\n````"], ""],
  "tildes are not ended by backticks": ["~~~\n```\n~~~\n", ["~~~\n```\n~~~"], ""],
  "a fence ends a paragraph": ["a\n```\nb\n```\n", ["a", "```\nb\n```"], ""],
  "a loose list is one block": ["1. a\n\n2. b\n\nend\n\n", ["1. a\n\n2. b", "end"], ""],
  "a list goes on by indentation": ["- a\n\n  more\n- b\n\nend\n\n", ["- a\n\n  more\n- b", "end"], ""],
  "a fence in a list does not end it": [
    "- a\n\n  ```\n  x\n\n  y\n  ```\n- b\n\nend\n\n",
    ["- a\n\n  ```\n  x\n\n  y\n  ```\n- b", "end"],
    "",
  ],
  "code in a line that begins with it is no fence": ["```a``` b\n\nc\n\n", ["```a``` b", "c"], ""],
  "a table is a block": ["| a |\n|---|\n| b |\n\n", ["| a |\n|---|\n| b |"], ""],
  "blank lines between blocks are nothing": ["\n\n\na\n\n\n\n", ["a"], ""],
};

for (const [name, [source, blocks, tail]] of Object.entries(CASES)) {
  test(name, () => {
    // The blocks are the same however the text is split in transit.
    for (const step of [source.length, 1, 2, 3, 7]) assert.deepEqual(sources(split(source, step)), { blocks, tail }, `in steps of ${step}`);
  });
}

/** Blocks that are too long to be drawn at once. */
const LONG = {
  code: `\`\`\`js\n${Array.from({ length: 900 }, (_, n) => `const a${n} = ${n};${n % 50 === 0 ? "\n" : ""}`).join("\n")}\n\`\`\`\nend\n\n`,
  "code in one line": `\`\`\`\n${"ab😀".repeat(9000)}\n\`\`\`\n`,
  "code in a list": `- one\n\n  \`\`\`sh\n${"  echo line\n".repeat(900)}  \`\`\`\n\nend\n\n`,
  table: `| a | b |\n|---|--:|\n${"| cell | 1 |\n".repeat(900)}\nend\n\n`,
  list: `${Array.from({ length: 900 }, (_, n) => `${n + 1}. item ${n}\n   - below it\n`).join("")}\nend\n\n`,
  paragraph: `${"One sentence of it. ".repeat(900)}\n\nend\n\n`,
  "text without a space": `${"語".repeat(30_000)}\n\nend\n\n`,
};

for (const [name, source] of Object.entries(LONG)) {
  test(`a long ${name} is given out in pieces, each Markdown by itself`, () => {
    const whole = split(source);
    for (const step of [1, 13, 4096]) assert.deepEqual(split(source, step), whole, `in steps of ${step}`);
    const pieces = whole.blocks.filter((block, index) => index === 0 || block.goesOn);
    assert.ok(pieces.length >= 3, `${pieces.length} pieces`);
    for (const { source: piece } of pieces) assert.ok(piece.length <= 2 * PIECE + 200, `${piece.length} letters in a piece`);
    assert.equal(pieces.length, whole.blocks.filter(({ source: block }) => block !== "end").length, "only its own pieces go on");
  });
}

test("nothing is lost or added where a block is cut", () => {
  const code = (name) => {
    let text = "";
    split(LONG[name])
      .blocks.filter(({ source }) => source.includes("```"))
      .forEach(({ source, goesOn, glued }) => {
        const inside = source.slice(source.indexOf("\n", source.indexOf("```")) + 1, source.lastIndexOf("\n"));
        text += !goesOn || glued ? inside : `\n${inside}`;
      });
    return text;
  };
  assert.equal(code("code"), LONG.code.slice(6, LONG.code.lastIndexOf("\n```")));
  assert.equal(code("code in one line"), "ab😀".repeat(9000));
  const rows = split(LONG.table).blocks.flatMap(({ source }) => source.split("\n").filter((line) => line.includes("cell")));
  assert.equal(rows.length, 900);
  assert.ok(
    split(LONG.table)
      .blocks.slice(0, -1)
      .every(({ source }) => source.startsWith("| a | b |\n|---|--:|\n| cell")),
  );
  const items = split(LONG.list).blocks.flatMap(({ source }) => source.split("\n").filter((line) => /^\d/.test(line)));
  assert.deepEqual(
    items,
    Array.from({ length: 900 }, (_, n) => `${n + 1}. item ${n}`),
  );
  assert.equal(
    split(LONG.paragraph)
      .blocks.slice(0, -1)
      .map(({ source }) => source)
      .join(" "),
    "One sentence of it. ".repeat(900).trim(),
  );
});

test("a hostile head makes no piece longer than what it heads", () => {
  const fence = split(`\`\`\`${"x".repeat(7000)}\n${"line\n".repeat(9000)}`);
  assert.ok(fence.blocks.reduce((sum, { source }) => sum + source.length, 0) < 70_000);
  const table = split(`|${"a|".repeat(3000)}\n|${"-|".repeat(3000)}\n${"|b|\n".repeat(9000)}`);
  assert.ok(table.blocks.reduce((sum, { source }) => sum + source.length, 0) < 70_000);
});
