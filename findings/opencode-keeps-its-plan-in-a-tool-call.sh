#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33 (npm), hermes-agent 0.19.0 (PyPI)
# Guess: An agent's list of steps reaches the client as ACP's `plan`, which is there for it: with each step's text, status and priority.
# Seen: Hermes sends a `plan`. opencode sends none: its list is the `rawInput` of an ordinary call named `todowrite`, of kind "other", and again
#   as JSON in the text of its result.
# Matters: A client that shows plans shows nothing for opencode but a step "todowrite". To show its list, read `rawInput.todos` of that call.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents opencode hermes
probe <<'JS'
const steps = [{ id: '1', content: 'Move the tests', status: 'in_progress', priority: 'high' }];
for (const [name, tool] of [['hermes', 'todo'], ['opencode', 'todowrite']]) {
  const fake = await model(`requests.${name}`);
  const program = await session(name, fake);
  await program.prompt(`CALL ${tool} ${JSON.stringify({ todos: steps })} END`);
  const updates = program.updates();
  const named = (update, word) => JSON.stringify(update).includes(word);
  const kinds = new Set(updates.filter((update) => named(update, 'Move the tests')).map((update) => update.sessionUpdate));
  const call = updates.findLast(({ rawInput }) => rawInput?.todos);
  console.log(`${name} plan: ${kinds.has('plan') ? 'yes' : 'no'}`);
  console.log(`${name} call: ${call ? `${call.title}, kind ${call.kind}, ${call.rawInput.todos.length} of 1 steps` : 'none with the list'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "Hermes, plan" yes "$(seen 'hermes plan')"
expect "opencode, plan" no "$(seen 'opencode plan')"
expect "opencode, call" "todowrite, kind other, 1 of 1 steps" "$(seen 'opencode call')"
finish
