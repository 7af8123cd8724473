#!/usr/bin/env bash
# Packages: hermes-agent 0.19.0 and agent-client-protocol 0.9.0 (pip), @qwen-code/qwen-code 0.24.4 (npm)
# Guess: `session/load` with an id that no session has is an error, and so is `session/set_mode` with a mode that does not exist.
# Seen: both succeed with an empty result. A prompt in that session then ends at once as "refusal", without a word and without a request to
#   the model. qwen answers both with an error.
# Matters: A client that restores a conversation believes that the agent remembers it, and the person gets a refusal without a reason. Take
#   a load without `models` and `modes` as failed, and start a new session.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents hermes qwen
probe <<'JS'
const fake = await model();
const cwd = `${process.cwd()}/project`;
const sessionId = '11111111-2222-4333-8444-555555555555';
const said = ({ result, error }) => (error ? 'an error' : JSON.stringify(result));
for (const name of ['hermes', 'qwen']) {
  const program = agent(...known(name, fake.url));
  await program.initialize();
  console.log(`${name} load: ${said(await program.ask('session/load', { sessionId, cwd, mcpServers: [] }))}`);
  const before = fake.requests().length;
  const { result, error } = await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] });
  const words = program.updates().filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').length;
  console.log(`${name} prompt: ${error ? 'an error' : result.stopReason}, ${words} words, ${fake.requests().length - before} requests`);
  const made = (await program.ask('session/new', { cwd, mcpServers: [] })).result;
  console.log(`${name} mode: ${said(await program.ask('session/set_mode', { sessionId: made.sessionId, modeId: 'nonsense' }))}`);
  await program.stop();
}
fake.stop();
process.exit();
JS
expect "qwen, load of an unknown session" "an error" "$(seen 'qwen load')"
expect "qwen, an unknown mode" "an error" "$(seen 'qwen mode')"
expect "hermes, load of an unknown session" "{}" "$(seen 'hermes load')"
expect "hermes, a prompt in it" "refusal, 0 words, 0 requests" "$(seen 'hermes prompt')"
expect "hermes, an unknown mode" "{}" "$(seen 'hermes mode')"
finish
