/*
 * An ACP agent that begins a session only after a sign-in: each of its processes needs one. Of its ways, one works, one is refused,
 * and one needs a key, which gstack cannot give. With the argument `hostile`, its words imitate, hide and
 * flood. With `signed-in`, it needs none; it takes up its sessions, but not a turn that was stopped, and stops only when it is
 * told to. Owns no tools and no model.
 */
import { createInterface } from 'node:readline';

const isHostile = process.argv.includes('hostile');
const WAYS = [
  { id: 'account', name: 'Account', description: 'Opens a page' },
  { id: 'closed', name: 'Old account', description: null },
  { id: 'key', name: 'API key', _meta: { 'api-key': { provider: 'x' } } },
];
const HOSTILE = [
  { id: 'html', name: '<img src=x onerror="document.title=1">', description: '<script>document.title=1</script>' },
  { id: 'turned', name: 'Deny\u202e ecno wollA\u2066\u001b[2K', description: 'long '.repeat(50_000) },
  { id: 'twin', name: 'Allow once' },
  { id: 'second', name: 'Allow once' },
  { id: 'blank', name: ' \n\t ' },
  { id: '', name: 'Nothing' },
  ...Array.from({ length: 500 }, (_, number) => ({ id: `${number}`, name: `${'W'.repeat(5000)}${number}` })),
];
const REASON = isHostile
  ? `Choose an account\u202e first.\u0007\n\n\n${'\u00a0'.repeat(600)}${'x'.repeat(100_000)}`
  : 'Choose an account first.';
const isSignedIn = process.argv.includes('signed-in');
let account = isSignedIn ? 'account' : undefined;
/** The id of a prompt that waits for its end. */
let waiting;
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const refuse = (code, message) => ({ error: { code, message } });
const replies = {
  initialize: () => ({
    result: {
      protocolVersion: 1,
      agentCapabilities: isSignedIn ? { loadSession: true } : {},
      authMethods: isHostile ? HOSTILE : WAYS,
    },
  }),
  authenticate: ({ methodId }) => {
    if (!['account', 'second'].includes(methodId)) return refuse(-32603, 'This account is closed.');
    account = methodId;
    return { result: {} };
  },
  'session/new': () => (account ? { result: { sessionId: 's' } } : refuse(-32000, REASON)),
  'session/load': () => ({ result: {} }),
  'session/prompt': ({ prompt }, id) => {
    const told = prompt.map(({ text }) => text).join('\n');
    const waits = isSignedIn && told.endsWith('begin\n</message>');
    if (waits) waiting = id;
    const words = isSignedIn && !waits ? `It was ${/I have \d+/.exec(told)?.[0] ?? 'nothing'}.` : 'I have 7.';
    const content = { type: 'text', text: isSignedIn ? words : `Signed in with ${account}.` };
    const update = { sessionUpdate: 'agent_message_chunk', content };
    // Not in what was said before.
    if (!told.endsWith('say nothing\n</message>')) say({ method: 'session/update', params: { sessionId: 's', update } });
    return waits ? undefined : { result: { stopReason: 'end_turn', usage: null } };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'session/cancel' && waiting !== undefined) say({ id: waiting, result: { stopReason: 'cancelled' } });
  if (id === undefined) continue;
  const answer = method in replies ? replies[method](params, id) : refuse(-32601, 'no such method');
  if (answer) say({ id, ...answer });
}
