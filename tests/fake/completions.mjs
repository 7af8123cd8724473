/*
 * A fake of the OpenAI Chat Completions API on loopback, scripted by a scenario. Owns the wire; never talks to anything
 * else.
 *
 *   node completions.mjs SCENARIO.json [--log REQUESTS.jsonl]
 *
 * scenario.mjs defines the scenarios, serve.mjs the start and the end.
 *
 * STEPs:
 *   {"text": "…", "repeat": 3, "chunk": 5, "delayMs": 20}    text, in parts of `chunk` characters
 *   {"tool": "name", "input": {…}}                           a tool call
 *   {"error": 429, "message": "…", "code": "…"}              an HTTP error (first step only)
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Scenario, parts } from './scenario.mjs';
import { nextId, readJson, sendJson, serve } from './serve.mjs';

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
const MODEL = 'fake';

function textOf(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('\n');
}

function look({ messages = [], tools = [] }) {
  const promptAt = messages.findLastIndex((message) => message.role === 'user' && textOf(message.content));
  const resultAt = messages.findLastIndex((message) => message.role === 'tool');
  const system = messages.filter((message) => message.role === 'system').map((message) => textOf(message.content));
  return {
    user: textOf(messages[promptAt]?.content),
    toolResult: resultAt > promptAt ? textOf(messages[resultAt].content) : '',
    system: system.join('\n'),
    model: MODEL,
    offersTools: tools.length > 0,
    inToolLoop: resultAt > promptAt,
  };
}

/** Yields the deltas of the model's message, and also {pause}. */
function* deltas(steps) {
  yield { role: 'assistant', content: '' };
  let index = 0;
  for (const step of steps) {
    if (step.tool !== undefined) {
      const call = { name: step.tool, arguments: JSON.stringify(step.input ?? {}) };
      yield { tool_calls: [{ index: index++, id: nextId('call'), type: 'function', function: call }] };
    }
    if (step.text === undefined) continue;
    for (const content of parts(step)) {
      if (step.delayMs) yield { pause: step.delayMs };
      yield { content };
    }
  }
}

const reason = (steps) => (steps.some((step) => step.tool !== undefined) ? 'tool_calls' : 'stop');

async function sendStream(response, steps, model) {
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  const of = { id: nextId('chatcmpl'), object: 'chat.completion.chunk', created: 1, model };
  const write = (choices, more) => response.write(`data: ${JSON.stringify({ ...of, choices, ...more })}\n\n`);
  for (const delta of deltas(steps)) {
    if (response.destroyed) return;
    if (delta.pause) await sleep(delta.pause);
    else write([{ index: 0, delta, finish_reason: null }]);
  }
  write([{ index: 0, delta: {}, finish_reason: reason(steps) }]);
  write([], { usage: USAGE });
  response.end('data: [DONE]\n\n');
}

/** Answers at once what would have been streamed, after as long. */
async function sendWhole(response, steps, model) {
  const message = { role: 'assistant', content: '' };
  for (const delta of deltas(steps)) {
    if (response.destroyed) return;
    if (delta.pause) await sleep(delta.pause);
    message.content += delta.content ?? '';
    if (delta.tool_calls) message.tool_calls = [...(message.tool_calls ?? []), ...delta.tool_calls];
  }
  const choices = [{ index: 0, message, finish_reason: reason(steps) }];
  sendJson(response, 200, { id: nextId('chatcmpl'), object: 'chat.completion', created: 1, model, choices, usage: USAGE });
}

async function answer(scenario, note, request, response) {
  const path = request.url.split('?')[0];
  if (request.method !== 'POST') {
    note({ method: request.method, path });
    return sendJson(response, 200, { object: 'list', data: [{ id: MODEL, object: 'model', created: 1, owned_by: MODEL }] });
  }
  const { body } = await readJson(request);
  note({ method: 'POST', path, body });
  if (!path.endsWith('/chat/completions')) return sendJson(response, 404, { error: { message: `no ${path}` } });
  const steps = scenario.reply(look(body));
  const failure = steps[0];
  if (failure?.error) {
    const error = { message: failure.message ?? 'fake', type: 'fake_error', code: failure.code ?? null };
    return sendJson(response, failure.error, { error });
  }
  return body.stream ? sendStream(response, steps, body.model) : sendWhole(response, steps, body.model);
}

serve('completions.mjs', (spec) => {
  const scenario = new Scenario(spec);
  return (note, request, response) => answer(scenario, note, request, response);
});
