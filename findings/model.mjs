// A fake model on 127.0.0.1 for findings about agents: Anthropic Messages, OpenAI Chat Completions and Responses, Gemini.
//
//   node model.mjs LOG     prints the port; writes a line of JSON for each request: {api, path, body}; ends with its standard input
//
// It answers "Done." If the newest words of the person contain `CALL NAME {JSON}`, it first calls that tool. `WAIT` in them delays
// the answer until LOG.go exists, `FAIL 400` is answered with that HTTP status.
import { appendFileSync, existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const log = process.argv[2];
process.stdin.on('end', () => process.exit()).resume();
let serial = 0;

/** Returns the newest words of the person and whether a tool's result came after them. */
function newest(body) {
  const said = JSON.stringify(body.messages ?? body.input ?? body.contents ?? '');
  const at = said.lastIndexOf('CALL ');
  const results = ['"tool_result"', '"role":"tool"', '"function_call_output"', '"functionResponse"'];
  return { words: said, call: at < 0 ? '' : said.slice(at), answered: results.some((mark) => said.indexOf(mark, Math.max(at, 0)) >= 0) };
}

function wantedCall(body) {
  const { call, answered } = newest(body);
  const found = /^CALL ([\w./-]+) (\{.*?\}) ?END/.exec(call.replaceAll('\\"', '"').replaceAll('\\\\', '\\'));
  return found && !answered ? { name: found[1], input: JSON.parse(found[2]), id: `call_${(serial += 1)}` } : undefined;
}

const apis = {
  anthropic(body, call) {
    const message = { id: `msg_${(serial += 1)}`, type: 'message', role: 'assistant', model: body.model,
      content: [], stop_reason: null, stop_sequence: null };
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const block = call ? { type: 'tool_use', id: call.id, name: call.name, input: call.input } : { type: 'text', text: 'Done.' };
    const stop_reason = call ? 'tool_use' : 'end_turn';
    if (!body.stream) return { ...message, content: [block], stop_reason, usage };
    const start = call ? { ...block, input: {} } : { ...block, text: '' };
    const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) } : { type: 'text_delta', text: 'Done.' };
    return [
      { type: 'message_start', message: { ...message, usage } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ];
  },
  chat(body, call) {
    const base = { id: `chat_${(serial += 1)}`, created: 1, model: body.model };
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const tool_calls = call && [{ index: 0, id: call.id, type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.input) } }];
    const message = call ? { role: 'assistant', content: null, tool_calls } : { role: 'assistant', content: 'Done.' };
    const finish_reason = call ? 'tool_calls' : 'stop';
    if (!body.stream) return { ...base, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage };
    const chunk = (delta, finish) => ({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
    return [chunk(message, null), chunk({}, finish_reason), { ...base, object: 'chat.completion.chunk', choices: [], usage }, '[DONE]'];
  },
  responses(body, call) {
    const id = `resp_${(serial += 1)}`;
    // Codex puts the tools of a server into a namespace: "mcp__srv/tool".
    const [name, namespace] = (call?.name ?? '').split('/').reverse();
    const item = call
      ? { type: 'function_call', id: `fc_${serial}`, call_id: call.id, name, ...(namespace && { namespace }),
        arguments: JSON.stringify(call.input), status: 'completed' }
      : { type: 'message', id: `msg_${serial}`, role: 'assistant', status: 'completed',
        content: [{ type: 'output_text', text: 'Done.', annotations: [] }] };
    const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15,
      input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } };
    const response = { id, object: 'response', created_at: 1, model: body.model, status: 'completed', output: [item], usage };
    if (!body.stream) return response;
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      ...(call ? [] : [{ type: 'response.output_text.delta', item_id: item.id, output_index: 0, content_index: 0, delta: 'Done.' }]),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
  },
  gemini(_body, call, path) {
    const part = call ? { functionCall: { name: call.name, args: call.input } } : { text: 'Done.' };
    const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
    const answer = { candidates, usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 } };
    return path.includes('streamGenerateContent') ? [answer] : answer;
  },
};

function apiOf(path) {
  if (path.includes('/messages')) return 'anthropic';
  if (path.includes('/chat/completions')) return 'chat';
  if (path.includes('/responses')) return 'responses';
  return path.includes('enerateContent') ? 'gemini' : undefined;
}

const server = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  const body = text.startsWith('{') ? JSON.parse(text) : {};
  const api = apiOf(request.url);
  appendFileSync(log, `${JSON.stringify({ api, method: request.method, path: request.url, body })}\n`);
  const json = (status, value) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  if (request.url.includes('count_tokens')) return json(200, { input_tokens: 10 });
  if (request.url.includes('/models') && request.method === 'GET')
    return json(200, { object: 'list', data: [{ id: 'm', object: 'model' }], models: [] });
  if (!api) return json(404, { error: { message: 'not here' } });
  const status = Number(/FAIL (\d{3})/.exec(newest(body).words)?.[1]);
  if (status) return json(status, { type: 'error', error: { type: 'invalid_request_error', code: status, message: 'the model says no' } });
  if (newest(body).words.includes('WAIT')) while (!existsSync(`${log}.go`) && !response.destroyed) await sleep(50);
  const answer = apis[api](body, wantedCall(body), request.url);
  if (!Array.isArray(answer)) return json(200, answer);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of answer) {
    if (event.type) response.write(`event: ${event.type}\n`);
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
