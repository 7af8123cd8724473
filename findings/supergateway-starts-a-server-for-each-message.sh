#!/usr/bin/env bash
# Packages: supergateway 4.0.0, mcp-proxy 6.7.19 (npm)
# Guess: A bridge that offers a stdio MCP server over streamable HTTP starts that server once, or once for each client.
# Seen: supergateway starts it anew for each message that a client posts, unless it is told `--stateful`: a counter in the server stays at 1, and what
#   it asks its client (elicitation, roots) is refused. A cancellation goes to a new server as well, while the one with the call works on. With `--stateful` one
#   server belongs to each client; npm's mcp-proxy starts one for all.
# Matters: A server that holds a browser, a login or a database works through a bridge only with `--stateful`, and without it pays for a start with each call.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install supergateway@4.0.0 mcp-proxy@6.7.19
cat >server.mjs <<'JS'
// An MCP server without a library: `count` says how often it was called, `wait` is never answered. It logs its starts and what is cancelled.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const note = (text) => appendFileSync(process.env.LOG, `${text}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let calls = 0;
let waiting = false;
note('started');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') {
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } } });
  } else if (method === 'notifications/cancelled') note(`cancelled in the server that ${waiting ? 'works' : 'does not work'}`);
  else if (method === 'tools/call' && params.name === 'wait') waiting = true;
  else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: `${++calls}` }] } });
});
JS
cat >client.mjs <<'JS'
import { readFileSync } from 'node:fs';
const [url, log] = process.argv.slice(2);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let session;
let id = 0;
const post = async (message) => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  if (session) headers['mcp-session-id'] = session;
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  session ??= response.headers.get('mcp-session-id') ?? undefined;
  return response;
};
const call = async (name) => /\\?"text\\?":\\?"(\d+)/.exec(await (await post({ id: ++id, method: 'tools/call', params: { name, arguments: {} } })).text())?.[1];
const clientInfo = { name: 'c', version: '1' };
await (await post({ id: ++id, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })).text();
await (await post({ method: 'notifications/initialized' })).text();
console.log(`counter: ${await call('count')} ${await call('count')} ${await call('count')}`);
post({ id: ++id, method: 'tools/call', params: { name: 'wait', arguments: {} } });
await wait(1000);
await (await post({ method: 'notifications/cancelled', params: { requestId: id } })).text();
const lines = () => readFileSync(log, 'utf8').trim().split('\n');
for (let n = 0; n < 100 && !lines().some((line) => line.startsWith('cancelled')); n++) await wait(100);
console.log(`starts: ${lines().filter((line) => line === 'started').length}`);
console.log(`cancelled: ${lines().find((line) => line.startsWith('cancelled'))}`);
process.exit();
JS
run() { # NAME COMMAND…
  local name=$1 port; shift
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  LOG="$work/$name.log" background "$@" --port "$port" ${server[@]+"${server[@]}"} >"$name.out" 2>&1
  until_true 30 node -e 'fetch(process.argv[1]).then(() => process.exit(0), () => process.exit(1))' "http://127.0.0.1:$port/mcp" || cannot "$name did not start: $(tail -n 2 "$name.out")"
  # The request above may have started a server.
  : >"$name.log"
  node client.mjs "http://127.0.0.1:$port/mcp" "$name.log" >"$name.txt"
}
gateway=(node node_modules/supergateway/dist/index.js --stdio "node server.mjs" --outputTransport streamableHttp)
run plain "${gateway[@]}"
run stateful "${gateway[@]}" --stateful
server=(-- node server.mjs)
run proxy node node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs --host 127.0.0.1 --server stream
seen() { sed -n "s/^$2: //p" "$1.txt"; }
expect "supergateway, a counter over three calls" "1 1 1" "$(seen plain counter)"
expect "starts for seven messages" 7 "$(seen plain starts)"
expect "the cancellation of a call" "cancelled in the server that does not work" "$(seen plain cancelled)"
expect "supergateway --stateful, a counter" "1 2 3" "$(seen stateful counter)"
expect "starts" 1 "$(seen stateful starts)"
expect "the cancellation" "cancelled in the server that works" "$(seen stateful cancelled)"
expect "npm's mcp-proxy, a counter" "1 2 3" "$(seen proxy counter)"
expect "the cancellation" "cancelled in the server that works" "$(seen proxy cancelled)"
finish
