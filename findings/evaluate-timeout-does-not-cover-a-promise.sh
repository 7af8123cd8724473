#!/usr/bin/env bash
# Packages: Chromium 156, ws 8.23.0 (npm)
# Guess: `Runtime.evaluate { awaitPromise: true, timeout: 500 }` answers within half a second or so, with an error if the promise has not
#   settled.
# Seen: The timeout ends only the script's synchronous part. A loop without end is stopped ("Execution was terminated, before 2 s"), but for a promise
#   that settles after 2 s the reply comes after 2 s, and for one that never settles it does not come at all.
# Matters: A client that relies on it waits for ever on the first page whose promise never settles: a fetch that hangs, an event that does
#   not come. Put the limit into the script (`Promise.race`) or into the client, which must then expect a late reply.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

npm_install ws@8.23.0
cat >timeouts.mjs <<'EOF'
import { connect, wait } from './devtools.mjs';
const page = await (await connect(process.argv[2])).open('about:blank');
const evaluate = async (expression, awaitPromise = true) => {
  const started = Date.now();
  const said = await Promise.race([
    page('Runtime.evaluate', { expression, awaitPromise, timeout: 500 }).then(({ result }) => result.value, ({ message }) => message),
    wait(10_000).then(() => 'no reply'),
  ]);
  return said === 'no reply' ? 'no reply in 10 s' : `${said}, ${Date.now() - started < 2000 ? 'before' : 'after'} 2 s`;
};
console.log(`late: ${await evaluate("new Promise((resolve) => setTimeout(resolve, 2000, 'settled'))")}`);
console.log(`never: ${await evaluate('new Promise(() => {})')}`);
console.log(`quick: ${await evaluate("Promise.resolve('settled')")}`);
console.log(`loop: ${await evaluate('for (;;);', false)}`);
process.exit();
EOF
chromium_start
node timeouts.mjs "$cdp" >seen.txt
seen() { sed -n "s/^$1: //p" seen.txt; }
expect "a promise that settles after 2 s" "settled, after 2 s" "$(seen late)"
expect "a promise that never settles" "no reply in 10 s" "$(seen never)"
expect "a promise that settles at once" "settled, before 2 s" "$(seen quick)"
expect "a loop without end" "Execution was terminated, before 2 s" "$(seen loop)"
finish
