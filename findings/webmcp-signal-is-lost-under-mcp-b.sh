#!/usr/bin/env bash
# Packages: @mcp-b/global 5.1.0 and @mcp-b/webmcp-polyfill 5.1.0 (npm), ws 8.23.0 (npm), Chromium 156
# Guess: Loading a WebMCP runtime on a browser that has WebMCP adds to it: a tool is still called as the browser calls it.
# Seen: Chromium calls `execute(input, { signal })`, and the signal aborts when the caller cancels. With @mcp-b/global on the same browser,
#   and with the polyfill on a browser without WebMCP, the same tool is called as `execute(input)`: there is no second argument and no
#   signal.
# Matters: A tool written as `execute(input, { signal })` throws a TypeError before its first line there, and one that checks for the signal
#   goes on working after its caller has cancelled. Write `execute(input, client)` and `client?.signal`, and bound the work by other means.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install @mcp-b/global@5.1.0 @mcp-b/webmcp-polyfill@5.1.0 ws@8.23.0
cat >calls.mjs <<'EOF'
import { readFileSync } from 'node:fs';
import { connect, serve } from './devtools.mjs';
const [cdp, library] = process.argv.slice(2);
const script = library ? readFileSync(`node_modules/@mcp-b/${library}/dist/index.iife.js`) : '';
const port = await serve(({ pathname }, _, response) => {
  if (pathname !== '/library.js') return '<script src="/library.js"></script>';
  response.setHeader('content-type', 'text/javascript').end(script);
  return null;
});
const browser = await connect(cdp);
const page = await browser.open(`http://localhost:${port}/`);
const look = async () => {
  const context = document.modelContext;
  const execute = (...given) => `${given.length} ${given[1]?.signal instanceof AbortSignal}`;
  await context.registerTool({ name: 'count', description: 'Counts what it is given', execute });
  const [tool] = await context.getTools();
  return context.executeTool(tool, {}).catch(() => context.executeTool(tool, '{}'));
};
console.log(await page.value(`(${look})()`));
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
expect "Chromium alone: arguments, signal" "2 true" "$(node calls.mjs "$cdp")"
expect "Chromium with @mcp-b/global" "1 false" "$(node calls.mjs "$cdp" global)"
chromium_start --disable-features=WebMCPTesting
expect "the polyfill alone" "1 false" "$(node calls.mjs "$cdp" webmcp-polyfill)"
finish
