#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33, @agentclientprotocol/claude-agent-acp 0.101.0 (npm)
# Guess: over ACP, a message that starts with "/" and names no command of the agent reaches the model as text, or is refused.
# Seen: `opencode acp` ends the turn at once with `end_turn`: no request to the model, no update, no error. "/etc/hosts has a wrong line"
#   vanishes like that. Claude's adapter sends the text to the model.
# Matters: the person sees an empty answer that counts as a success. A client that knows the agent's `available_commands_update` can put
#   a space or a word before such a message.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents opencode claude
probe <<'JS'
const fake = await model();
for (const name of ['opencode', 'claude']) {
  const program = agent(...known(name, fake.url));
  await program.initialize();
  const { result } = await program.ask('session/new', { cwd: process.cwd(), mcpServers: [] });
  for (const text of ['The file /etc/hosts has a wrong line', '/etc/hosts has a wrong line']) {
    const [seen, asked] = [program.seen.length, fake.requests().length];
    const answer = await program.ask('session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text }] });
    const words = program.updates(seen).filter(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    const told = fake.requests().slice(asked).some(({ body }) => body.tools?.length && JSON.stringify(body).includes(text));
    console.log(name, text[0], answer.result?.stopReason ?? answer.error.code, words.length > 0 ? 'answered' : 'nothing', told ? 'model asked' : 'model not asked');
  }
  await program.stop();
}
fake.stop();
JS
line() { sed -n "$1p" seen.txt; }
expect "opencode, a path later in the message" "opencode T end_turn answered model asked" "$(line 1)"
expect "opencode, the message starts with a path" "opencode / end_turn nothing model not asked" "$(line 2)"
expect "Claude, a path later in the message" "claude T end_turn answered model asked" "$(line 3)"
expect "Claude, the message starts with a path" "claude / end_turn answered model asked" "$(line 4)"
finish
