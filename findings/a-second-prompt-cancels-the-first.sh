#!/usr/bin/env bash
# Packages: @github/copilot 1.0.102, @agentclientprotocol/claude-agent-acp 0.101.0 (npm)
# Guess: a second `session/prompt` while a turn runs is queued, or it is refused because the session is busy.
# Seen: copilot ends the running turn, whose prompt is answered with `cancelled` as if the client had cancelled it, and runs the second.
#   Claude's adapter queues: the first is finished with `end_turn`, then the second runs.
# Matters: a client that lets people write ahead, or two windows on one session, loses work with one agent and not with the other, and
#   reads `cancelled` as the person's own wish. Hold messages back until the turn ends.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents copilot claude
probe <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
for (const name of ['copilot', 'claude']) {
  const fake = await model(`requests-${name}`);
  const program = agent(...known(name, fake.url));
  await program.initialize();
  const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
  const order = [];
  const ask = async (label, text) => {
    const { result, error } = await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
    order.push(`${label} ${result?.stopReason ?? error.code}`);
  };
  const asked = (text) => fake.requests().some(({ body }) => body.tools?.length && JSON.stringify(body).includes(text));
  const first = ask('first', 'WAIT and say one');
  while (!asked('say one')) await sleep(100);
  const second = ask('second', 'say two');
  // The first can't go on before `release`: whatever ends it before that is the second prompt.
  await Promise.race([first, sleep(10000)]);
  fake.release();
  await Promise.all([first, second]);
  console.log(name, order.join(', '), asked('say two') ? 'both asked' : 'one asked');
  await program.stop();
  fake.stop();
}
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "copilot" "first cancelled, second end_turn both asked" "$(value copilot)"
expect "Claude" "first end_turn, second end_turn both asked" "$(value claude)"
finish
