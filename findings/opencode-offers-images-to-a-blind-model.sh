#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33 (npm)
# Guess: `promptCapabilities.image: true` means that an image in a prompt reaches the model, or that the prompt fails.
# Seen: opencode says so whatever model is configured. If the model's entry does not list image input (a model of one's own does not,
#   unless `modalities` says so), the image is replaced by a text that tells the model to inform the user, and the turn ends well.
# Matters: with a model that can see, a screenshot is dropped because of one missing line in the configuration, and only the
#   model's own words may say so. A client cannot tell from the protocol.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents opencode
probe <<'JS'
const fake = await model();
const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const program = agent(...known('opencode', fake.url));
console.log('offers', (await program.initialize()).result.agentCapabilities.promptCapabilities.image);
const { sessionId } = (await program.ask('session/new', { cwd: process.cwd(), mcpServers: [] })).result;
const prompt = [{ type: 'text', text: 'What is this?' }, { type: 'image', mimeType: 'image/png', data }];
for (const value of ['fake/m', 'fake/sees']) {
  await program.ask('session/set_config_option', { sessionId, configId: 'model', value });
  const { result } = await program.ask('session/prompt', { sessionId, prompt });
  const newest = JSON.stringify(fake.requests().filter(({ body }) => body.tools?.length).at(-1).body.messages.at(-1));
  console.log(value, result.stopReason, newest.includes(data) ? 'image' : 'no image', newest.includes('Inform the user') ? 'told to inform' : 'told nothing');
}
await program.stop();
fake.stop();
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "promptCapabilities.image" true "$(value offers)"
expect "a model without modalities" "end_turn no image told to inform" "$(value fake/m)"
expect "a model with image input" "end_turn image told nothing" "$(value fake/sees)"
finish
