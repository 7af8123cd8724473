#!/usr/bin/env bash
# Runs every check and test of gstack, and installs what they need. All stages run, also after one has failed.
#
#   tests/run.sh            everything
#   tests/run.sh NAME…      only these stages: fmt clippy rust lint types extension packaging oracle e2e mcp
# GSTACK_FLAKY=fail makes a test that passes only at its second try a failure.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# shellcheck source=install/packages.sh
. install/packages.sh
need_null
# Nothing here reads a terminal. With standard input closed, the next pipe would become it, and a program that reads
# its input (rustc does, asked by cargo) would wait for its own output for ever.
exec </dev/null

if [ "$#" -gt 0 ]; then wanted=("$@"); else wanted=(fmt clippy rust lint types extension packaging oracle e2e mcp); fi
for name in "${wanted[@]}"; do
  case "$name" in
    fmt | clippy | rust | lint | types | extension | packaging | oracle | e2e | mcp) ;;
    -h | --help) sed -n '2,6s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) give_up "unknown stage $name; see tests/run.sh --help" ;;
  esac
done
wants() { [[ " ${wanted[*]} " == *" $1 "* ]]; }
if wants rust || wants packaging || wants oracle || wants e2e || wants mcp; then wanted+=(build); fi

# What the stages leave for the end: one line "NAME PASSED FAILED" each in counts, names in flaky and broken.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
counts=$work/counts
flaky=$work/flaky
broken=$work/broken
touch "$counts" "$flaky" "$broken"

# stage NAME COUNTER COMMAND…: runs a command and adds what COUNTER finds in its output. Shows the output and the time when
# the stage has ended: stages of two lanes run beside each other.
stage() {
  local name=$1 counter=$2 started=$SECONDS status=0 good bad
  shift 2
  wants "$name" || return 0
  local log=$work/$name.${lane:-first}.log
  say "Stage $name has begun"
  "$@" >"$log" 2>&1 || status=$?
  read -r good bad < <("$counter" "$status" "$log")
  # A runner that failed without a failed test (a build error, a crash) is one failure.
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  echo "$name $good $bad" >>"$counts"
  {
    printf '\n== %s\n' "$name"
    cat "$log"
    printf '== %s: %s passed, %s failed, %s s\n' "$name" "$good" "$bad" "$((SECONDS - started))"
  } >"$log.shown"
  cat "$log.shown"
}
# Tells at once how one of a stage's test programs went: the stage's whole output comes at its end.
exec 3>&1

# Counters: print "PASSED FAILED", from the command's exit status and its log.
count_check() { if [ "$1" -eq 0 ]; then echo "1 0"; else echo "0 1"; fi; }
count_cargo() { awk '/^test result:/ { good += $4; bad += $6 } END { print good + 0, bad + 0 }' "$2"; }
count_node() { awk '/^# pass / { good += $3 } /^# (fail|cancelled) / { bad += $3 } END { print good + 0, bad + 0 }' "$2"; }

