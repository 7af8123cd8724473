#!/usr/bin/env bash
# Packages: opencode-ai 1.18.33, @qwen-code/qwen-code 0.24.4 (npm), Linux 6.7 or newer with Landlock
# Guess: An agent that speaks ACP on standard input and output needs TCP to its model's address, and nothing else.
# Seen: `opencode acp` serves itself by HTTP on a random port of the loopback and connects to it. In a sandbox that allows TCP to the
#   model's port alone (Landlock), `initialize` works and `session/new` fails with "OpenCode service failure", which says nothing of a
#   connection. qwen works under the same rule.
# Matters: A network rule by address and port, as in Landlock or a firewall for an agent's user, stops it in a way that looks like a
#   defect of the agent, and the port differs at each start. Isolate it by a network namespace, where its own loopback stays, or allow all of
#   127.0.0.1.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

agents opencode qwen
need python3
cat >confine.py <<'EOF'
"""confine.py PORT COMMAND…: runs it with TCP connections to this port only (Landlock). PORT 0: without a rule."""
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
CREATE, ADD, RESTRICT, CONNECT_TCP, NET_PORT, NO_NEW_PRIVS = 444, 445, 446, 2, 2, 38
if port := int(sys.argv[1]):
    rules = struct.pack("QQ", 0, CONNECT_TCP)
    ruleset = libc.syscall(CREATE, rules, len(rules), 0)
    added = libc.syscall(ADD, ruleset, NET_PORT, struct.pack("QQ", CONNECT_TCP, port), 0)
    libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0)
    if ruleset < 0 or added or libc.syscall(RESTRICT, ruleset, 0):
        sys.exit(f"no Landlock for TCP: {os.strerror(ctypes.get_errno())}")
os.execvp(sys.argv[2], sys.argv[2:])
EOF
python3 confine.py 9 true 2>landlock.log || cannot "$(cat landlock.log)"
probe <<'JS'
const fake = await model();
for (const name of ['qwen', 'opencode']) {
  for (const port of ['0', new URL(fake.url).port]) {
    const [command, args, env] = known(name, fake.url);
    const program = agent('python3', ['confine.py', port, command, ...args], env);
    const said = [(await program.initialize()).error?.message ?? 'initialized'];
    const { result, error } = await program.ask('session/new', { cwd: `${process.cwd()}/project`, mcpServers: [] });
    if (error) said.push(error.message);
    else {
      const { sessionId } = result;
      said.push((await program.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'hello' }] })).result?.stopReason);
    }
    console.log(`${name} ${port === '0' ? 'free' : 'confined'}: ${said.join(', ')}`);
    await program.stop();
  }
}
fake.stop();
process.exit();
JS
expect "qwen" "initialized, end_turn" "$(seen 'qwen free')"
expect "qwen, TCP to the model alone" "initialized, end_turn" "$(seen 'qwen confined')"
expect "opencode" "initialized, end_turn" "$(seen 'opencode free')"
expect "opencode, TCP to the model alone" "initialized, Internal error: OpenCode service failure" "$(seen 'opencode confined')"
finish
