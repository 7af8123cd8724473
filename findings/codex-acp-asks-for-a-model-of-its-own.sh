#!/usr/bin/env bash
# Packages: @agentclientprotocol/codex-acp 2.6.0 (npm)
# Guess: with a `model_provider` and a `model` of one's own in Codex's configuration, every request names that model.
# Seen: from the second prompt on, or shortly before it, a further request goes to the same provider for a model of the vendor's name, to make a
#   title of the first message. The person's answer also begins with a warning of the program, sent as the agent's words in each turn.
# Matters: a provider of one's own answers that request with an error or bills it to another model, and a proxy that allows one model logs
#   refusals. A client that stores or speaks the agent's words has the warning among them.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents codex
probe <<'JS'
const fake = await model();
const program = agent(...known('codex', fake.url));
await program.initialize();
const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
const words = [];
for (const text of ['Say done', 'Say it again', 'And again']) {
  const from = program.seen.length;
  await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  const said = program.updates(from).filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').map(({ content }) => content.text);
  words.push(`${said.some((line) => line.startsWith('Warning: '))} ${said.some((line) => line === 'Done.')}`);
}
const others = fake.requests().filter(({ body }) => body.model !== 'm');
console.log('own', fake.requests().length - others.length);
console.log('other', others.length, others.every(({ body }) => body.model.startsWith('gpt-') && !body.tools?.length && JSON.stringify(body).includes('title')));
console.log('words', words.join(', '));
await program.stop();
fake.stop();
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "requests for the configured model in three turns" 3 "$(value own)"
expect "requests for another model; without tools, for a title" "1 true" "$(value other)"
expect "the agent's words have a warning and the answer" "true true, true true, true true" "$(value words)"
finish
