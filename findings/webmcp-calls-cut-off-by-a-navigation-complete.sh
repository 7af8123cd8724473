#!/usr/bin/env bash
# Packages: Chromium 156 (feature WebMCPTesting), ws 8.23.0 (npm)
# Guess: If the page leaves while a WebMCP tool made by script works, its script is gone, and the call ends with "Error" or "Canceled".
# Seen: If the tool itself starts the navigation, the call ends as "Completed" with an empty list, although the tool was cut off in the
#   middle and answered nothing. If the page leaves for any other reason, such as a link that the person follows or a reload, the call does
#   not end: no `WebMCP.toolResponded` comes.
# Matters: A client takes "Completed" for the tool's word that its work is done, while half of it (the second of two requests) never
#   happened, and waits for ever if the person leaves. Watch the frame of the tool: once it has a new document, the outcome is unknown,
#   whatever the status says.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >calls.mjs <<'EOF'
import { createServer } from 'node:http';
import WebSocket from 'ws';
const { webSocketDebuggerUrl } = await (await fetch(`${process.argv[2]}/json/version`)).json();
const socket = new WebSocket(webSocketDebuggerUrl);
const replies = new Map();
const events = [];
let id = 0;
socket.on('message', (text) => {
  const message = JSON.parse(text);
  if (!message.id) return events.push(message);
  const { resolve, reject } = replies.get(message.id);
  message.error ? reject(new Error(message.error.message)) : resolve(message.result);
});
const send = (method, params = {}, sessionId) =>
  new Promise((resolve, reject) => {
    replies.set(++id, { resolve, reject });
    socket.send(JSON.stringify({ id, method, params, sessionId }));
  });
const until = async (check) => {
  for (let n = 0; n < 200; n++, await new Promise((resolve) => setTimeout(resolve, 50))) {
    const found = await check();
    if (found) return found;
  }
  throw new Error(`never: ${check}`);
};
await new Promise((resolve) => socket.once('open', resolve));
let second = 0;
const site = createServer((request, response) => {
  if (request.url === '/second') second++;
  response.setHeader('content-type', 'text/html').end('<!doctype html><a href="/cart">Cart</a>');
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const slow = "await new Promise((resolve) => setTimeout(resolve, 1000)); await fetch('/second')";
const cases = {
  answers: `async () => { ${slow}; return 'done'; }`,
  'navigates itself': `async () => { location.href = '/cart'; ${slow}; return 'done'; }`,
  'a link is followed': `async () => { ${slow}; return 'done'; }`,
  'a reload': `async () => { ${slow}; return 'done'; }`,
};
for (const [name, execute] of Object.entries(cases)) {
  second = 0;
  const { targetId } = await send('Target.createTarget', { url: `http://localhost:${site.address().port}/` });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  const event = (name) => events.find(({ method, sessionId: from }) => method === name && from === sessionId);
  const value = async (expression) => (await page('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })).result.value;
  await until(() => value("location.port !== '' && document.readyState === 'complete'"));
  await page('WebMCP.enable');
  await page('Page.enable');
  await value(`document.modelContext.registerTool({ name: 'tool', description: 'A tool', execute: ${execute} })`);
  const { frameId } = (await until(() => event('WebMCP.toolsAdded'))).params.tools[0];
  await page('WebMCP.invokeTool', { frameId, toolName: 'tool', input: {} });
  if (name === 'a reload') await page('Page.reload');
  if (name === 'a link is followed') await page('Runtime.evaluate', { expression: 'document.links[0].click()', userGesture: true });
  if (name !== 'answers') await until(() => event('Page.loadEventFired'));
  await Promise.race([until(() => event('WebMCP.toolResponded')).catch(() => {}), new Promise((resolve) => setTimeout(resolve, 5000))]);
  const responded = event('WebMCP.toolResponded')?.params;
  console.log(`${name}: ${responded ? `${responded.status} ${JSON.stringify(responded.output)}` : 'no answer in 5 s'}, second request: ${second}`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node calls.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a page that stays" 'Completed "done", second request: 1' "$(seen answers)"
expect "a tool that navigates itself" "Completed [], second request: 0" "$(seen 'navigates itself')"
expect "a link that is followed during the call" "no answer in 5 s, second request: 0" "$(seen 'a link is followed')"
expect "a reload during the call" "no answer in 5 s, second request: 0" "$(seen 'a reload')"
finish
