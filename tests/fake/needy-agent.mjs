/*
 * An ACP agent that does not start without a folder: `needy-agent.mjs FILE` reads the folder's path from FILE. Owns no tools and no
 * model; "claims" before the path makes it only say that the folder is refused, as an agent that wants more than it needs does.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

const [, claims, folder] = /^(claims )?(.*)$/.exec(readFileSync(process.argv[2], 'utf8').trim());

try {
  if (claims) throw new Error(`EROFS: read-only file system, mkdir '${folder}'`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'state'), 'kept');
} catch (error) {
  console.error(`${error.message}\n    at needy-agent\n}\n\nNode.js v20`);
  process.exit(1);
}

const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const replies = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: 's' }),
  'session/prompt': () => {
    const content = { type: 'text', text: `It is in ${folder}.` };
    say({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk', content } } });
    return { stopReason: 'end_turn' };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) say({ id, result: replies[method]?.() ?? {} });
}
