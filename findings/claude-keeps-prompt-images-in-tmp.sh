#!/usr/bin/env bash
# Packages: @agentclientprotocol/claude-agent-acp 0.101.0 (npm)
# Guess: an image in a prompt goes to the model and into the session's file.
# Seen: it is also written as a file below the system's temporary folder, in `claude-UID/FOLDER/SESSION/images`. A further text block tells
#   the model that path. The file is still there after the agent ended in order.
# Matters: screenshots that a client attaches pile up outside the agent's home, where neither deleting the session nor a sandbox's fresh
#   home removes them, and the model sees a path of the machine that the person never wrote.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents claude
probe <<'JS'
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
const fake = await model();
const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const program = agent(...known('claude', fake.url));
await program.initialize();
const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'What is this?' }, { type: 'image', mimeType: 'image/png', data }] });
const asked = JSON.stringify(fake.requests().filter(({ body }) => body.tools?.length).at(-1).body.messages);
console.log('image', asked.includes(data));
const file = /Image: source: ([^\]"]+)\]/.exec(asked)?.[1] ?? '';
await program.stop();
fake.stop();
const outside = file.includes('/claude-') && file.includes(sessionId) && !file.startsWith(process.env.HOME);
console.log('path', outside, file.split('/').slice(-2).join('/'));
console.log('left', existsSync(file) && readFileSync(file).toString('base64') === data);
// Takes away what the agent left: FOLDER of claude-UID/FOLDER/SESSION/images/1.png.
if (outside) rmSync(dirname(dirname(dirname(file))), { recursive: true });
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "the model gets the image" true "$(value image)"
expect "the model is told a path outside the home" "true images/1.png" "$(value path)"
expect "the file is there after the end" true "$(value left)"
finish