packages() { (cd "$1" && npm ci --no-audit --no-fund --loglevel=error "${@:2}" >/dev/null); }
# left_out WORDS: what this machine can't test; the end of the run names it.
left_out() { say "SKIPPED $*" | tee -a "$work/setup.log"; }
# The Python packages of tests/frameworks, 50 MB, in a folder of their own. Fails if Python 3.11 or its registry is missing.
python_packages() {
  local folder=tests/frameworks/.venv wanted=tests/frameworks/requirements.txt
  cmp -s "$wanted" "$folder/installed.txt" && "$folder/bin/python" -c '' 2>/dev/null && return
  rm -rf "$folder"
  have python3 || apt_install python3 || return
  if ! python3 -m venv "$folder" >/dev/null 2>&1; then
    rm -rf "$folder"
    apt_install python3-venv && python3 -m venv "$folder" || return
  fi
  "$folder/bin/pip" install --quiet --disable-pip-version-check --retries 2 --no-deps --require-hashes --only-binary :all: --no-compile \
    -r "$wanted" && cp "$wanted" "$folder/installed.txt" && return
  rm -rf "$folder"
  return 1
}
# Browserless, 270 MB, and the Node.js that it needs, 125 MB, unless this one will do. Neither downloads a browser.
browserless_packages() {
  packages tests/browserless --ignore-scripts --omit=optional || return
  [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 24')" = true ] && return
  packages tests/browserless/node24 --ignore-scripts || return
  rm -rf tests/browserless/node24/node_modules/*/include
  [ -x tests/browserless/node24/node_modules/.bin/node ]
}
# Selenium Grid, 55 MB, and a Java for it. It downloads nothing itself.
grid_packages() {
  packages tests/grid --ignore-scripts || return
  have java || apt_install default-jre-headless
}
# Format and lints of every script (biome.jsonc says which files and rules), and the length of its lines.
script_lints() {
  local status=0
  tests/extension/node_modules/.bin/biome ci --error-on-warnings . || status=1
  node tests/line-lengths.mjs || status=1
  return "$status"
}
# The extension, and the scripts that run in pages: both as strict.
type_checks() {
  local project status=0
  for project in extension src/browser/injected; do tests/extension/node_modules/.bin/tsc --noEmit -p "$project/jsconfig.json" || status=1; done
  return "$status"
}
# One that hangs is ended and named: no file takes so long, also on a busy machine.
node_tests() { node --test --test-timeout=600000 --test-reporter=tap "$@"; }
# once_more WHAT COMMAND…: a command that failed runs once more, said in words: a machine that stalls for half a minute
# must not look like a defect, and a defect fails twice. Counted are the summaries in here, so of a first try that
# failed only its failures are shown, with their reasons. Of a program of Rust tests only those that failed run again.
once_more() {
  local what=$1 out status=0 started=$SECONDS word=passed name failed=()
  shift
  local again=("$@")
  out=$(mktemp)
  # Without descriptor 3: a process that a test left running would hold this script's output open.
  if ! "$@" >"$out" 2>&1 3>&-; then
    grep -E -A8 '^ *not ok|error:|FAILED$|panicked at' "$out" | grep -vE '^(test result:|# (pass|fail|cancelled) )' | head -n 200 || true
    say "AGAIN: $what failed and runs once more"
    while read -r name; do failed+=("$name"); done < <(sed -n 's/^test \([^ ]*\) \.\.\. FAILED$/\1/p' "$out")
    if [ "${#failed[@]}" -gt 0 ]; then
      again+=(-- --exact "${failed[@]}")
      sed -n 's/^\(test result:\) FAILED\(.* passed;\) [0-9]* failed/\1 again\2 0 failed/p' "$out"
    fi
    # A second try that ran no test proves nothing.
    if "${again[@]}" >"$out" 2>&1 3>&- && { [ "${#failed[@]}" -eq 0 ] || grep -qE '^test result: ok\. [1-9]' "$out"; }; then
      word='passed at the second try'
      printf '%s\n' "$what" >>"$flaky"
    else
      status=1 word=FAILED
      printf '%s\n' "$what" >>"$broken"
    fi
  fi
  say "$what: $word, $((SECONDS - started)) s" >&3
  cat "$out"
  rm -f "$out"
  return "$status"
}
# One file at a time in this lane.
node_files() {
  local file status=0
  for file in "$@"; do once_more "$file" node_tests "$file" || status=1; done
  return "$status"
}
browser_tests() { GSTACK_BROWSER_PATH=$browser node_files "$@"; }
# queue STAGE FILE…: the files of a stage that both lanes may take from, so that neither waits for the other at the end.
queue() {
  local name=$1 number=1000 file
  shift
  mkdir -p "$work/queue.$name" "$work/taken.$name"
  for file in "$@"; do number=$((number + 1)) && echo "$file" >"$work/queue.$name/$number"; done
}
# Runs what is left in the queue of a stage. Whoever moves an entry has it.
queued_tests() {
  local entry taken status=0
  for entry in "$work/queue.$1"/*; do
    taken=$work/taken.$1/${entry##*/}
    mv "$entry" "$taken" 2>/dev/null || continue
    browser_tests "$(cat "$taken")" || status=1
  done
  return "$status"
}
# help_with STAGE…: a lane that has nothing else to do takes files of the other one.
help_with() {
  local name
  for name in "$@"; do
    if wants "$name" && [ -n "$(ls "$work/queue.$name")" ]; then stage "$name" count_node queued_tests "$name"; fi
  done
}
# The program, and every test program if they are wanted.
build_all() {
  cargo build --locked || return
  if wants rust; then cargo test --locked --no-run || return; fi
}
# A program that hangs is ended.
limited() { if have timeout; then timeout --foreground -k 30 2100 "$@"; else "$@"; fi; }
# One program at a time: what fails runs once more by itself.
rust_tests() {
  local status=0 file name
  for name in --lib --bins --doc; do once_more "cargo test $name" limited cargo test --locked "$name" || status=1; done
  for file in tests/*.rs tests/*/main.rs; do
    name=${file#tests/} name=${name%/main.rs} name=${name%.rs}
    once_more "cargo test --test $name" limited cargo test --locked --no-fail-fast --test "$name" || status=1
  done
  return "$status"
}

say "Looking for what the tests need"
# The first build here compiles everything anyway; what a second one or a debugger would use only costs time and disk space.
[ -d target ] || export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
need_space 6 "$root"
case "$root" in /tmp/*) say "Codex's own sandbox hides /tmp, so its tests fail in a copy of the project there." ;; esac
if wants fmt || wants clippy || wants build; then
  need_rust "$root"
  need_compiler
fi
need_node
if wants build; then
  need_browser
  browser=$(find_browser)
  export GSTACK_BROWSER_PATH=$browser
  say "Browser: $browser"
  if [ "$(uname)" = Linux ]; then have bwrap || apt_install bubblewrap || say "bubblewrap is missing: the sandbox is tested with Landlock alone."; fi
  if [ "$(uname)" = Linux ]; then have chromedriver || apt_install chromium-driver || say "chromedriver is missing: the tests of grids fail."; fi
  have openssl || apt_install openssl || say "openssl is missing: the tests of remote browsers fail."
  if [ "$(uname)" = Linux ]; then have Xvfb || apt_install xvfb || say "Xvfb is missing: tests of a browser with a window are skipped."; fi
  if [ "$(uname)" = Linux ]; then have valgrind || apt_install valgrind || say "valgrind is missing: instructions are not counted."; fi
  if [ "$(uname)" = Linux ]; then have xdotool || apt_install xdotool || say "xdotool is missing: tests with a real keyboard are skipped."; fi
  if [ "$(uname)" = Linux ]; then [ -x /usr/sbin/sshd ] || apt_install openssh-server || say "OpenSSH's server is missing: the test of a tunnel over a real ssh is skipped."; fi
fi
if wants e2e && [ "$(uname)" = Linux ]; then
  { have secret-tool && have gnome-keyring-daemon && have dbus-send && have age; } || apt_install libsecret-tools gnome-keyring dbus age ||
    left_out "sign-ins in a real keyring: it can't be installed"
  { have pass && have gpg && have oathtool; } || apt_install pass pass-extension-otp oathtool gnupg ||
    left_out "sign-ins in a real pass: it can't be installed"
fi
if wants packaging && [ "$(uname)" = Linux ]; then have strace || apt_install strace || say "strace is missing: the test of gstack's connections is skipped."; fi
# The attacks of tests/attacks are written in it: they fork and pass sockets on.
if wants rust; then have python3 || apt_install python3; fi
# They are downloaded while the compiler works.
install_packages() {
  if wants lint || wants types || wants extension || wants packaging; then packages tests/extension || return; fi
  if wants oracle; then packages tests/oracle || return; fi
  if wants mcp; then
    packages tests/mcp && packages tests/drivers || return
    # Its install scripts build and download what is not needed here.
    packages tests/frameworks --ignore-scripts || return
    python_packages || left_out "browser-use: its Python packages can't be installed"
  fi
  if wants e2e; then
    packages tests/bitwarden --ignore-scripts || left_out "the real Bitwarden: its package can't be installed"
    browserless_packages || left_out "the real Browserless: it or its Node.js can't be installed"
    grid_packages || left_out "the real Selenium Grid: it or a Java for it can't be installed"
  fi
  if wants rust || wants packaging || wants e2e || wants mcp; then packages tests/e2e && packages tests/agents_npm || return; fi
}
install_packages >"$work/packages.out" 2>&1 &
packages_job=$!
export GSTACK_TEST_CLAUDE=${GSTACK_TEST_CLAUDE:-$root/tests/e2e/node_modules/.bin/claude}

# What runs in the background ignores Ctrl-C; this ends it too.
trap 'trap - INT TERM; kill 0' INT TERM
stage fmt count_check cargo fmt --check
stage clippy count_check cargo clippy --all-targets --locked -- -D warnings
# Everything is built before anything is run: a compiler beside the tests makes them slow.
stage build count_check build_all
say "Waiting for the packages of the tests"
if ! wait "$packages_job"; then
  cat "$work/packages.out"
  give_up "the packages of the tests can't be installed; see above"
fi
cat "$work/packages.out"

# Two lanes: most tests wait for a browser or an agent, so one at a time would leave half of a machine idle.
queue e2e tests/e2e/*.test.mjs tests/tasks/*.test.mjs tests/instructions/*.test.mjs tests/browserless/*.test.mjs \
  tests/grid/*.test.mjs tests/bitwarden/*.test.mjs
# Real MCP clients (the SDK's and the inspector's) and CDP clients (Playwright, Puppeteer, Stagehand, browser-use and others).
queue mcp tests/mcp/*.test.mjs tests/drivers/*.test.mjs tests/frameworks/*.test.mjs
queue oracle tests/oracle/*.test.mjs
scripts_lane() {
  local lane=scripts
  stage lint count_check script_lints
  stage types count_check type_checks
  # And the parts of the measurements that measure nothing.
  stage extension count_node node_files tests/extension/*.test.mjs tests/benches/*.test.mjs
  # Installing, releasing and upgrading, without a network and without publishing.
  stage packaging count_node browser_tests tests/packaging/*.test.mjs
  stage e2e count_node queued_tests e2e
  help_with mcp oracle
}
rust_lane() {
  local lane=rust
  stage rust count_cargo rust_tests
  stage mcp count_node queued_tests mcp
  stage oracle count_node queued_tests oracle
  help_with e2e
}
scripts_lane &
rust_lane
wait

for name in "${wanted[@]}"; do
  if ! grep -q "^$name " "$counts"; then
    say "Stage $name did not end."
    echo "$name 0 1" >>"$counts"
  fi
done
read -r passed failed < <(awk '{ good += $2; bad += $3 } END { print good + 0, bad + 0 }' "$counts")
# Not every machine lets a test mount a disk or has a compiler: what could not be tested is named.
not_tested=$(grep -hE 'left out$|^SKIPPED ' "$work"/*.log 2>/dev/null | grep -vE '^ *(#|(not )?ok )' | sort | uniq -c || true)
if [ -n "$not_tested" ]; then printf '\nleft out on this machine:\n%s\n' "$not_tested"; fi
if [ -s "$broken" ]; then printf '\nfailed twice:\n%s\n' "$(cat "$broken")"; fi
# What passed only at the second try has a race in it: each is a defect to find.
if [ -s "$flaky" ]; then printf '\nflaky, %s of them passed only at the second try:\n%s\n' "$(wc -l <"$flaky")" "$(cat "$flaky")"; fi
printf '\n%s passed, %s failed, %s flaky\n' "$passed" "$failed" "$(wc -l <"$flaky")"
# GSTACK_FLAKY=fail: on a machine that nobody else uses, a second try is a failure too.
if [ "${GSTACK_FLAKY:-}" = fail ] && [ -s "$flaky" ]; then exit 1; fi
[ "$failed" -eq 0 ]
