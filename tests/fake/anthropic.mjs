/*
 * A fake of the Anthropic Messages API on loopback, scripted by a scenario. Owns the wire (JSON and server-sent events);
 * never talks to anything else and never listens beyond 127.0.0.1.
 *
 *   node anthropic.mjs SCENARIO.json [--log REQUESTS.jsonl]
 *
 * Prints {"port":N} once it listens and serves until its stdin ends (or it is killed), so that it never outlives its test.
 *
 * Scenario: {"rules": [RULE…], "default": [STEP…], "afterTool": [STEP…]}
 * A RULE answers a request when all of its conditions hold; the first one wins:
 *   match   part of the text looked at, any case ("" or absent: always)
 *   in      where to look: "user" (default: the newest prompt), "toolResult", "system", "model"
 *   tools   true/false: the request offers tools or not (title generation and the like offer none)
 *   times   answers at most so often
 *   reply   [STEP…]
 * A request that ends in a tool result and that no "toolResult" rule answers gets "afterTool", so that every loop ends.
 *
 * STEPs:
 *   {"text": "…", "repeat": 3, "chunk": 5, "delayMs": 20}    a text block, in parts of `chunk` characters
 *   {"thinking": "…"}                                        a thinking block
 *   {"tool": "Read", "input": {…}, "id": "…"}                a tool use
 *   {"sleepMs": 500}                                         a pause between blocks
 *   {"error": 529, "type": "overloaded_error", "message": "…"}      an HTTP error (first step only)
 *   {"streamError": "overloaded_error", "message": "…"}      an error event in the stream, then the end of the connection
 *   {"drop": true}                                           the connection is cut
 *   {"stopReason": "max_tokens"}, {"usage": {…}}             other endings and numbers
 * "$1" in a step is replaced by what follows the matched text.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';

let counter = 0;
const nextId = (prefix) => `${prefix}_fake_${String(++counter).padStart(4, '0')}`;

/** All text of one kind of block in a message's content. */
function textOf(content, kind = 'text') {
  if (typeof content === 'string') return kind === 'text' ? content : '';
  return (content ?? [])
    .filter((block) => block.type === kind)
    .map((block) => (kind === 'tool_result' ? textOf(block.content) : (block.text ?? '')))
    .join('\n');
}

/** What rules can look at. An interrupted turn leaves its text behind: only the last text block is the newest prompt. */
function look(request) {
  const spoken = (request.messages ?? []).filter((message) => message.role !== 'system');
  const last = spoken.at(-1)?.content ?? '';
  const blocks = typeof last === 'string' ? [{ type: 'text', text: last }] : last;
  const resultAt = blocks.findLastIndex((block) => block.type === 'tool_result');
  const said = blocks
    .slice(resultAt + 1)
    .findLast((block) => block.type === 'text' && !block.text.trimStart().startsWith('<system-reminder>'));
  return {
    user: said?.text ?? '',
    toolResult: textOf(last, 'tool_result'),
    system: textOf(request.system),
    model: request.model ?? '',
    offersTools: (request.tools ?? []).length > 0,
    inToolLoop: resultAt >= 0 && !said?.text.trim(),
  };
}

class Scenario {
  #spec;
  #used = new Map();

  constructor(spec) {
    this.#spec = spec;
  }

  reply(request) {
    const seen = look(request);
    for (const rule of this.#spec.rules ?? []) {
      const where = rule.in ?? 'user';
      if (seen.inToolLoop && where === 'user') continue;
      if (rule.tools !== undefined && rule.tools !== seen.offersTools) continue;
      const key = rule.match ?? '';
      const at = seen[where].toLowerCase().lastIndexOf(key.toLowerCase());
      const used = this.#used.get(rule) ?? 0;
      if (at < 0 || used >= (rule.times ?? Infinity)) continue;
      this.#used.set(rule, used + 1);
      return fill(rule.reply, seen[where].slice(at + key.length).trim());
    }
    if (seen.inToolLoop) return this.#spec.afterTool ?? [{ text: 'Tool finished.' }];
    return this.#spec.default ?? [{ text: 'Hello from the fake model.' }];
  }
}

function fill(value, rest) {
  if (typeof value === 'string') return value.replaceAll('$1', () => rest);
  if (Array.isArray(value)) return value.map((item) => fill(item, rest));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, rest)]));
}

/** The block and its deltas of one step; undefined for steps without a block. */
function blockOf(step) {
  if (step.tool !== undefined) {
    const block = { type: 'tool_use', id: step.id ?? nextId('toolu'), name: step.tool, input: {} };
    return { block, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(step.input ?? {}) }] };
  }
  const kind = ['text', 'thinking'].find((name) => step[name] !== undefined);
  if (!kind) return undefined;
  const letters = Array.from(step[kind].repeat(step.repeat ?? 1));
  const size = step.chunk ?? Math.max(letters.length, 1);
  const deltas = [];
  for (let at = 0; at < letters.length; at += size) {
    deltas.push({ type: `${kind}_delta`, [kind]: letters.slice(at, at + size).join('') });
  }
  if (kind === 'text') return { block: { type: 'text', text: '' }, deltas };
  deltas.push({ type: 'signature_delta', signature: 'ZmFrZQ==' });
  return { block: { type: 'thinking', thinking: '', signature: '' }, deltas };
}

