#!/usr/bin/env bash
# Packages: @github/copilot 1.0.102, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: Each ACP agent starts the stdio MCP servers that `session/new` names: the protocol requires it, and only http and sse are optional.
# Seen: copilot takes the session and never starts the server. Nothing in the answers or updates says so; a line of its log file does. qwen
#   starts the same one.
# Matters: A client that passes its tools as a stdio server seems to work with copilot, and its model has no tools. Serve them on http
#   on the loopback too, which copilot offers in `mcpCapabilities`.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents copilot qwen
cat >tools.mjs <<'JS'
export default [{ name: 'look', answer: () => ({ content: [{ type: 'text', text: 'looked' }] }) }];
JS
probe <<'JS'
import { existsSync, rmSync } from 'node:fs';
for (const name of ['copilot', 'qwen']) {
  rmSync('mcp.log', { force: true });
  const fake = await model(`requests.${name}`);
  const program = agent(...known(name, fake.url));
  const { agentCapabilities } = (await program.initialize()).result;
  const { result, error } = await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [mcpServer()] });
  const { stopReason } = (await program.ask('session/prompt', { sessionId: result.sessionId, prompt: [{ type: 'text', text: 'hello' }] })).result;
  const told = JSON.stringify(program.seen).includes('srv');
  console.log(`${name} session: ${error ? 'an error' : 'made'}, ${stopReason}`);
  console.log(`${name} http: ${agentCapabilities.mcpCapabilities?.http}`);
  console.log(`${name} server: ${existsSync('mcp.log') ? 'started' : told ? 'not started, told' : 'not started, not told'}`);
  await program.stop();
  fake.stop();
}
process.exit();
JS
expect "qwen: session, server" "made, end_turn, started" "$(seen 'qwen session'), $(seen 'qwen server')"
expect "copilot: session" "made, end_turn" "$(seen 'copilot session')"
expect "copilot: the server" "not started, not told" "$(seen 'copilot server')"
expect "copilot: mcpCapabilities.http" true "$(seen 'copilot http')"
finish
