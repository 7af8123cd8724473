#!/usr/bin/env bash
# Packages: @google/gemini-cli 0.61.0, claude-agent-acp 0.101.0, opencode-ai 1.18.33 (npm)
# Guess: After `session/cancel` the model still knows what was asked: the next prompt's request has the words of the cancelled one.
# Seen: so it is in Claude and opencode, but not in Gemini: a prompt that was cancelled before the answer began is missing from the next request.
# Matters: People cancel to add a thought ("and use the other account"). Under Gemini that thought is all the model gets, though the
#   client shows both. Send the cancelled words again with the next prompt.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents gemini claude opencode
probe <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
for (const name of ['gemini', 'claude', 'opencode']) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake);
  const asked = (word) => fake.requests().some(({ body }) => JSON.stringify(body.messages ?? body.contents).includes(word));
  await program.prompt('remember apricot');
  const running = program.prompt('WAIT remember blueberry');
  while (!asked('blueberry')) await sleep(50);
  program.notify('session/cancel', { sessionId: program.sessionId });
  const { result } = await running;
  fake.release();
  const before = fake.requests().length;
  await program.prompt('now compare cherry');
  const next = fake.requests().slice(before).map(({ body }) => JSON.stringify(body.messages ?? body.contents)).find((said) => said.includes('cherry'));
  console.log(`${name}: ${result.stopReason}, then ${['apricot', 'blueberry', 'cherry'].filter((word) => next.includes(word)).join(' ')}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "Gemini" "cancelled, then apricot cherry" "$(seen gemini)"
expect "Claude" "cancelled, then apricot blueberry cherry" "$(seen claude)"
expect "opencode" "cancelled, then apricot blueberry cherry" "$(seen opencode)"
finish
