/*
 * Stands in for Claude Code in end-to-end tests: speaks its stream-json and does what the test says, when the test
 * says it. Acts in the browser through the MCP endpoint that it was given, as the real one does.
 *
 * The test listens on the unix socket named by STAND_IN. Lines of JSON: to the test {prompt}, {interrupt}, {result};
 * from the test {say}, {think}, {tool, input}, {own, input, data}, {ask, input}, {shell}, {mcp}, {end}, {crash}.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

const args = process.argv.slice(2);
const value = (flag) => args.find((one) => one.startsWith(`${flag}=`))?.slice(flag.length + 1);

if (args.includes('--version')) {
  console.log('2.1.329 (Claude Code)');
  process.exit(0);
}
if (args.includes('--help')) {
  console.log('  --tools\n  --setting-sources\n  --strict-mcp-config\n  --settings\n  --restricted');
  process.exit(0);
}
if (args[0] === 'auth') {
  console.log(JSON.stringify({ loggedIn: true }));
  process.exit(0);
}

const session_id = value('--resume') ?? value('--session-id') ?? crypto.randomUUID();
const model = 'stand-in';
const write = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const stream = (event) => write({ type: 'stream_event', event, session_id, parent_tool_use_id: null });
let message = 0;
let block = null;

function begin(kind) {
  if (block?.kind === kind) return;
  finish();
  if (!block) message += 1;
  block = { kind, text: '' };
  stream({ type: 'message_start', message: { id: `m${message}`, role: 'assistant', model, content: [] } });
  stream({
    type: 'content_block_start',
    index: 0,
    content_block: kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' },
  });
}

function finish() {
  if (!block) return;
  stream({ type: 'content_block_stop', index: 0 });
  const content = block.kind === 'text' ? { type: 'text', text: block.text } : { type: 'thinking', thinking: block.text };
  write({
    type: 'assistant',
    message: { id: `m${message}`, role: 'assistant', model, content: [content] },
    session_id,
    parent_tool_use_id: null,
  });
  stream({ type: 'message_stop' });
  block = null;
}

function say(kind, text) {
  begin(kind);
  block.text += text;
  stream({
    type: 'content_block_delta',
    index: 0,
    delta: kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text },
  });
}

function end(more = {}) {
  finish();
  write({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'done',
    session_id,
    total_cost_usd: 0.01,
    terminal_reason: 'completed',
    ...more,
  });
}

/** Calls one of gstack's tools over MCP. */
async function callTool(name, input) {
  const { mcpServers } = JSON.parse(readFileSync(value('--mcp-config'), 'utf8'));
  const { url, headers } = mcpServers.gstack;
  let session = {};
  let id = 0;
  const post = async (method, params) => {
    const isRequest = !method.startsWith('notifications/');
    const body = { jsonrpc: '2.0', method, params, ...(isRequest ? { id: ++id } : {}) };
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers, ...session },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`MCP ${method}: ${response.status} ${await response.text()}`);
    const given = response.headers.get('mcp-session-id');
    if (given) session = { 'mcp-session-id': given };
    const text = await response.text();
    if (!isRequest) return undefined;
    const lines = text.startsWith('{')
      ? [text]
      : text
          .split('\n')
          .filter((line) => line.startsWith('data:'))
          .map((line) => line.slice(5));
    const answer = lines.map((line) => line.trim() && JSON.parse(line)).find((one) => one?.id === id);
    if (answer.error) throw new Error(answer.error.message);
    return answer.result;
  };
  await post('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'stand-in', version: '1' } });
  await post('notifications/initialized', {});
  if (name === 'tools/list') return post('tools/list', {});
  return post('tools/call', { name, arguments: input });
}

let tools = 0;
async function useTool(tool, input) {
  finish();
  const id = `tool${++tools}`;
  const name = `mcp__gstack__${tool}`;
  write({
    type: 'assistant',
    message: { id: `m${++message}`, role: 'assistant', model, content: [{ type: 'tool_use', id, name, input }] },
    session_id,
    parent_tool_use_id: null,
  });
  let result;
  try {
    result = await callTool(tool, input);
  } catch (error) {
    result = { isError: true, content: [{ type: 'text', text: String(error.message) }] };
  }
  write({
    type: 'user',
    message: {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: result.content, is_error: result.isError === true }],
    },
    session_id,
    parent_tool_use_id: null,
  });
  return result;
}

