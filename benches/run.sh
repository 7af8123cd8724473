#!/usr/bin/env bash
# Measures gstack against other ways to do the same, in the same run, on the same machine and Chromium.
#
#   benches/run.sh [RUNS]      RUNS of each side, 30 without it; tables on standard output
#
# Measured: `url`, `click` and `snapshot` against playwright-core; Enter in the side panel → agent → text in the panel
# against a simulated polling design; a conversation of a million events opened against all of it read. Median, 95th
# percentile and the ratio to a named baseline. Nothing passes or fails by its time. All on loopback, with temporary homes
# and profiles; no process stays.
#
# GSTACK_BIN             the program; without it the release build is made and taken
# GSTACK_BROWSER_PATH    the browser; without it Chromium or what else is found
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=install/packages.sh
. install/packages.sh

case "${1:-30}" in
  -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  '' | *[!0-9]* | 0) give_up "RUNS is a number from 1 on; see benches/run.sh --help" ;;
esac

need_node
need_browser
GSTACK_BROWSER_PATH=$(find_browser)
export GSTACK_BROWSER_PATH
need_rust "$root"
need_compiler
if [ -z "${GSTACK_BIN:-}" ]; then
  cargo build --profile dist --locked --quiet
  GSTACK_BIN=${CARGO_TARGET_DIR:-$root/target}/dist/gstack
fi
export GSTACK_BIN

for folder in tests/e2e benches; do
  (cd "$folder" && npm ci --no-audit --no-fund --loglevel=error >/dev/null)
done
node benches/main.mjs "${1:-30}"
printf '\n## What identity and policy add to a command\n\n'
cargo test -p gstack-engine --release --locked --quiet --lib policy::cost -- --ignored --nocapture 2>&1 | grep '^|'
printf '\n## What a search over conversations costs\n\n'
cargo test -p gstack-chat --release --locked --quiet --lib search_cost -- --ignored --nocapture 2>&1 | grep '^|'
