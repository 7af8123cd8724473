#!/usr/bin/env bash
# Packages: @qwen-code/qwen-code 0.24.4 (npm)
# Guess: a plain question over ACP costs one request to the model, as the answer's `end_turn` suggests.
# Seen: after the turn has ended, qwen asks the model again in the background: a second agent, with tools of its own that can write, gets the
#   conversation and the order to store what should be remembered in files below ~/.qwen. The protocol shows nothing of it.
# Matters: each turn costs about twice, a client that ends or stops an idle agent cuts such a request off, and what a person said in one project's
#   conversation can come back in another, from files that the client does not know.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents qwen
probe <<'JS'
import { setTimeout as sleep } from 'node:timers/promises';
const fake = await model();
const program = agent(...known('qwen', fake.url));
await program.initialize();
const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
const background = () => fake.requests().filter(({ body }) => JSON.stringify(body.messages.at(-1)).includes('MEMORY.md'));
const prompt = async (text) => program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
await prompt('My dentist is called Bloom.');
const from = program.seen.length;
for (let tries = 0; tries < 600 && background().length === 0; tries += 1) await sleep(100);
const [own] = background();
console.log('asked', background().length > 0, JSON.stringify(own?.body).includes('Bloom'));
const tools = own?.body.tools?.map((tool) => tool.function.name) ?? [];
console.log('tools', tools.some((name) => name.includes('write')), tools.length < fake.requests()[0].body.tools.length);
console.log('shown', program.updates(from).filter(({ sessionUpdate }) => /message|tool|plan/.test(sessionUpdate)).length);
await program.stop();
fake.stop();
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "a request about memories after the turn, with the person's words" "true true" "$(value asked)"
expect "its tools: one that writes, fewer than the turn's" "true true" "$(value tools)"
expect "updates about it" 0 "$(value shown)"
finish
