/*
 * The agent of the scale measurements: an ACP program on standard input and output that works until it is ended.
 *
 * Each round calls gstack's tool `snapshot` over MCP and says one line of text: when it was said, in milliseconds since
 * 1970, and how long the call took. Owns no measurement; never uses anything but the address that gstack gave it.
 *
 *   node agent.mjs ROUND_MS [--only-talk]     without calls if it is to talk only
 */
import { createInterface } from 'node:readline';

const roundMs = Number(process.argv[2]);
const onlyTalks = process.argv.includes('--only-talk');
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => performance.timeOrigin + performance.now();

function say(text) {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
  send({ method: 'session/update', params: { sessionId: 's', update } });
}

let server;
let session = {};
let last = 0;
let working = null;

/** Sends one message over MCP and returns the result; null for a notification. */
async function call(method, params) {
  const isRequest = !method.startsWith('notifications/');
  last += 1;
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session };
  for (const { name, value } of server.headers ?? []) headers[name] = value;
  const body = { jsonrpc: '2.0', method, params, ...(isRequest ? { id: last } : {}) };
  const response = await fetch(server.url, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`MCP ${method}: ${response.status} ${text}`);
  const given = response.headers.get('mcp-session-id');
  if (given) session = { 'mcp-session-id': given };
  if (!isRequest) return null;
  // One JSON object, or the same as a server-sent event.
  const lines = text.startsWith('{') ? [text] : text.split('\n').filter((line) => line.startsWith('data:'));
  const answers = lines.map((line) => line.replace(/^data:\s*/, '')).filter(Boolean);
  const { result, error } = answers.map((line) => JSON.parse(line)).find(({ id }) => id === body.id) ?? { error: { message: text } };
  if (error || result.isError) throw new Error(error?.message ?? JSON.stringify(result.content));
  return result;
}

async function work(isStopped) {
  if (!onlyTalks) {
    await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'scale', version: '1' } });
    await call('notifications/initialized', {});
  }
  // Agents that started together don't stay in step.
  await pause(Math.random() * roundMs);
  while (!isStopped()) {
    const begin = performance.now();
    let said = 'none';
    if (!onlyTalks) {
      said = await call('tools/call', { name: 'snapshot', arguments: {} }).then(
        () => (performance.now() - begin).toFixed(3),
        (error) => `failed (${error.message.replace(/[<>\s]+/g, ' ').slice(0, 200)})`,
      );
    }
    say(`<${now().toFixed(3)} ${said}>\n`);
    await pause(roundMs * (0.5 + Math.random()));
  }
}

const METHODS = {
  initialize(id) {
    send({ id, result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } }, agentInfo: { version: '1' } } });
  },
  'session/new'(id, { mcpServers }) {
    server = mcpServers.find(({ url }) => url);
    send({ id, result: { sessionId: 's' } });
  },
  async 'session/prompt'(id) {
    const one = { stopped: false };
    working = one;
    await work(() => one.stopped).catch((error) => say(`<${now().toFixed(3)} failed (${error.message})>\n`));
    send({ id, result: { stopReason: one.stopped ? 'cancelled' : 'end_turn' } });
  },
  'session/cancel'() {
    if (working) working.stopped = true;
  },
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    METHODS[method]?.(id, params);
  })
  .on('close', () => process.exit(0));
