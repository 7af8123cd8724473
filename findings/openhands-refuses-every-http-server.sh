#!/usr/bin/env bash
# Packages: openhands 1.16.0 (PyPI, for Python 3.12)
# Guess: An ACP agent that announces `mcpCapabilities.http: true` takes an MCP server over HTTP in `session/new`, with or without headers.
# Seen: OpenHands announces http and sse, takes the session, and fails at its first prompt: "Input should be a valid dictionary". It hands the list
#   of headers on as it is, also the empty one, which ACP requires. With a server on standard input and output the prompt is answered.
# Matters: A client that prefers HTTP because the agent announces it gets no answer at all, not one without tools. Offer OpenHands servers that it
#   starts itself.
system_python=$(command -v python3.12 || ls "$HOME"/.pyenv/versions/3.12*/bin/python3 2>/dev/null | tail -n 1 || true)
"$system_python" -c '' 2>/dev/null || system_python=$(ls "$HOME"/.pyenv/versions/3.12*/bin/python3 2>/dev/null | tail -n 1 || true)
set -euo pipefail
. "$(dirname "$0")/lib.sh"

[ -n "$system_python" ] || cannot "Python 3.12 is missing"
pip_install uv==0.13.9
uv pip install --quiet --python venv/bin/python openhands==1.16.0 >uv.log 2>&1 || cannot "uv pip install: $(tail -n 3 uv.log)"
mkdir -p project "$HOME/.openhands"
echo "export default [];" >tools.mjs
probe <<'JS'
import { writeFileSync } from 'node:fs';
const over = (type, headers) => ({ type, name: 'srv', url: 'http://127.0.0.1:9/mcp', headers });
const servers = {
  'http with a header': over('http', [{ name: 'X-One', value: '1' }]), 'http without headers': over('http', []), sse: over('sse', []),
  stdio: mcpServer(),
};
const fake = await model();
const llm = { model: 'openai/m', api_key: 'k', base_url: `${fake.url}/v1`, usage_id: 'agent' };
writeFileSync(`${process.env.HOME}/.openhands/agent_settings.json`, JSON.stringify({ kind: 'Agent', llm }));
const program = agent(`${process.cwd()}/venv/bin/openhands`, ['acp'], { OPENHANDS_SUPPRESS_BANNER: '1' });
// It starts slowly.
const { result } = await program.ask('initialize', { protocolVersion: 1, clientCapabilities: {} }, 400);
const { http, sse } = result.agentCapabilities.mcpCapabilities;
console.log(`announced: http ${http}, sse ${sse}`);
for (const [name, server] of Object.entries(servers)) {
  const begun = await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [server] });
  const { sessionId } = begun.result ?? {};
  const answer = sessionId && (await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] }));
  const isOfHeaders = /headers\s+Input should be a valid dictionary/.test(JSON.stringify(answer ?? '').replaceAll('\\n', ' '));
  const prompt = answer?.result ? `answered, ${answer.result.stopReason}` : isOfHeaders ? 'fails for its headers' : 'fails';
  console.log(`${name}: session ${sessionId ? 'taken' : 'refused'}, prompt ${prompt}`);
}
await program.stop();
fake.stop();
process.exit();
JS
expect "announced" "http true, sse true" "$(seen announced)"
for kind in 'http with a header' 'http without headers' sse; do expect "$kind" "session taken, prompt fails for its headers" "$(seen "$kind")"; done
expect "standard input and output" "session taken, prompt answered, end_turn" "$(seen stdio)"
finish
