/*
 * A fake of the Gemini API (generateContent) on loopback, scripted by a scenario.
 * Owns the wire; never talks to anything else.
 *
 *   node gemini.mjs SCENARIO.json [--log REQUESTS.jsonl]
 *
 * scenario.mjs defines the scenarios, serve.mjs the start and the end.
 *
 * STEPs:
 *   {"text": "…", "repeat": 3, "chunk": 5, "delayMs": 20}    text, in parts of `chunk` characters
 *   {"thought": "…"}                                         reasoning
 *   {"tool": "write_file", "input": {…}}                     a function call
 *   {"sleepMs": 500}                                         a pause between parts
 *   {"error": 429, "status": "RESOURCE_EXHAUSTED", "message": "…"}  an HTTP error (first step only)
 *   {"drop": true}                                           the connection is cut
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Scenario, parts } from './scenario.mjs';
import { readJson, sendJson, serve } from './serve.mjs';

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

function look(request) {
  const last = (request.contents ?? []).at(-1)?.parts ?? [];
  const text = (all) => all.map((part) => part.text ?? '').join('\n');
  const results = last.filter((part) => part.functionResponse);
  return {
    user: text(last),
    toolResult: JSON.stringify(results),
    system: text(request.systemInstruction?.parts ?? []),
    model: '',
    offersTools: (request.tools ?? []).length > 0,
    inToolLoop: results.length > 0,
  };
}

/** Yields the parts of the model's message, and also {pause} and {cut}. */
function* messageParts(steps) {
  for (const step of steps) {
    if (step.sleepMs) yield { pause: step.sleepMs };
    if (step.drop) return yield { cut: true };
    if (step.thought) yield { text: step.thought, thought: true };
    if (step.tool) yield { functionCall: { name: step.tool, args: step.input ?? {} } };
    if (step.text === undefined) continue;
    for (const text of parts(step)) {
      if (step.delayMs) yield { pause: step.delayMs };
      yield { text };
    }
  }
}

const chunk = (content, more) => ({
  candidates: [{ content: { role: 'model', parts: content }, index: 0, ...more }],
  usageMetadata: USAGE,
  modelVersion: 'fake',
});

async function sendStream(response, stream) {
  response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
  const write = (body) => response.write(`data: ${JSON.stringify(body)}\r\n\r\n`);
  for (const part of stream) {
    if (response.destroyed) return;
    if (part.pause) await sleep(part.pause);
    else if (part.cut) return void response.destroy();
    else write(chunk([part]));
  }
  write(chunk([{ text: '' }], { finishReason: 'STOP' }));
  response.end();
}

async function answer(scenario, note, request, response) {
  const path = request.url.split('?')[0];
  const { body } = request.method === 'POST' ? await readJson(request) : { body: {} };
  note({ method: request.method, path, body });
  if (path.endsWith(':countTokens')) return sendJson(response, 200, { totalTokens: 10 });
  if (!path.includes('enerateContent')) return sendJson(response, 404, {});
  const steps = scenario.reply(look(body));
  const failure = steps[0];
  if (failure?.error) {
    const error = { code: failure.error, message: failure.message ?? 'fake', status: failure.status ?? 'UNKNOWN' };
    return sendJson(response, failure.error, { error });
  }
  if (path.endsWith(':streamGenerateContent')) return sendStream(response, messageParts(steps));
  // Only helpers send requests without streaming (model choice, a summary): they expect JSON.
  return sendJson(response, 200, chunk([{ text: '{}' }], { finishReason: 'STOP' }));
}

serve('gemini.mjs', (spec) => {
  const scenario = new Scenario(spec);
  return (note, request, response) => answer(scenario, note, request, response);
});
