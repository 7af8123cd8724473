/*
 * A fake of the Anthropic Messages API on loopback, scripted by a scenario. Owns the wire (JSON and server-sent
 * events); never talks to anything else and never listens beyond 127.0.0.1.
 *
 *   node anthropic.mjs SCENARIO.json [--log REQUESTS.jsonl]
 *
 * scenario.mjs defines the scenarios, serve.mjs the start and the end.
 *
 * STEPs:
 *   {"text": "…", "repeat": 3, "chunk": 5, "delayMs": 20}    a text block, in parts of `chunk` characters
 *   {"thinking": "…"}                                        a thinking block
 *   {"tool": "Read", "input": {…}, "id": "…"}                a tool use
 *   {"sleepMs": 500}                                         a pause between blocks
 *   {"error": 529, "type": "overloaded_error", "message": "…"}      an HTTP error (first step only)
 *   {"streamError": "overloaded_error", "message": "…"}      an error event that ends the stream
 *   {"drop": true}                                           the connection is cut
 *   {"stopReason": "max_tokens"}, {"usage": {…}}             other stop reasons and usage numbers
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Scenario, parts } from './scenario.mjs';
import { nextId, readJson, sendJson as send, serve } from './serve.mjs';

/** Returns all text of one kind of block in a message's content. */
function textOf(content, kind = 'text') {
  if (typeof content === 'string') return kind === 'text' ? content : '';
  return (content ?? [])
    .filter((block) => block.type === kind)
    .map((block) => (kind === 'tool_result' ? textOf(block.content) : (block.text ?? '')))
    .join('\n');
}

/**
 * Returns what rules can examine. An interrupted turn leaves its text behind, so only the last text block is the newest
 * prompt.
 */
function look(request) {
  const spoken = (request.messages ?? []).filter((message) => message.role !== 'system');
  const last = spoken.at(-1)?.content ?? '';
  const blocks = typeof last === 'string' ? [{ type: 'text', text: last }] : last;
  const resultAt = blocks.findLastIndex((block) => block.type === 'tool_result');
  const isReminder = (block) => block.type === 'text' && block.text.trimStart().startsWith('<system-reminder>');
  const said = blocks.slice(resultAt + 1).findLast((block) => block.type === 'text' && !isReminder(block));
  return {
    user: said?.text ?? '',
    reminder: textOf(blocks.filter(isReminder)),
    toolResult: textOf(last, 'tool_result'),
    system: textOf(request.system),
    model: request.model ?? '',
    offersTools: (request.tools ?? []).length > 0,
    inToolLoop: resultAt >= 0 && !said?.text.trim(),
  };
}

/** Returns the block and its deltas of one step; undefined for steps without a block. */
function blockOf(step) {
  if (step.tool !== undefined) {
    const block = { type: 'tool_use', id: step.id ?? nextId('toolu'), name: step.tool, input: {} };
    return { block, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(step.input ?? {}) }] };
  }
  const kind = ['text', 'thinking'].find((name) => step[name] !== undefined);
  if (!kind) return undefined;
  const deltas = parts(step, kind).map((part) => ({ type: `${kind}_delta`, [kind]: part }));
  if (kind === 'text') return { block: { type: 'text', text: '' }, deltas };
  deltas.push({ type: 'signature_delta', signature: 'ZmFrZQ==' });
  return { block: { type: 'thinking', thinking: '', signature: '' }, deltas };
}

/** Yields the reply as events, and also {pause} and {cut}. */
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
    // The API ends its answer after the event; only a broken connection is cut.
    if (step.streamError) return;
    if (step.drop) {
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

/** Returns the same reply for a request without streaming. */
function wholeMessage(stream) {
  let message;
  const inputs = [];
  for (const event of stream) {
    if (event.type === 'message_start') message = event.message;
    if (event.type === 'content_block_start') message.content.push({ ...event.content_block });
    if (event.type === 'content_block_delta') {
      const block = message.content[event.index];
      const { delta } = event;
      if (delta.type === 'input_json_delta') {
        inputs[event.index] = (inputs[event.index] ?? '') + delta.partial_json;
        block.input = JSON.parse(inputs[event.index]);
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
  send(response, status, body, { 'request-id': nextId('req') });
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

async function answer(scenario, note, request, response) {
  const path = request.url.split('?')[0];
  if (request.method !== 'POST') {
    note({ method: request.method, path });
    return sendJson(response, 200, { data: [], has_more: false });
  }
  const { body, length } = await readJson(request);
  note({ method: 'POST', path, headers: request.headers, body });
  if (path.endsWith('/count_tokens')) return sendJson(response, 200, { input_tokens: Math.ceil(length / 4) });
  if (!path.endsWith('/messages')) {
    return sendJson(response, 404, { type: 'error', error: { type: 'not_found_error', message: `no ${path}` } });
  }
  const steps = scenario.reply(look(body));
  const failure = steps[0];
  if (failure?.error) {
    const error = { type: failure.type ?? 'api_error', message: failure.message ?? 'fake error' };
    return sendJson(response, failure.error, { type: 'error', error });
  }
  const stream = events(body, steps);
  return body.stream ? sendStream(response, stream) : sendJson(response, 200, wholeMessage(stream));
}

serve('anthropic.mjs', (spec) => {
  const scenario = new Scenario(spec);
  return (note, request, response) => answer(scenario, note, request, response);
});
