/*
 * A misbehaving ACP agent, to test what a host must tolerate. Owns its misbehaviour; never uses a network.
 *
 *   node rude-agent.mjs
 *
 * Its reaction to a message, by the message's text:
 *   garbage      lines that are not messages, and messages of unknown kinds, then an answer
 *   huge         a line of 100 MB, then an answer
 *   flood N      an answer of N small parts as fast as it can
 *   deaf         no answer, and afterwards it ignores a cancel, the end of its input and TERM
 *   mute         half an answer, then it closes its standard output and lives on
 *   loud         writes much to stderr, then ends with code 3
 * It answers anything else with the same text.
 */
import { closeSync } from 'node:fs';
import { createInterface } from 'node:readline';

const out = (text) => process.stdout.write(text);
const send = (message) => out(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const update = (told) => send({ method: 'session/update', params: { sessionId: 's', update: told } });

const BEHAVIOUR = {
  garbage() {
    out('not json\n\n[1,2]\n{"half":\n\u0000\u0001\n{"jsonrpc":"2.0","id":"strange","result":{}}\n');
    update({ sessionUpdate: 'of_another_time', x: [1] });
    update({ sessionUpdate: 'tool_call', toolCallId: 7 });
    send({ method: 'newer/method', params: 3 });
    send({ id: 'q', method: 'newer/request' });
    say('still here');
  },
  huge() {
    for (let part = 0; part < 100; part += 1) out('x'.repeat(1024 * 1024));
    out('\n');
    say('after it');
  },
  flood(count) {
    for (let part = 0; part < Number(count); part += 1) say('ab');
  },
};

let deaf = false;
process.on('SIGTERM', () => deaf || process.exit(143));

function prompt(id, text) {
  // The first message starts with instructions.
  const [name, argument] = text.split('\n').at(-1).split(' ');
  if (name === 'deaf') {
    deaf = true;
    setInterval(() => {}, 1000);
    return say('listening to nobody');
  }
  if (name === 'mute') {
    say('half an answer');
    setInterval(() => {}, 1000);
    return setImmediate(() => closeSync(1));
  }
  if (name === 'loud') {
    process.stderr.write(`${'noise\n'.repeat(100_000)}the reason\n`, () => process.exit(3));
    return undefined;
  }
  if (BEHAVIOUR[name]) BEHAVIOUR[name](argument);
  else say(name);
  return send({ id, result: { stopReason: 'end_turn' } });
}

const METHODS = {
  initialize: (id) =>
    send({ id, result: { protocolVersion: 1, agentCapabilities: { mcpCapabilities: { http: true } }, agentInfo: { version: '1' } } }),
  'session/new': (id) => send({ id, result: { sessionId: 's' } }),
  'session/prompt': (id, params) => prompt(id, params.prompt[0].text),
};

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (!deaf) METHODS[method]?.(id, params);
  })
  .on('close', () => deaf || process.exit(0));
