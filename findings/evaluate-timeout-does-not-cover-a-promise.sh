#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: `Runtime.evaluate { awaitPromise: true, timeout: 500 }` answers within half a second or so, with an error if the promise has not
#   settled.
# Seen: The timeout ends only the script's synchronous part. A loop without end is stopped ("Execution was terminated"), but for a promise
#   that settles after 2 s the reply comes after 2 s, and for one that never settles it does not come at all.
# Matters: A client that relies on it waits for ever on the first page whose promise never settles: a fetch that hangs, an event that does
#   not come. Put the limit into the script (`Promise.race`) or into the client, which must then expect a late reply.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >timeouts.mjs <<'EOF'
import WebSocket from 'ws';
const { webSocketDebuggerUrl } = await (await fetch(`${process.argv[2]}/json/version`)).json();
const socket = new WebSocket(webSocketDebuggerUrl);
const replies = new Map();
let id = 0;
socket.on('message', (text) => {
  const reply = JSON.parse(text);
  if (reply.id) replies.get(reply.id)(reply);
});
const send = (method, params = {}, sessionId) =>
  new Promise((resolve) => {
    replies.set(++id, resolve);
    socket.send(JSON.stringify({ id, method, params, sessionId }));
  });
await new Promise((resolve) => socket.once('open', resolve));
const { targetId } = (await send('Target.createTarget', { url: 'about:blank' })).result;
const { sessionId } = (await send('Target.attachToTarget', { targetId, flatten: true })).result;
const evaluate = async (expression) => {
  const started = Date.now();
  const reply = await Promise.race([
    send('Runtime.evaluate', { expression, awaitPromise: true, timeout: 500 }, sessionId),
    new Promise((resolve) => setTimeout(resolve, 10_000)),
  ]);
  if (!reply) return 'no reply in 10 s';
  return `${reply.error?.message ?? reply.result.result.value}, ${Date.now() - started < 2000 ? 'before' : 'after'} 2 s`;
};
console.log(`late: ${await evaluate("new Promise((resolve) => setTimeout(resolve, 2000, 'settled'))")}`);
console.log(`never: ${await evaluate('new Promise(() => {})')}`);
console.log(`quick: ${await evaluate("Promise.resolve('settled')")}`);
const loop = await Promise.race([
  send('Runtime.evaluate', { expression: 'for (;;);', timeout: 500 }, sessionId),
  new Promise((resolve) => setTimeout(resolve, 10_000)),
]);
console.log(`loop: ${loop?.error?.message ?? JSON.stringify(loop)}`);
process.exit();
EOF
chromium_start
node timeouts.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a promise that settles after 2 s" "settled, after 2 s" "$(seen late)"
expect "a promise that never settles" "no reply in 10 s" "$(seen never)"
expect "a promise that settles at once" "settled, before 2 s" "$(seen quick)"
expect "a loop without end" "Execution was terminated" "$(seen loop)"
finish
