#!/usr/bin/env bash
# Packages: Chromium 156 (feature WebMCPTesting), ws 8.23.0 (npm)
# Guess: If the call of a WebMCP form tool (`toolname`, `toolautosubmit`) ends with "Error", the form was not sent, and the call may be made
#   again.
# Seen: A form that ends on another site, by its action or by a redirect, is sent, the server acts on it and the browser shows the other
#   site, and yet the call ends with "Error": "Cannot return tool results after a cross-origin navigation". The same form that ends on its
#   own site ends with "Completed".
# Matters: Paying and signing in usually end on another site. An agent that repeats a failed call orders twice. Take this error as "sent,
#   outcome unknown" and look at the page; treat only errors without a navigation as "nothing happened".
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
let orders = 0;
const site = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const form = `<form toolname="order" tooldescription="Orders" toolautosubmit action="/order"><input name="host"><button>Order</button></form>`;
  if (pathname === '/order') {
    orders++;
    return response.writeHead(303, { location: `http://${searchParams.get('host')}:${site.address().port}/thanks` }).end();
  }
  response.setHeader('content-type', 'text/html').end(`<!doctype html>${pathname === '/thanks' ? '<title>thanks</title>' : form}`);
});
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
for (const host of ['localhost', '127.0.0.1']) {
  orders = 0;
  const { targetId } = await send('Target.createTarget', { url: `http://localhost:${site.address().port}/` });
  const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  const event = (name) => until(() => events.find(({ method, sessionId: from }) => method === name && from === sessionId));
  await page('WebMCP.enable');
  const { tools } = (await event('WebMCP.toolsAdded')).params;
  await page('WebMCP.invokeTool', { frameId: tools[0].frameId, toolName: 'order', input: { host } });
  const { status, errorText } = (await event('WebMCP.toolResponded')).params;
  const title = async () => (await page('Runtime.evaluate', { expression: 'document.title' })).result.value;
  await until(async () => (await title()) === 'thanks');
  console.log(`${host}: ${status}, ${orders} order, ${/cross-origin navigation/.test(errorText) ? 'says cross-origin navigation' : 'no error'}`);
}
process.exit();
EOF
chromium_start --enable-features=WebMCPTesting
node form.mjs "$cdp" >seen.txt
expect "a form that ends on its own site" "Completed, 1 order, no error" "$(sed -n 's/^localhost: //p' seen.txt)"
expect "a form that ends on another site" "Error, 1 order, says cross-origin navigation" "$(sed -n 's/^127.0.0.1: //p' seen.txt)"
finish