/** The reply as events; {pause} and {cut} besides. */
function* events(request, steps) {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
  for (const step of steps) Object.assign(usage, step.usage);
  const message = {
    id: nextId('msg'),
    type: 'message',
    role: 'assistant',
    model: request.model ?? 'fake',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage },
  };
  yield { type: 'message_start', message };
  let [index, stopReason] = [0, 'end_turn'];
  for (const step of steps) {
    if (step.sleepMs) yield { pause: step.sleepMs };
    if (step.tool !== undefined) stopReason = 'tool_use';
    if (step.stopReason) stopReason = step.stopReason;
    if (step.streamError) {
      yield { type: 'error', error: { type: step.streamError, message: step.message ?? 'fake' } };
    }
    if (step.streamError || step.drop) {
      yield { cut: true };
      return;
    }
    const made = blockOf(step);
    if (!made) continue;
    yield { type: 'content_block_start', index, content_block: made.block };
    for (const delta of made.deltas) {
      if (step.delayMs) yield { pause: step.delayMs };
      yield { type: 'content_block_delta', index, delta };
      usage.output_tokens += 1;
    }
    yield { type: 'content_block_stop', index };
    index += 1;
  }
  yield { type: 'message_delta', usage, delta: { stop_reason: stopReason, stop_sequence: null } };
  yield { type: 'message_stop' };
}

/** The same reply for a request that asked for no stream. */
function wholeMessage(stream) {
  let message;
  const parts = [];
  for (const event of stream) {
    if (event.type === 'message_start') message = event.message;
    if (event.type === 'content_block_start') message.content.push({ ...event.content_block });
    if (event.type === 'content_block_delta') {
      const block = message.content[event.index];
      const { delta } = event;
      if (delta.type === 'input_json_delta') {
        parts[event.index] = (parts[event.index] ?? '') + delta.partial_json;
        block.input = JSON.parse(parts[event.index]);
      } else {
        const field = delta.type.replace('_delta', '');
        block[field] = (block[field] ?? '') + delta[field];
      }
    }
    if (event.type === 'message_delta') Object.assign(message, event.delta, { usage: event.usage });
  }
  return message;
}

function sendJson(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': nextId('req') });
  response.end(JSON.stringify(body));
}

async function sendStream(response, stream) {
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
    'request-id': nextId('req'),
  });
  for (const event of stream) {
    if (response.destroyed) return;
    if (event.pause) await sleep(event.pause);
    else if (event.cut) return void response.destroy();
    else response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }
  response.end();
}

async function readBody(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function serve(scenario, note, request, response) {
  const raw = await readBody(request);
  const path = request.url.split('?')[0];
  if (request.method !== 'POST') {
    note({ method: request.method, path });
    return sendJson(response, 200, { data: [], has_more: false });
  }
  let body = {};
  try {
    body = JSON.parse(raw);
  } catch {
    // Noted as an empty request: some clients post what is no JSON.
  }
  note({ method: 'POST', path, headers: request.headers, body });
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: Math.ceil(raw.length / 4) });
  if (!path.endsWith('/messages')) {
    return sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: `no ${path}` } });
  }
  const steps = scenario.reply(body);
  const failure = steps[0];
  if (failure?.error) {
    const error = { type: failure.type ?? 'api_error', message: failure.message ?? 'fake error' };
    return sendJson(response, failure.error, { type: 'error', error });
  }
  const stream = events(body, steps);
  return body.stream ? sendStream(response, stream) : sendJson(response, 200, wholeMessage(stream));
}

function main([file, ...rest]) {
  if (!file) {
    console.error('usage: anthropic.mjs SCENARIO.json [--log REQUESTS.jsonl]');
    process.exit(2);
  }
  const logFile = rest[0] === '--log' ? rest[1] : undefined;
  const note = (entry) => logFile && appendFileSync(logFile, `${JSON.stringify(entry)}\n`);
  const scenario = new Scenario(JSON.parse(readFileSync(file, 'utf8')));
  const server = createServer((request, response) => {
    serve(scenario, note, request, response).catch((error) => {
      // A client that goes away in mid-stream is part of many tests.
      note({ error: String(error) });
      response.destroy();
    });
  });
  server.listen(0, HOST, () => console.log(JSON.stringify({ port: server.address().port })));
  process.stdin.resume().on('end', () => process.exit(0));
}

main(process.argv.slice(2));
