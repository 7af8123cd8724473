#!/usr/bin/env bash
# Packages: @mcp-b/webmcp-polyfill 5.1.0 (npm), ws 8.23.0 (npm), Chromium 156
# Guess: A page that calls a tool by `document.modelContext.executeTool(tool, input)` works with the polyfill and with Chromium's own WebMCP
#   alike: the polyfill says that it implements Chromium's optional `executeTool()`.
# Seen: Chromium takes the input as an object and rejects JSON text with a TypeError. The polyfill takes JSON text and rejects an object
#   with an UnknownError, "Failed to parse input arguments". No value is right for both.
# Matters: An in-page agent that was developed with the polyfill fails on every call once the browser has WebMCP, as the polyfill then
#   stands back. Choose the form of the input by who owns `modelContext`, not by whether `executeTool` exists.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @mcp-b/webmcp-polyfill@5.1.0 ws@8.23.0
cat >calls.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { connect, serve } from './devtools.mjs';
const polyfill = readFileSync('node_modules/@mcp-b/webmcp-polyfill/dist/index.iife.js');
const port = await serve(({ pathname }, _, response) => {
  if (pathname !== '/polyfill.js') return '<script src="/polyfill.js"></script>';
  response.setHeader('content-type', 'text/javascript').end(polyfill);
  return null;
});
const browser = await connect(process.argv[2]);
const page = await browser.open(`http://localhost:${port}/`);
const look = async () => {
  const context = document.modelContext;
  const execute = ({ word }) => word;
  await context.registerTool({ name: 'echo', description: 'Says the word', inputSchema: { type: 'object' }, execute });
  const [tool] = await context.getTools();
  const call = (input) => context.executeTool(tool, input).catch((error) => error.name);
  return [await call({ word: 'hi' }), await call('{"word":"hi"}')].join(' ');
};
console.log(await page.value(`(${look})()`));
process.exit();
EOF

chromium_start --enable-features=WebMCPTesting
expect "native: object, text" "hi TypeError" "$(node calls.mjs "$cdp")"
chromium_start --disable-features=WebMCPTesting
expect "polyfill: object, text" "UnknownError hi" "$(node calls.mjs "$cdp")"
finish
