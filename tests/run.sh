#!/usr/bin/env bash
# Runs the checks and tests of gstack, and installs what they need. All of them run, also after one has failed.
#
#   tests/run.sh [--all] [--keep] [STAGE…]
#
#   --all   also what tests/run/only-all.txt lists, and longer faults: other programs and large downloads, every night
#   --keep  keeps the table of times in tests/slowest.md
#   STAGE   only these: fmt clippy rust lint types extension packaging oracle e2e mcp
#
# GSTACK_LANES=N runs N tests at once. GSTACK_FLAKY=fail makes a test that passes only at its second try a failure.
# Each test's output is left in target/test-run.
# shellcheck source-path=SCRIPTDIR/..
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
. install/packages.sh
. tests/run/needs.sh
. tests/run/lanes.sh
. tests/run/report.sh
need_null
# Nothing here reads a terminal. With standard input closed, the next pipe would become it, and a program that reads
# its input (rustc does, asked by cargo) would wait for its own output for ever.
exec </dev/null

all='' keeps='' wanted=()
for name in "$@"; do
  case "$name" in
    --all) all=yes ;;
    --keep) keeps=yes ;;
    fmt | clippy | rust | lint | types | extension | packaging | oracle | e2e | mcp) wanted+=("$name") ;;
    -h | --help) sed -n '2,11s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) give_up "unknown stage $name; see tests/run.sh --help" ;;
  esac
done
if [ "${#wanted[@]}" -eq 0 ]; then wanted=(fmt clippy rust lint types extension packaging oracle e2e mcp); fi
wants() { [[ " ${wanted[*]} " == *" $1 "* ]]; }
# The stages that run the program.
if wants rust || wants packaging || wants oracle || wants e2e || wants mcp; then wanted+=(build); fi

work=$root/target/test-run
rm -rf "$work"
mkdir -p "$work/logs" "$work/queue" "$work/taken"
for name in results phases flaky broken programs left_out apt.log; do : >"$work/$name"; done
# What runs in the background ignores Ctrl-C; this ends it too.
trap 'trap - INT TERM; kill 0' INT TERM

# Everything is built alike in each run, so that a second one builds nothing: no debug information, which takes time and
# disk space. Panics still name their line.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
# A person's cargo shows colours; these logs are read.
export CARGO_TERM_COLOR=never
if [ -n "$all" ]; then export GSTACK_TEST_LONG=1; else export GSTACK_TEST_AGENTS=${GSTACK_TEST_AGENTS:-claude}; fi

# checked_cargo ARGUMENT…: Clippy's driver is the compiler, which checks what it builds, so that the code is compiled once.
checked_cargo() { RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo "$@" --locked; }
# Builds the program, and every test program if they are wanted.
build_all() {
  if ! wants rust; then checked_cargo build; return; fi
  checked_cargo test --no-run --workspace --all-targets --message-format json-render-diagnostics >"$work/built.json" || return
  node tests/run/programs.mjs "$work/built.json" >"$work/programs"
}
# Fails if a build of everything has warned; cargo repeats the warnings of what was built before.
clippy() {
  if ! wants rust; then cargo clippy --workspace --all-targets --locked -- -D warnings; return; fi
  if grep -qE '^(warning|error)' "$work/logs/build.log"; then cat "$work/logs/build.log" && return 1; fi
}
# The files that the default run leaves to --all.
only_all=()
while read -r pattern; do
  # A test within a file leaves itself out; here it only has to be there.
  if [[ $pattern == *::* ]]; then
    grep -q "${pattern#*::}" "${pattern%%::*}" || give_up "tests/run/only-all.txt: no test is named $pattern"
    continue
  fi
  compgen -G "$pattern" >/dev/null || give_up "tests/run/only-all.txt: no file is named $pattern"
  while read -r name; do only_all+=("$name"); done < <(compgen -G "$pattern")
done < <(sed -n 's/^\([^# ][^ ]*\) *|.*/\1/p' tests/run/only-all.txt)
# add_files STAGE FILE…: the files of this run.
add_files() {
  local stage=$1 file
  shift
  for file in "$@"; do
    if [ -n "$all" ] || [[ " ${only_all[*]} " != *" $file "* ]]; then add "$stage" "$file"; fi
  done
}

phase 'tools and packages'
say "Looking for what the tests need"
need_space 6 "$root"
case "$root" in /tmp/*) say "Codex's own sandbox hides /tmp, so its tests fail in a copy of the project there." ;; esac
apt_log=$work/apt.log
if wants fmt || wants clippy || wants build; then
  need_rust "$root"
  need_compiler
fi
need_node
caches=$(cache_sizes)
if wants build || wants extension; then
  need_browser
  GSTACK_BROWSER_PATH=$(find_browser)
  export GSTACK_BROWSER_PATH GSTACK_TEST_CHROMIUM=${GSTACK_TEST_CHROMIUM:-$GSTACK_BROWSER_PATH}
  say "Browser: $GSTACK_BROWSER_PATH"
fi
if wants build && [ "$(uname)" = Linux ]; then linux_tools; fi
export GSTACK_TEST_CLAUDE=${GSTACK_TEST_CLAUDE:-$root/tests/e2e/node_modules/.bin/claude}
install_packages >"$work/packages.out" 2>&1 &
packages_job=$!

phase 'building'
if wants fmt; then run_check fmt cargo fmt --all --check || true; fi
# Everything is built before anything runs: a compiler beside the tests makes them slow.
if wants build && ! run_check build build_all; then is_built=''; fi
if wants clippy; then run_check clippy clippy || true; fi

phase 'waiting for packages'
if ! wait "$packages_job"; then
  cat "$work/packages.out"
  give_up "the packages of the tests cannot be installed; see above"
fi
cat "$work/packages.out"

phase 'tests'
add lint lint
add types types
# The second one holds the parts of the measurements that measure nothing.
add_files extension tests/extension/*.test.mjs tests/benches/*.test.mjs
# Installing, releasing and upgrading, without a network and without publishing.
add_files packaging tests/packaging/*.test.mjs
add_files e2e tests/e2e/*.test.mjs tests/tasks/*.test.mjs tests/instructions/*.test.mjs tests/browserless/*.test.mjs \
  tests/grid/*.test.mjs tests/bitwarden/*.test.mjs tests/agent_matrix/*.test.mjs
# Real MCP clients (the SDK's and the inspector's) and CDP clients (Playwright, Puppeteer, Stagehand, browser-use and others).
add_files mcp tests/mcp/*.test.mjs tests/drivers/*.test.mjs tests/frameworks/*.test.mjs
add_files oracle tests/oracle/*.test.mjs
while IFS=$'\t' read -r name _; do add rust "$name"; done <"$work/programs"
# Most tests wait for a browser or an agent, so as many as there are processors would leave them idle.
lanes=${GSTACK_LANES:-$(($(processors) + 1))}
say "$queued tests in $lanes lanes"
run_lanes "$lanes"

phase ''
downloaded=$(downloads "$caches")
times "$lanes" >"$work/slowest.md"
if [ -n "$keeps" ]; then cp "$work/slowest.md" tests/slowest.md; fi
printf '\n'
tail -n +5 "$work/slowest.md"
outcome
