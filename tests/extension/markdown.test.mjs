/** Where a block of growing Markdown ends. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { BlockSplitter } from "../../extension/panel/markdown/split.js";

function split(source, step = source.length) {
  const splitter = new BlockSplitter();
  const blocks = [];
  for (let at = 0; at < source.length; at += step) blocks.push(...splitter.feed(source.slice(at, at + step)));
  return { blocks, tail: splitter.tail };
}

const CASES = {
  "paragraphs end at a blank line": ["a\nb\n\nc\n\n", ["a\nb", "c"], ""],
  "the last block stays open": ["a\n\nb", ["a"], "b"],
  "a heading is a block of its own": ["## Title\ntext\n\n", ["## Title", "text"], ""],
  "a hash without a space is no heading": ["#tag\n\n", ["#tag"], ""],
  "a heading ends a paragraph": ["text\n# Title\n", ["text", "# Title"], ""],
  "a fence holds blank lines": ["```js\na\n\nb\n```\nc\n\n", ["```js\na\n\nb\n```", "c"], ""],
  "a longer fence holds shorter ones": ["````\n```\n````\n\n", ["````\n```\n````"], ""],
  "tildes are not ended by backticks": ["~~~\n```\n~~~\n", ["~~~\n```\n~~~"], ""],
  "a fence ends a paragraph": ["a\n```\nb\n```\n", ["a", "```\nb\n```"], ""],
  "a loose list is one block": ["1. a\n\n2. b\n\nend\n\n", ["1. a\n\n2. b", "end"], ""],
  "a list goes on by indentation": ["- a\n\n  more\n- b\n\nend\n\n", ["- a\n\n  more\n- b", "end"], ""],
  "a fence in a list does not end it": ["- a\n\n  ```\n  x\n\n  y\n  ```\n- b\n\nend\n\n", ["- a\n\n  ```\n  x\n\n  y\n  ```\n- b", "end"], ""],
  "a table is a block": ["| a |\n|---|\n| b |\n\n", ["| a |\n|---|\n| b |"], ""],
  "blank lines between blocks are nothing": ["\n\n\na\n\n\n\n", ["a"], ""],
};

for (const [name, [source, blocks, tail]] of Object.entries(CASES)) {
  test(name, () => {
    // However the text is cut on its way, the blocks are the same.
    for (const step of [source.length, 1, 2, 3, 7]) assert.deepEqual(split(source, step), { blocks, tail }, `in steps of ${step}`);
  });
}
