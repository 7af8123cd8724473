/*
 * A fake of the OpenAI Responses API on loopback, scripted by a scenario. Owns the wire (server-sent events); never
 * talks to anything else.
 *
 *   node responses.mjs SCENARIO.json [--log REQUESTS.jsonl]
 *
 * scenario.mjs defines the scenarios, serve.mjs the start and the end.
 *
 * STEPs:
 *   {"text": "…", "repeat": 3, "chunk": 5, "delayMs": 20}    a message, in parts of `chunk` characters
 *   {"reasoning": "…"}                                       a summary of the reasoning
 *   {"tool": "name", "namespace": "…", "input": {…}}         a function call
 *   {"custom": "apply_patch", "input": "…"}                  a call of a tool that takes text
 *   {"search": "…"}                                          a search among the tools that the request does not have
 *   {"sleepMs": 500}                                         a pause between items
 *   {"error": 429, "message": "…", "code": "…"}              an HTTP error (first step only)
 *   {"failed": "server_is_overloaded", "message": "…"}       the response fails mid-stream
 *   {"drop": true}                                           the connection is cut
 *   {"usage": {…}}                                           other usage numbers
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Scenario, parts } from './scenario.mjs';
import { nextId, readJson, sendJson, serve } from './serve.mjs';

function textOf(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => part.text ?? '').join('\n');
}

/** Codex puts its own notes before the prompt, each in an element, and Copilot CLI behind it. */
const NOTE = /^\s*<(environment|system_reminder)/;

function look(request) {
  const items = typeof request.input === 'string' ? [{ role: 'user', content: request.input }] : (request.input ?? []);
  const isResult = (item) => (item.type ?? '').endsWith('_output');
  const isPrompt = (item) => item.role === 'user' && !NOTE.test(textOf(item.content));
  const resultAt = items.findLastIndex(isResult);
  const promptAt = items.findLastIndex(isPrompt);
  // A search for tools has tools as its result.
  const result = items[resultAt]?.output ?? items[resultAt]?.tools;
  return {
    user: textOf(items[promptAt]?.content),
    toolResult: resultAt > promptAt ? (typeof result === 'string' ? result : JSON.stringify(result ?? '')) : '',
    system: request.instructions ?? '',
    model: request.model ?? '',
    // Newer models get their tools as an item.
    offersTools: (request.tools ?? []).length > 0 || items.some((item) => item.type === 'additional_tools'),
    inToolLoop: resultAt > promptAt,
  };
}

/** Yields the reply as events, and also {pause} and {cut}. */
function* events(steps) {
  const id = nextId('resp');
  const output = [];
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 120,
  };
  yield { type: 'response.created', response: { id, object: 'response', status: 'in_progress', output: [] } };
  for (const [index, step] of steps.entries()) {
    Object.assign(usage, step.usage);
    if (step.sleepMs) yield { pause: step.sleepMs };
    if (step.drop) return yield { cut: true };
    if (step.failed) {
      const error = { code: step.failed, message: step.message ?? 'fake' };
      return yield { type: 'response.failed', response: { id, status: 'failed', error } };
    }
    const item = yield* itemOf(step, index);
    if (!item) continue;
    output.push(item);
    yield { type: 'response.output_item.done', output_index: index, item };
  }
  yield { type: 'response.completed', response: { id, object: 'response', status: 'completed', output, usage } };
}

function* itemOf(step, index) {
  if (step.text !== undefined) {
    const id = nextId('msg');
    const item = { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
    yield { type: 'response.output_item.added', output_index: index, item };
    for (const delta of parts(step)) {
      if (step.delayMs) yield { pause: step.delayMs };
      yield { type: 'response.output_text.delta', item_id: id, output_index: index, content_index: 0, delta };
    }
    const content = [{ type: 'output_text', text: parts(step).join(''), annotations: [] }];
    return { ...item, status: 'completed', content };
  }
  if (step.reasoning !== undefined) {
    return { type: 'reasoning', id: nextId('rs'), summary: [{ type: 'summary_text', text: step.reasoning }] };
  }
  if (step.custom !== undefined) {
    const input = step.input ?? '';
    return { type: 'custom_tool_call', id: nextId('ctc'), call_id: nextId('call'), name: step.custom, input };
  }
  if (step.search !== undefined) {
    const call = { type: 'tool_search_call', id: nextId('tsc'), call_id: nextId('call'), status: 'completed', execution: 'client' };
    return { ...call, arguments: { query: step.search } };
  }
  if (step.tool === undefined) return undefined;
  const call = { type: 'function_call', id: nextId('fc'), call_id: nextId('call'), name: step.tool };
  if (step.namespace) call.namespace = step.namespace;
  return { ...call, arguments: JSON.stringify(step.input ?? {}) };
}

async function sendStream(response, stream) {
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  let sequence = 0;
  for (const event of stream) {
    if (response.destroyed) return;
    if (event.pause) await sleep(event.pause);
    else if (event.cut) return void response.destroy();
    else response.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence++ })}\n\n`);
  }
  response.end();
}

async function answer(scenario, note, request, response) {
  const path = request.url.split('?')[0];
  if (request.method !== 'POST') {
    note({ method: request.method, path });
    return sendJson(response, path.endsWith('/models') ? 200 : 404, { object: 'list', data: [], models: [] });
  }
  const { body } = await readJson(request);
  note({ method: 'POST', path, headers: request.headers, body });
  if (!path.endsWith('/responses')) return sendJson(response, 404, { error: { message: `no ${path}` } });
  const steps = scenario.reply(look(body));
  const failure = steps[0];
  if (failure?.error) {
    const error = { message: failure.message ?? 'fake', type: 'fake_error', code: failure.code ?? null };
    return sendJson(response, failure.error, { error });
  }
  return sendStream(response, events(steps));
}

serve('responses.mjs', (spec) => {
  const scenario = new Scenario(spec);
  return (note, request, response) => answer(scenario, note, request, response);
});
