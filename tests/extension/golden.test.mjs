/*
 * The golden messages of tests/golden as the extension's types see them: the compiler checks each literal against its
 * type in extension/protocol.d.ts. The Rust tests read the same files.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(here, "../..");
const golden = path.join(root, "tests/golden");
const types = path.join(root, "extension/protocol");
const compiler = path.join(here, "node_modules/typescript/bin/tsc");

/** Returns all golden files: direction, method, messages and answers. */
function files() {
  return readdirSync(golden).map((name) => {
    const [, direction, method] = /^(to-daemon|to-panel)\.(.+)\.json$/.exec(name);
    return { direction, method, ...JSON.parse(readFileSync(path.join(golden, name), "utf8")) };
  });
}

/** Compiles one text; returns the compiler's errors, empty if there are none. */
function complaints(text) {
  const folder = mkdtempSync(path.join(tmpdir(), "gstack-golden-"));
  try {
    const file = path.join(folder, "golden.ts");
    writeFileSync(file, text);
    execFileSync(
      process.execPath,
      [compiler, "--noEmit", "--strict", "--target", "es2023", "--module", "esnext", "--moduleResolution", "bundler", file],
      { encoding: "utf8", cwd: folder },
    );
    return "";
  } catch (error) {
    return `${error.stdout ?? ""}${error.stderr ?? ""}` || String(error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const imports = `import type { Answers, ToDaemon, ToPanel } from ${JSON.stringify(types)};\n`;

test("every golden message has the type that the extension gives it", () => {
  let text = imports;
  let count = 0;
  for (const { direction, method, messages, answers = [] } of files()) {
    const type = direction === "to-daemon" ? "ToDaemon" : "ToPanel";
    for (const message of messages) text += `export const m${count++}: ${type} = ${JSON.stringify(message)};\n`;
    for (const answer of answers) text += `export const m${count++}: Answers[${JSON.stringify(method)}] = ${JSON.stringify(answer)};\n`;
  }
  assert.ok(count > 40);
  assert.equal(complaints(text), "");
});

test("a message with a missing or misspelt field would be found", () => {
  const bad = `${imports}
    export const a: ToDaemon = { "method": "chat.stop", "params": {} };
    export const b: ToDaemon = { "method": "chat.stopp", "params": { "conversationId": "c" } };
    export const c: Answers["ping"] = { "epoch": 1 };`;
  const found = complaints(bad).match(/error TS/g) ?? [];
  assert.equal(found.length, 3);
});
