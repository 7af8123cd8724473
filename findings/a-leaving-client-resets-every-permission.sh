#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: When one of two DevTools clients disconnects, the permissions that it had set end and those of the other client stay.
# Seen: If the leaving client had set any permission at all, every permission that any client had set is reset, also one of another name
#   that a client still connected had set; that client is not told. A client that set none resets none.
# Matters: With two tools on one browser, a short-lived one that grants the clipboard silently undoes what a long-lived one granted hours
#   ago, and the next page asks or fails. Keep one client that sets all permissions, or set them again after another client has left.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >clients.mjs <<'EOF'
import { createServer } from 'node:http';
import WebSocket from 'ws';
const { webSocketDebuggerUrl } = await (await fetch(`${process.argv[2]}/json/version`)).json();
async function connect() {
  const socket = new WebSocket(webSocketDebuggerUrl);
  const replies = new Map();
  let id = 0;
  socket.on('message', (text) => {
    const { id, result, error } = JSON.parse(text);
    if (id) error ? replies.get(id).reject(new Error(error.message)) : replies.get(id).resolve(result);
  });
  await new Promise((resolve) => socket.once('open', resolve));
  const send = (method, params = {}, sessionId) =>
    new Promise((resolve, reject) => {
      replies.set(++id, { resolve, reject });
      socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  const attach = async (targetId) => {
    const { sessionId } = await send('Target.attachToTarget', { targetId, flatten: true });
    return (method, params) => send(method, params, sessionId);
  };
  const leave = () => new Promise((resolve) => socket.once('close', resolve).close());
  return { send, attach, leave };
}
const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>'));
await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${site.address().port}`;
const first = await connect();
const { targetId } = await first.send('Target.createTarget', { url: `${origin}/` });
const page = await first.attach(targetId);
const value = async (expression) => (await page('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })).result.value;
while ((await value('location.origin + document.readyState')) !== `${origin}complete`);
const permission = () => value("navigator.permissions.query({ name: 'geolocation' }).then(({ state }) => state)");
const grant = (client, name) => client.send('Browser.setPermission', { origin, permission: { name }, setting: 'granted' });
// The effect of a departure comes a little later than the close.
const settled = async (read) => {
  for (let n = 0, last = await read(); n < 20; n++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = await read();
    if (now !== last) return now;
  }
  return read();
};

await grant(first, 'geolocation');
const guest = await connect();
await guest.send('Browser.getVersion');
await guest.leave();
console.log(`permission, after a guest that set none: ${await settled(permission)}`);
const granter = await connect();
await grant(granter, 'notifications');
console.log(`permission, while another client sets a second one: ${await permission()}`);
await granter.leave();
console.log(`permission, after it has left: ${await settled(permission)}`);
process.exit();
EOF
chromium_start
node clients.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a guest that set none has left" granted "$(seen 'permission, after a guest that set none')"
expect "another client sets another permission" granted "$(seen 'permission, while another client sets a second one')"
expect "that client has left" prompt "$(seen 'permission, after it has left')"
finish
