#!/usr/bin/env bash
# Packages: @github/copilot 1.0.102, @agentclientprotocol/claude-agent-acp 0.101.0 (npm)
# Guess: `embeddedContext: true` means that the text of a `resource` block in a prompt is part of what the model reads.
# Seen: copilot writes the text to a file in the temporary folder, tells the model only the file's path and number of lines, and
#   removes the file when it ends. Claude's adapter puts the text into the message.
# Matters: a page or a selection that a client embeds reaches the model only if it calls a tool to read that file, which costs a request, may
#   ask the person, and fails where a sandbox gives tools another temporary folder. Send what must be read as a text block.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents copilot claude
probe <<'JS'
import { existsSync, readFileSync } from 'node:fs';
for (const name of ['copilot', 'claude']) {
  const fake = await model(`requests-${name}`);
  const program = agent(...known(name, fake.url));
  const { result } = await program.initialize();
  const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
  const resource = { uri: 'https://shop.example/page', mimeType: 'text/plain', text: 'The kettle costs 30.' };
  const prompt = [{ type: 'text', text: 'What costs 30?' }, { type: 'resource', resource }];
  const answer = await program.ask('session/prompt', { sessionId, prompt });
  const asked = JSON.stringify(fake.requests().filter(({ body }) => body.tools?.length).at(-1).body);
  const file = /\* (\S+acp-resource-\S+) \(1 lines\)/.exec(asked)?.[1] ?? '';
  const during = existsSync(file) && readFileSync(file, 'utf8') === resource.text;
  await program.stop();
  console.log(name, result.agentCapabilities.promptCapabilities.embeddedContext, answer.result.stopReason,
    asked.includes('kettle') ? 'text sent' : 'text not sent', during ? 'in a file' : 'in no file', existsSync(file) ? 'left' : 'not left');
  fake.stop();
}
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "copilot" "true end_turn text not sent in a file not left" "$(value copilot)"
expect "Claude" "true end_turn text sent in no file not left" "$(value claude)"
finish
