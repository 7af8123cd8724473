#!/usr/bin/env bash
# Packages: @google/gemini-cli 0.61.0 (npm)
# Guess: `gemini -p` that fails because of the model's API exits with 1, or with a small number of its own, such as the 41 for a missing key.
# Seen: it exits with the HTTP status, of which the system keeps eight bits: 400 becomes 144 and 403 becomes 147. For a shell or a CI runner
#   these mean "ended by signal 16 or 19". 404 alone, which it takes for an unknown model, becomes 1. The JSON on standard output says
#   `error` each time.
# Matters: A script that treats numbers above 128 as "killed, try again" repeats a request that can never succeed. Read the last line of
#   `--output-format stream-json`, not the number.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents gemini
mkdir -p home/.gemini
echo '{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false},"general":{"enableAutoUpdate":false}}' >home/.gemini/settings.json
probe <<'JS'
import { spawnSync } from 'node:child_process';
const fake = await model();
const [program, , env] = known('gemini', fake.url);
const options = { cwd: 'project', env: { ...process.env, ...env }, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
for (const words of ['hello', 'FAIL 400', 'FAIL 403', 'FAIL 404']) {
  const { status, stdout } = spawnSync(program, ['--skip-trust', '--output-format', 'stream-json', '-p', words], options);
  console.log(`${words}: ${status}, ${JSON.parse(stdout.trim().split('\n').at(-1)).status}`);
}
process.exit();
JS
expect "a good answer" "0, success" "$(seen hello)"
expect "HTTP 400" "144, error" "$(seen 'FAIL 400')"
expect "HTTP 403" "147, error" "$(seen 'FAIL 403')"
expect "HTTP 404" "1, error" "$(seen 'FAIL 404')"
finish
