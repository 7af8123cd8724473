#!/usr/bin/env bash
# Packages: @agentclientprotocol/claude-agent-acp 0.101.0, @agentclientprotocol/codex-acp 2.6.0, @github/copilot 1.0.102,
#   @qwen-code/qwen-code 0.24.4, opencode-ai 1.18.33 (npm)
# Guess: `session/load` replays a prompt of a text and an image as a text and an image.
# Seen: Claude's adapter and opencode do. copilot and qwen replay the text alone, without a sign that there was an image. codex-acp
#   replays the image as a *text* block with all of its base64 data in it.
# Matters: a client that shows the replay prints megabytes of base64 as the person's words with Codex, and shows "What is wrong here?" without
#   the picture with others. Keep the images yourself, and cut texts that begin like a data link.
set -euo pipefail
limit=2400
. "$(dirname "$0")/lib.sh"

agents claude codex copilot qwen opencode
probe <<'JS'
const fake = await model();
const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const cwd = `${process.cwd()}/project`;
const prompt = [{ type: 'text', text: 'What is wrong here?' }, { type: 'image', mimeType: 'image/png', data }];
const shape = ({ type, text, data: own }) => {
  if (type !== 'text') return own === data ? type : `${type} without its data`;
  return text.includes(data) ? 'text with the base64 data' : text.includes('wrong here') ? 'text' : 'another text';
};
for (const name of ['opencode', 'copilot', 'qwen', 'codex', 'claude']) {
  const start = async () => {
    const program = agent(...known(name, fake.url));
    const { result } = await program.initialize();
    return { program, image: result.agentCapabilities.promptCapabilities.image };
  };
  let { program, image } = await start();
  const { sessionId } = (await program.ask('session/new', { cwd, mcpServers: [] })).result;
  if (name === 'opencode') await program.ask('session/set_config_option', { sessionId, configId: 'model', value: 'fake/sees' });
  await program.ask('session/prompt', { sessionId, prompt });
  await program.stop();
  ({ program } = await start());
  await program.ask('session/load', { sessionId, cwd, mcpServers: [] });
  const said = program.updates().filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk');
  console.log(`${name} ${image} ${said.map(({ content }) => shape(content)).join(', ')}`);
  await program.stop();
}
const reached = new Set(fake.requests().filter(({ body }) => JSON.stringify(body).includes(data)).map(({ api }) => api));
console.log('models', [...reached].sort().join(' '));
fake.stop();
JS
value() { sed -n "s#^$1 ##p" seen.txt; }
expect "APIs that got the image" "anthropic chat responses" "$(value models)"
expect "opencode: offers images; replay" "true text, image" "$(value opencode)"
expect "copilot: offers images; replay" "true text" "$(value copilot)"
expect "qwen: offers images; replay" "true text" "$(value qwen)"
expect "codex: offers images; replay" "true text, text with the base64 data" "$(value codex)"
expect "Claude: offers images; replay" "true text, image" "$(value claude)"
finish
