#!/usr/bin/env bash
# Packages: hermes-agent 0.19.0 and agent-client-protocol 0.9.0 (pip)
# Guess: A second `session/prompt` during a turn is answered when its own turn is over, or refused.
# Seen: it is answered at once with "end_turn" and without usage, while the first turn still runs and the model has not seen it. Its turn
#   follows within the first prompt, whose answer comes when both are over.
# Matters: A client takes "end_turn" as "done, and there is nothing more to say": it shows an empty answer, and the real one as part of the
#   first. Send one prompt at a time and queue in the client.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents hermes
probe <<'JS'
const fake = await model();
const program = agent(...known('hermes', fake.url));
await program.initialize();
const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
const prompt = (text) => program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
const reached = (word) => fake.requests().filter(({ body }) => JSON.stringify(body).includes(word)).length > 0;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let firstIsOver = false;
const first = prompt('one WAIT').finally(() => (firstIsOver = true));
while (!reached('one WAIT')) await wait(50);
const { result } = await prompt('EPSILON');
console.log(`second: ${result.stopReason}, usage ${result.usage ? 'given' : 'missing'}, the first ${firstIsOver ? 'is over' : 'runs'}`);
console.log(`reached: ${reached('EPSILON')}`);
fake.release();
await first;
const answers = program.updates().filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
console.log(`then: ${reached('EPSILON')}, ${answers.map(({ content }) => content.text).join('').match(/Done/g).length} answers`);
await program.stop();
fake.stop();
process.exit();
JS
expect "the second prompt's answer" "end_turn, usage missing, the first runs" "$(seen second)"
expect "the model has seen it by then" false "$(seen reached)"
expect "and when the first prompt is answered" "true, 2 answers" "$(seen then)"
finish
