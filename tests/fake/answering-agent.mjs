/*
 * An ACP agent that gives the answer in a file, and notes what it was given: `answering-agent.mjs FOLDER` reads FOLDER/answer.txt
 * and appends to FOLDER/seen.jsonl. Before it answers, it tries to act: it asks for a shell command and a file, as an agent that a
 * page has talked into something does.
 */
import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const folder = process.argv[2];
const note = (what) => appendFileSync(path.join(folder, 'seen.jsonl'), `${JSON.stringify(what)}\n`);
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const waiting = new Map();
let asked = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `a${++asked}`;
    waiting.set(id, resolve);
    say({ id, method, params });
  });

async function prompt({ prompt: parts }) {
  note({ pid: process.pid, prompt: parts.map((part) => part.text ?? '').join('\n') });
  const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, name: kind, kind }));
  for (const kind of ['execute', 'edit']) {
    const toolCall = { toolCallId: kind, title: 'gstack click @e1', kind, status: 'pending', rawInput: { command: 'gstack click @e1' } };
    note({ pid: process.pid, permission: await ask('session/request_permission', { sessionId: 's', toolCall, options }) });
  }
  const content = { type: 'text', text: readFileSync(path.join(folder, 'answer.txt'), 'utf8') };
  say({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content } } });
  return { stopReason: 'end_turn' };
}
const replies = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } }, authMethods: [] }),
  'session/new': (params) => {
    note({ pid: process.pid, servers: params.mcpServers });
    return { sessionId: 's' };
  },
  'session/prompt': prompt,
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result ?? error);
  else if (id !== undefined) Promise.resolve(replies[method]?.(params) ?? {}).then((answer) => say({ id, result: answer }));
}
