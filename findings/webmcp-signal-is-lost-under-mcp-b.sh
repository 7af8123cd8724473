#!/usr/bin/env bash
# Packages: @mcp-b/global 5.1.0 and @mcp-b/webmcp-polyfill 5.1.0 (npm), playwright-core 1.65.1 (npm), Chromium 156
# Guess: Loading a WebMCP runtime on a browser that has WebMCP adds to it: a tool is still called as the browser calls it.
# Seen: Chromium calls `execute(input, { signal })`, and the signal aborts when the caller cancels. With @mcp-b/global on the same browser,
#   and with the polyfill on a browser without WebMCP, the same tool is called as `execute(input)`: there is no second argument and no
#   signal.
# Matters: A tool written as `execute(input, { signal })` throws a TypeError before its first line there, and one that checks for the signal
#   goes on working after its caller has cancelled. Write `execute(input, client)` and `client?.signal`, and bound the work by other means.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @mcp-b/global@5.1.0 @mcp-b/webmcp-polyfill@5.1.0 playwright-core@1.65.1
cat >calls.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
const [cdp, library] = process.argv.slice(2);
const script = library ? readFileSync(`node_modules/@mcp-b/${library}/dist/index.iife.js`) : '';
createServer((request, response) => {
  const isScript = request.url === '/library.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? script : '<!doctype html><script src="/library.js"></script>');
}).listen(0, '127.0.0.1', async function () {
  const browser = await chromium.connectOverCDP(cdp);
  const page = await browser.contexts()[0].newPage();
  await page.goto(`http://localhost:${this.address().port}/`);
  console.log(
    await page.evaluate(async () => {
      const context = document.modelContext;
      const execute = (...given) => `${given.length} ${given[1]?.signal instanceof AbortSignal}`;
      await context.registerTool({ name: 'count', description: 'Counts what it is given', execute });
      const [tool] = await context.getTools();
      return context.executeTool(tool, {}).catch(() => context.executeTool(tool, '{}'));
    }),
  );
  process.exit();
});
EOF
chromium_start --enable-features=WebMCPTesting
expect "Chromium alone: arguments, signal" "2 true" "$(node calls.mjs "$cdp")"
expect "Chromium with @mcp-b/global" "1 false" "$(node calls.mjs "$cdp" global)"
chromium_start --disable-features=WebMCPTesting
expect "the polyfill alone" "1 false" "$(node calls.mjs "$cdp" webmcp-polyfill)"
finish
