#!/usr/bin/env bash
# Packages: @agentclientprotocol/codex-acp 2.6.0, @agentclientprotocol/claude-agent-acp 0.101.0 (npm)
# Guess: a form that an MCP server asks for during a tool call reaches a client that shows forms, in every mode: what a mode leaves out
#   are questions whether a tool may run.
# Seen: in mode `agent-full-access` Codex asks nobody and answers `decline`, which means that the person refused. In `read-only` the client
#   is asked. Claude in `bypassPermissions` asks it as well.
# Matters: a server that needs one word of the person (which account, which size) never gets it in the mode in which people let an agent
#   work alone, and hears a refusal that nobody spoke. Make what it asks for an argument of the tool too, and do not report "you declined".
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents codex claude
cat >tools.mjs <<'JS'
const requestedSchema = { type: 'object', properties: { size: { type: 'string', enum: ['s', 'm'] } }, required: ['size'] };
const answer = async (_, ask) => {
  const { result, error } = await ask('elicitation/create', { message: 'Which size?', requestedSchema });
  return { content: [{ type: 'text', text: JSON.stringify(result ?? error) }] };
};
export default [{ name: 'order', answer }];
JS
probe <<'JS'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
for (const [name, modeId] of [['codex', 'read-only'], ['codex', 'agent-full-access'], ['claude', 'bypassPermissions']]) {
  writeFileSync('mcp.log', '');
  const fake = await model();
  const program = await session(name, fake, [mcpServer()], { elicitation: { form: {}, url: {} } });
  program.form = { size: 'm' };
  await program.ask('session/set_mode', { sessionId: program.sessionId, modeId });
  await program.call('order');
  await program.stop();
  fake.stop();
  const asked = program.seen.filter(({ request }) => request?.method === 'elicitation/create');
  const messages = readFileSync('mcp.log', 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
  const offered = messages.find(({ method }) => method === 'initialize').params.capabilities.elicitation;
  const { result, error } = messages.find(({ id }) => id === 'ask-0') ?? {};
  const { action, content } = result ?? { action: error?.code };
  console.log(`${name} ${modeId} offers: ${'form' in (offered ?? {})}`);
  console.log(`${name} ${modeId}: asked ${asked.length} times, ${action} ${content?.size ?? ''}`);
}
process.exit();
JS
expect "Codex offers forms to the server" true "$(seen 'codex agent-full-access offers')"
expect "Codex, read-only" "asked 1 times, accept m" "$(seen 'codex read-only')"
expect "Codex, full access" "asked 0 times, decline " "$(seen 'codex agent-full-access')"
expect "Claude without questions" "asked 1 times, accept m" "$(seen 'claude bypassPermissions')"
finish
