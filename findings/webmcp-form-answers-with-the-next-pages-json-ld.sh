#!/usr/bin/env bash
# Packages: Chromium 156 (feature WebMCPTesting), ws 8.23.0 (npm)
# Guess: A WebMCP tool that is a plain form (`toolname`, `toolautosubmit`) and leads to a result page answers with the page's text or
#   address, or with nothing, as the page that offered it is gone.
# Seen: The call outlives the navigation and answers with the JSON-LD of the next page: a list of what its `application/ld+json` scripts
#   contain. Of the text that a person sees there it has nothing, and a page without JSON-LD answers with an empty list, as "Completed".
# Matters: On most sites the markup for search engines is about the shop or the breadcrumbs, and the result, or the error, is in the text.
#   An agent that reads the answer as the outcome is told of a success that it knows nothing about. Read the page after such a call; who
#   offers a form should add the outcome as JSON-LD, or answer by `SubmitEvent.respondWith`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >form.mjs <<'EOF'
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
const linked = '<script type="application/ld+json">{"@type":"WebSite","name":"Shop"}</script>';
const site = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const form = `<form toolname="order" tooldescription="Orders" toolautosubmit action="/result"><input name="marked"><button>Order</button></form>`;
  const result = `<title>result</title>${searchParams.get('marked') === 'yes' ? linked : ''}<p>Sold out: nothing was ordered</p>`;
  response.setHeader('content-type', 'text/html').end(`<!doctype html>${pathname === '/result' ? result : form}`);
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
for (const marked of ['yes', 'no']) {
  const { targetId } = await send('Target.createTarget', { url: `http://localhost:${site.address().port}/` });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  const event = (name) => until(() => events.find(({ method, sessionId: from }) => method === name && from === sessionId));
  await page('WebMCP.enable');
  const { tools } = (await event('WebMCP.toolsAdded')).params;
  await page('WebMCP.invokeTool', { frameId: tools[0].frameId, toolName: 'order', input: { marked } });
  const { status, output } = (await event('WebMCP.toolResponded')).params;
  const { result } = await page('Runtime.evaluate', { expression: 'document.title + ": " + document.body.textContent' });
  console.log(`${marked}: ${status} ${JSON.stringify(output)}, on "${result.value}"`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node form.mjs "$cdp" >seen.txt
expect "the result page has JSON-LD" 'Completed [{"@type":"WebSite","name":"Shop"}], on "result: Sold out: nothing was ordered"' "$(sed -n 's/^yes: //p' seen.txt)"
expect "the result page has none" 'Completed [], on "result: Sold out: nothing was ordered"' "$(sed -n 's/^no: //p' seen.txt)"
finish
