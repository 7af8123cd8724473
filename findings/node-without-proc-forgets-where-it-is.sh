#!/usr/bin/env bash
# Packages: Node.js 20 and newer, bubblewrap 0.8 (Debian)
# Guess: Node.js needs nothing of /proc; without it, at most some figures in `os` are missing.
# Seen: it starts, and `process.execPath` is the word that it was started with ("node") instead of a path. `os.cpus()` is empty while
#   `os.availableParallelism()` is right, and `process.memoryUsage()` throws ENOENT.
# Matters: in a sandbox without /proc, `spawn(process.execPath)` and `fork()` work only as long as PATH finds the same program, a pool of
#   `os.cpus().length` workers has none, and a library that logs its memory ends the program. Mount /proc, or test for these three.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

need node bwrap
node --version
bwrap --version
cat >look.js <<'JS'
const os = require('node:os');
const path = require('node:path');
let memory = 'known';
try {
  process.memoryUsage();
} catch (error) {
  memory = error.code;
}
console.log(path.isAbsolute(process.execPath) ? 'a path' : process.execPath, os.cpus().length > 0, os.availableParallelism() > 0, memory);
JS
program=$(node -p process.execPath)
sandbox() { bwrap --ro-bind / / --tmpfs /proc --bind "$work" "$work" "$@"; }
# Where the kernel lets nobody make a sandbox, there is nothing to see.
sandbox true 2>bwrap.log || cannot "bwrap: $(tail -n 1 bwrap.log)"
mkdir bin && ln -s "$program" bin/node
export PATH="$work/bin:$PATH"
expect "with /proc: execPath, cpus, parallelism, memory" "a path true true known" "$(node look.js)"
expect "without /proc" "node false true ENOENT" "$(sandbox node look.js 2>/dev/null)"
finish
