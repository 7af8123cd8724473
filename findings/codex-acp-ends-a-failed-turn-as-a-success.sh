#!/usr/bin/env bash
# Packages: codex-acp 2.6.0, claude-agent-acp 0.101.0, @google/gemini-cli 0.61.0, opencode-ai 1.18.33 (npm)
# Guess: If the model's API rejects a request, `session/prompt` is answered with a JSON-RPC error.
# Seen: codex-acp answers `end_turn`, as after a good answer, and sends the API's error as the agent's message, in raw JSON. Claude, Gemini and
#   opencode answer with an error; Gemini's code is the HTTP status, 400, which is not a JSON-RPC code.
# Matters: A client that relies on the answer shows "done" and stores the error as the agent's message; a script takes it for the result. With
#   Codex, treat a turn without `usage` as failed.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents codex claude gemini opencode
probe <<'JS'
for (const name of ['codex', 'claude', 'gemini', 'opencode']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake);
  for (const words of ['hello', 'FAIL 400']) {
    const from = program.seen.length;
    const { result, error } = await program.prompt(words);
    const said = program.updates(from).filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk').map(({ content }) => content.text).join('');
    const usage = result ? `, ${result.usage || result._meta?.quota?.token_count ? 'usage' : 'no usage'}` : '';
    console.log(`${name} ${words}: ${result ? result.stopReason : `error ${error.code}`}${usage}`);
    console.log(`${name} says ${words}: ${said.includes('the model says no') ? 'the error' : 'something else'}`);
  }
  await program.stop();
  fake.stop();
}
process.exit();
JS
for who in codex claude gemini opencode; do expect "$who, a good answer" "end_turn, usage" "$(seen "$who hello")"; done
expect "Codex, HTTP 400" "end_turn, no usage" "$(seen 'codex FAIL 400')"
expect "Codex says" "the error" "$(seen 'codex says FAIL 400')"
expect "Claude, HTTP 400" "error -32603" "$(seen 'claude FAIL 400')"
expect "Gemini, HTTP 400" "error 400" "$(seen 'gemini FAIL 400')"
expect "opencode, HTTP 400" "error -32603" "$(seen 'opencode FAIL 400')"
finish
