#!/usr/bin/env bash
# Packages: @mcp-b/webmcp-polyfill 5.1.0 (npm), playwright-core 1.65.1 (npm), Chromium 156
# Guess: A page that calls a tool by `document.modelContext.executeTool(tool, input)` works with the polyfill and with Chromium's own WebMCP
#   alike: the polyfill says that it implements Chromium's optional `executeTool()`.
# Seen: Chromium takes the input as an object and rejects JSON text with a TypeError. The polyfill takes JSON text and rejects an object
#   with an UnknownError, "Failed to parse input arguments". No value is right for both.
# Matters: An in-page agent that was developed with the polyfill fails on every call once the browser has WebMCP, as the polyfill then
#   stands back. Choose the form of the input by who owns `modelContext`, not by whether `executeTool` exists.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @mcp-b/webmcp-polyfill@5.1.0 playwright-core@1.65.1
cat >calls.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
const polyfill = readFileSync('node_modules/@mcp-b/webmcp-polyfill/dist/index.iife.js');
const server = createServer((request, response) => {
  const isScript = request.url === '/polyfill.js';
  response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  response.end(isScript ? polyfill : '<!doctype html><script src="/polyfill.js"></script>');
}).listen(0, '127.0.0.1', async () => {
  const browser = await chromium.connectOverCDP(process.argv[2]);
  const page = await browser.contexts()[0].newPage();
  await page.goto(`http://localhost:${server.address().port}/`);
  const seen = await page.evaluate(async () => {
    const context = document.modelContext;
    const execute = ({ word }) => word;
    await context.registerTool({ name: 'echo', description: 'Says the word', inputSchema: { type: 'object' }, execute });
    const [tool] = await context.getTools();
    const call = (input) => context.executeTool(tool, input).catch((error) => error.name);
    return [await call({ word: 'hi' }), await call('{"word":"hi"}')].join(' ');
  });
  console.log(seen);
  process.exit();
});
EOF

chromium_start --enable-features=WebMCPTesting
expect "native: object, text" "hi TypeError" "$(node calls.mjs "$cdp")"
chromium_start --disable-features=WebMCPTesting
expect "polyfill: object, text" "UnknownError hi" "$(node calls.mjs "$cdp")"
finish
