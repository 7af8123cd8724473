#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33, @qwen-code/qwen-code 0.24.4 (npm)
# Guess: An agent that has ended leaves nothing in the temporary folder, or what the next start finds and uses again.
# Seen: each start of opencode unpacks a library of 5 MB there, under a hidden name of its own, and leaves it, though its other
#   library is removed at once. After three starts there are three. qwen leaves no file.
# Matters: A client that starts an agent for each conversation fills /tmp, which is memory on many machines: a hundred conversations take
#   half a gigabyte. Give each process a TMPDIR of its own and remove it afterwards.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents opencode qwen
probe <<'JS'
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
const fake = await model();
for (const name of ['qwen', 'opencode']) {
  const TMPDIR = join(process.cwd(), `tmp-${name}`);
  mkdirSync(TMPDIR);
  const counts = [];
  for (let start = 0; start < 3; start++) {
    const [command, args, env] = known(name, fake.url);
    const program = agent(command, args, { ...env, TMPDIR });
    await program.initialize();
    const { sessionId } = (await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] })).result;
    await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] });
    await program.stop();
    counts.push(readdirSync(TMPDIR).filter((file) => statSync(join(TMPDIR, file)).isFile()).length);
  }
  const size = readdirSync(TMPDIR).reduce((sum, file) => sum + statSync(join(TMPDIR, file)).size, 0);
  console.log(`${name}: ${counts.join(', ')} files, ${size > 10_000_000 ? 'more' : 'less'} than 10 MB`);
}
fake.stop();
process.exit();
JS
expect "qwen, after one, two and three starts" "0, 0, 0 files, less than 10 MB" "$(seen qwen)"
expect "opencode, after one, two and three starts" "1, 2, 3 files, more than 10 MB" "$(seen opencode)"
finish