/** Uses one of its own tools without a permission request. `data`: the result as data; if absent, the tool refuses. */
function useOwn(tool, input, data) {
  finish();
  const tool_use_id = `tool${++tools}`;
  write({
    type: 'assistant',
    message: { id: `m${++message}`, role: 'assistant', model, content: [{ type: 'tool_use', id: tool_use_id, name: tool, input }] },
    session_id,
    parent_tool_use_id: null,
  });
  const result = data
    ? { content: 'done' }
    : { content: `<tool_use_error>Error: No such tool available: ${tool}.</tool_use_error>`, is_error: true };
  write({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, ...result }] },
    session_id,
    parent_tool_use_id: null,
    tool_use_result: data,
  });
}

/** Open permission requests for its own tools, by request id. */
const asked = new Map();
function askPermission(tool_name, input) {
  finish();
  const request_id = crypto.randomUUID();
  const tool_use_id = `tool${++tools}`;
  write({
    type: 'assistant',
    message: { id: `m${++message}`, role: 'assistant', model, content: [{ type: 'tool_use', id: tool_use_id, name: tool_name, input }] },
    session_id,
    parent_tool_use_id: null,
  });
  write({ type: 'control_request', request_id, request: { subtype: 'can_use_tool', tool_name, input, tool_use_id } });
  return new Promise((resolve) => asked.set(request_id, resolve)).then((response) => {
    const denied = response?.behavior !== 'allow';
    write({
      type: 'user',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id, content: denied ? 'denied' : 'done', is_error: denied }] },
      session_id,
      parent_tool_use_id: null,
    });
    return response;
  });
}

/** Runs a line as an agent with a shell would: in its own environment. */
function runShell(line) {
  const shell = spawn('sh', ['-c', line], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    shell[stream].setEncoding('utf8').on('data', (text) => {
      output[stream] += text;
    });
  return new Promise((resolve) => shell.once('close', (code) => resolve({ code, ...output })));
}

const test = connect(process.env.STAND_IN);
test.on('error', () => process.exit(7));
const tell = (line) => test.write(`${JSON.stringify(line)}\n`);

createInterface({ input: test }).on('line', async (text) => {
  const order = JSON.parse(text);
  if ('say' in order) say('text', order.say);
  if ('think' in order) say('thinking', order.think);
  if ('tool' in order) tell({ result: await useTool(order.tool, order.input) });
  if ('list' in order) tell({ result: await callTool('tools/list') });
  if ('own' in order) useOwn(order.own, order.input, order.data);
  if ('ask' in order) tell({ result: await askPermission(order.ask, order.input) });
  if ('shell' in order) tell({ result: await runShell(order.shell) });
  if ('mcp' in order) tell({ result: JSON.parse(readFileSync(value('--mcp-config'), 'utf8')).mcpServers.gstack });
  if ('end' in order) end();
  if ('crash' in order) process.exit(9);
});

createInterface({ input: process.stdin })
  .on('line', (text) => {
    const line = JSON.parse(text);
    if (line.type === 'control_request') {
      const { request_id, request } = line;
      write({
        type: 'control_response',
        response: { subtype: 'success', request_id, response: request.subtype === 'initialize' ? { account: {} } : {} },
      });
      if (request.subtype === 'interrupt') {
        end({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming' });
        tell({ interrupt: true });
      }
    } else if (line.type === 'control_response') {
      asked.get(line.response.request_id)?.(line.response.response);
      asked.delete(line.response.request_id);
    } else if (line.type === 'user') {
      write({
        type: 'system',
        subtype: 'init',
        session_id,
        model,
        apiKeySource: 'none',
        mcp_servers: [{ name: 'gstack', status: 'connected' }],
        tools: [],
      });
      const { content } = line.message;
      tell({
        prompt:
          typeof content === 'string'
            ? content
            : content
                .filter((one) => one.type === 'text')
                .map((one) => one.text)
                .join('\n'),
      });
    }
  })
  .on('close', () => process.exit(0));
