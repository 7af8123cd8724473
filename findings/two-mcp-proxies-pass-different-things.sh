#!/usr/bin/env bash
# Packages: mcp-proxy 6.7.19 (npm), mcp-proxy 0.13.0 (PyPI), supergateway 4.0.0 (npm)
# Guess: A bridge between two transports of MCP passes each message on: progress, cancellation, errors and questions of the server.
# Seen: npm's mcp-proxy passes progress, changes of the list of tools, and errors with their code; PyPI's, of the same name, drops the first two, and makes of an error a
#   result with `isError` without code and data. It answers a cancelled call itself and never tells the server, which works on. Behind both no client seems to
#   support anything: the server may ask neither for input nor for roots. `supergateway --stateful` passes all of it.
# Matters: What was tested with a client directly fails behind a bridge, without an error. Test through the bridge that users will take.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install mcp-proxy@6.7.19 supergateway@4.0.0
pip_install mcp-proxy==0.13.0
cat >server.mjs <<'JS'
// An MCP server without a library. It writes what it is told about its client, and which calls are cancelled, to the log.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
let answered;
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, error } = JSON.parse(line);
  const reply = (text) => send({ id, result: { content: [{ type: 'text', text }] } });
  if (!method) return answered(error ? 'refused' : 'answered');
  if (method === 'initialize') {
    const capabilities = { tools: { listChanged: true } };
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo: { name: 's', version: '1' } } });
  } else if (method === 'notifications/cancelled') appendFileSync(process.argv[2], 'cancelled\n');
  else if (method === 'tools/list') send({ id, result: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] } });
  else if (method === 'tools/call') {
    const { how } = params.arguments;
    const { progressToken } = params._meta ?? {};
    if (how === 'progress') {
      for (let progress = 1; progress <= 3; progress++) send({ method: 'notifications/progress', params: { progressToken, progress } });
      send({ method: 'notifications/tools/list_changed' });
      setTimeout(reply, 1000, 'done');
    } else if (how === 'error') send({ id, error: { code: -32050, message: 'no', data: { why: 1 } } });
    else if (how === 'ask') {
      const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
      send({ id: 'ask', method: 'elicitation/create', params: { message: 'Your name?', requestedSchema } });
      reply(await new Promise((resolve) => { answered = resolve; }));
    }
  }
});
JS
cat >client.mjs <<'JS'
import { existsSync } from 'node:fs';
const [url, log] = process.argv.slice(2);
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const got = [];
let session;
let id = 0;
const headers = () => ({
  'content-type': 'application/json', accept: 'application/json, text/event-stream', ...(session && { 'mcp-session-id': session, 'mcp-protocol-version': '2025-06-18' }),
});
const take = (message) => {
  got.push(message);
  if (message.method === 'elicitation/create') post({ id: message.id, result: { action: 'accept', content: { name: 'Ann' } } });
};
async function read(response) {
  if (!/event-stream/.test(response.headers.get('content-type') ?? '')) {
    const text = await response.text();
    if (text.startsWith('{')) take(JSON.parse(text));
    return;
  }
  let text = '';
  for await (const chunk of response.body) {
    text += Buffer.from(chunk).toString();
    const lines = text.split(/\r?\n/);
    text = lines.pop();
    for (const line of lines) if (/^data: *{/.test(line)) take(JSON.parse(line.replace(/^data: */, '')));
  }
}
async function post(message) {
  const response = await fetch(url, { method: 'POST', headers: headers(), body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  session ??= response.headers.get('mcp-session-id') ?? undefined;
  read(response).catch(() => {});
}
async function request(method, params) {
  const mine = ++id;
  await post({ id: mine, method, params });
  for (let n = 0; n < 200; n++, await wait(50)) {
    const answer = got.find((message) => message.id === mine && !message.method);
    if (answer) return answer;
  }
  return {};
}
const capabilities = { elicitation: {}, roots: {} };
await request('initialize', { protocolVersion: '2025-06-18', capabilities, clientInfo: { name: 'c', version: '1' } });
await post({ method: 'notifications/initialized' });
fetch(url, { headers: headers() }).then(read).catch(() => {});
await wait(500);
const call = (how, _meta) => request('tools/call', { name: 'work', arguments: { how }, ...(_meta && { _meta }) });
await call('progress', { progressToken: 'mine' });
const came = (name) => got.filter(({ method }) => method === `notifications/${name}`).length;
console.log(`progress: ${came('progress')}`);
console.log(`changes: ${came('tools/list_changed')}`);
const { error, result } = await call('error');
console.log(`error: ${error ? `${error.code} ${JSON.stringify(error.data)}` : `isError ${JSON.stringify(result.content.map(({ text }) => text))}`}`);
console.log(`asked: ${(await call('ask')).result.content[0].text}`);
const waiting = call('wait');
await wait(500);
await post({ method: 'notifications/cancelled', params: { requestId: id } });
const ended = await Promise.race([waiting, wait(3000)]);
await wait(1000);
console.log(`cancelled: the server ${existsSync(log) ? 'heard' : 'did not hear'} of it, the client got ${ended?.error ? 'an error' : 'nothing'}`);
process.exit();
JS
run() { # NAME COMMAND…
  local name=$1 port; shift
  port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
  background "${@//PORT/$port}" >"$name.out" 2>&1
  until_true 30 node -e 'fetch(process.argv[1]).then(() => process.exit(0), () => process.exit(1))' "http://127.0.0.1:$port/mcp" || cannot "$name did not start: $(tail -n 2 "$name.out")"
  node client.mjs "http://127.0.0.1:$port/mcp" "$name.log" >"$name.txt"
}
run npm node node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs --host 127.0.0.1 --server stream --port PORT -- node server.mjs npm.log
run pypi mcp-proxy --port PORT node server.mjs pypi.log
run supergateway node node_modules/supergateway/dist/index.js --stdio "node server.mjs supergateway.log" --outputTransport streamableHttp --stateful --port PORT
seen() { sed -n "s/^$2: //p" "$1.txt"; }
for name in npm supergateway; do
  expect "$name: notifications of progress, of three" 3 "$(seen $name progress)"
  expect "$name: changes of the list of tools, of one" 1 "$(seen $name changes)"
  expect "$name: an error of the server" '-32050 {"why":1}' "$(seen $name error)"
  expect "$name: a cancelled call" "the server heard of it, the client got nothing" "$(seen $name cancelled)"
done
expect "pypi: notifications of progress, of three" 0 "$(seen pypi progress)"
expect "pypi: changes of the list of tools, of one" 0 "$(seen pypi changes)"
expect "pypi: an error of the server" 'isError ["no"]' "$(seen pypi error)"
expect "pypi: a cancelled call" "the server did not hear of it, the client got an error" "$(seen pypi cancelled)"
for name in npm pypi; do expect "$name: a question of the server to a client that takes them" refused "$(seen $name asked)"; done
expect "supergateway: a question of the server" answered "$(seen supergateway asked)"
finish
