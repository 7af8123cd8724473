#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33 (npm)
# Guess: `session/load` replays what the person wrote as `user_message_chunk`, the way it was sent.
# Seen: for a prompt with a `resource_link` to a file, opencode reads the file itself, without a tool call or a permission
#   request in the live turn. In the replay the person has said "Called the Read tool with the following input: …" and the whole
#   text of the file.
# Matters: a client that shows the replay as the conversation puts words and whole files into the person's mouth, and one that matches
#   replayed messages with its own history finds a message that was never sent.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents opencode
echo "Tea at four." >project/note.txt
probe <<'JS'
const fake = await model();
const cwd = `${process.cwd()}/project`;
const start = async () => {
  const program = agent(...known('opencode', fake.url));
  await program.initialize();
  return program;
};
const kinds = (updates) => updates.map(({ sessionUpdate, content }) => `${sessionUpdate} ${content?.text ?? content?.type ?? ''}`);
let program = await start();
const { sessionId } = (await program.ask('session/new', { cwd, mcpServers: [] })).result;
const from = program.seen.length;
const prompt = [{ type: 'text', text: 'When is tea?' }, { type: 'resource_link', uri: `file://${cwd}/note.txt`, name: 'note.txt' }];
await program.ask('session/prompt', { sessionId, prompt });
const live = program.updates(from);
console.log('live', live.some(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call')) ? 'tool call' : 'no tool call',
  program.seen.some(({ request }) => request) ? 'request' : 'no request');
console.log('model', JSON.stringify(fake.requests().at(-1).body.messages).includes('Tea at four.') ? 'has the text' : 'has no text');
await program.stop();
program = await start();
await program.ask('session/load', { sessionId, cwd, mcpServers: [] });
const said = kinds(program.updates()).filter((line) => line.startsWith('user_message_chunk'));
console.log('chunks', said.length);
console.log('claims', said.some((line) => line.includes('Called the Read tool')), said.some((line) => line.includes('Tea at four.')));
await program.stop();
fake.stop();
JS
value() { sed -n "s/^$1 //p" seen.txt; }
expect "the live turn" "no tool call no request" "$(value live)"
expect "the model" "has the text" "$(value model)"
expect "user_message_chunk in the replay of a prompt with two blocks" 4 "$(value chunks)"
expect "the person's words name the tool, and have the file's text" "true true" "$(value claims)"
finish
