/*
 * An ACP agent that begins a session only after a sign-in: each of its processes needs one. Of its ways, one works, one is refused,
 * and one needs a key, which gstack cannot give. Owns no tools and no model.
 */
import { createInterface } from 'node:readline';

let account;
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const refuse = (code, message) => ({ error: { code, message } });
const replies = {
  initialize: () => ({
    result: {
      protocolVersion: 1,
      agentCapabilities: {},
      authMethods: [
        { id: 'account', name: 'Account', description: 'Opens a page' },
        { id: 'closed', name: 'Old account', description: null },
        { id: 'key', name: 'API key', _meta: { 'api-key': { provider: 'x' } } },
      ],
    },
  }),
  authenticate: ({ methodId }) => {
    if (methodId !== 'account') return refuse(-32603, 'This account is closed.');
    account = methodId;
    return { result: {} };
  },
  'session/new': () => (account ? { result: { sessionId: 's' } } : refuse(-32000, 'Choose an account first.')),
  'session/prompt': ({ prompt }) => {
    const content = { type: 'text', text: `Signed in with ${account}.` };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    if (!prompt.at(-1).text.includes('say nothing')) say({ method: 'session/update', params: { sessionId: 's', update } });
    return { result: { stopReason: 'end_turn', usage: null } };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) say({ id, ...(replies[method]?.(params) ?? refuse(-32601, 'no such method')) });
}
