# Shared by every finding: a temporary folder, pinned installs, expectations and bounded time.
#
# A finding starts with its head comment, then `set -euo pipefail` and `. "$(dirname "$0")/lib.sh"`, and ends with `finish`.
# It gets:
#   $work                     a temporary folder, the current folder, $HOME and $TMPDIR; removed at the end
#   npm_install NAME@VERSION… installs into $work/node_modules without running install scripts
#   pip_install NAME==VERSION… installs into a virtual environment, whose programs come first in PATH
#   chromium_start [FLAG…]    starts a headless Chromium; sets $cdp (http://127.0.0.1:PORT), $chromium_version and $profile, which is
#                             new unless `reuse=FOLDER` names one
#   chromedriver_start        starts Debian's ChromeDriver; sets $driver (http://127.0.0.1:PORT). bidi.mjs in $work is a client for it
#                             (which needs `npm_install ws@8.23.0`)
#   offline COMMAND…          runs a command that reaches nothing but the loopback
#   agents NAME…              installs coding agents (claude, codex, copilot, gemini, hermes, opencode, qwen) at their pinned versions
#   probe                     runs the JavaScript on its standard input, offline, with what acp.mjs exports; its output is seen.txt
#   seen KEY                  prints what a line "KEY: …" of seen.txt says
#   need PROGRAM…             ends with 2 if one of these programs is missing
#   devtools.mjs              in $work: a page server, and a bare DevTools client (which needs `npm_install ws@8.23.0`)
#   expect WHAT WANTED SEEN   prints WHAT and SEEN; the finding has changed if SEEN differs from WANTED
#   finish                    exits with 0 if every expectation was met, otherwise with 1
# Exit status: 0 as stated, 1 changed, 2 could not run (a missing program, a failed install), 124 out of time.

# A finding has $limit seconds (1200 unless it is set before this line), then it and its children are ended.
if [ "${FINDING_BOUNDED:-}" != "$$" ]; then
  exec timeout --kill-after=60 "${limit:-1200}" bash -c 'FINDING_BOUNDED=$$ exec bash "$@"' finding "$0" "$@"
fi
unset FINDING_BOUNDED

finding=$(basename "$0" .sh)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/finding.XXXXXX")
changed=0 expected=0 children=()

cleanup() {
  local status=$? pid
  trap - EXIT
  for pid in ${children[@]+"${children[@]}"}; do
    kill -TERM -- "-$pid" 2>/dev/null || kill -TERM "$pid" 2>/dev/null || true
  done
  for pid in ${children[@]+"${children[@]}"}; do
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 -- "-$pid" 2>/dev/null && sleep 0.2 || break; done
    kill -KILL -- "-$pid" 2>/dev/null || true
  done
  cd / && rm -rf "$work" || true
  exit "$status"
}
trap cleanup EXIT
trap 'exit 124' TERM INT

# The caches and settings of npm and pip stay where the person has them: a second run installs faster.
export npm_config_cache=${npm_config_cache:-$HOME/.npm} PIP_CACHE_DIR=${PIP_CACHE_DIR:-$HOME/.cache/pip}
export npm_config_userconfig=${npm_config_userconfig:-$HOME/.npmrc}
[ -n "${PIP_CONFIG_FILE:-}" ] || [ ! -f "$HOME/.config/pip/pip.conf" ] || export PIP_CONFIG_FILE="$HOME/.config/pip/pip.conf"
mkdir "$work/home" "$work/tmp"
export HOME="$work/home" TMPDIR="$work/tmp"
unset XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME NODE_OPTIONS
cd "$work"
cp "$here/devtools.mjs" .

cannot() { echo "$finding: cannot run: $*" >&2; exit 2; }
need() { local program; for program; do command -v "$program" >/dev/null || cannot "$program is missing"; done; }

npm_install() {
  need node npm
  [ -e package.json ] || echo '{"private":true,"type":"module"}' >package.json
  npm install --ignore-scripts --no-audit --no-fund --no-update-notifier --save-exact --loglevel=error "$@" >npm.log 2>&1 ||
    cannot "npm install $*: $(tail -n 3 npm.log)"
  printf 'npm: %s\n' "$@"
}

pip_install() {
  need python3
  # Not the virtual environment's, which comes first in PATH from the second call on.
  : "${system_python:=$(command -v python3)}"
  local pip=("$system_python" -m pip --python venv/bin/python)
  if ! "${pip[@]:0:3}" --version >/dev/null 2>&1; then pip=(venv/bin/python -m pip); fi
  if [ ! -d venv ]; then
    # A virtual environment without a pip of its own takes a tenth of the time.
    if [ "${pip[0]}" = "$system_python" ]; then set -- --without-pip "$@"; else set -- '' "$@"; fi
    "$system_python" -m venv $1 venv >venv.log 2>&1 || cannot "python3 -m venv: $(tail -n 1 venv.log)"
    shift
  fi
  "${pip[@]}" install --quiet --disable-pip-version-check --only-binary :all: "$@" >pip.log 2>&1 ||
    cannot "pip install $*: $(tail -n 3 pip.log)"
  export PATH="$work/venv/bin:$PATH"
  printf 'pip: %s\n' "$@"
}

agents() {
  local agent npm=() pip=()
  for agent; do
    case "$agent" in
      claude) npm+=(@agentclientprotocol/claude-agent-acp@0.101.0) ;;
      codex) npm+=(@agentclientprotocol/codex-acp@2.6.0) ;;
      copilot) npm+=(@github/copilot@1.0.102) ;;
      gemini) npm+=(@google/gemini-cli@0.61.0) ;;
      hermes) pip+=(hermes-agent==0.19.0 agent-client-protocol==0.9.0) ;;
      opencode) npm+=(opencode-ai@1.18.33) ;;
      qwen) npm+=(@qwen-code/qwen-code@0.24.4) ;;
      *) cannot "no agent is named $agent" ;;
    esac
  done
  [ "${#npm[@]}" -eq 0 ] || npm_install "${npm[@]}"
  [ "${#pip[@]}" -eq 0 ] || pip_install "${pip[@]}"
  mkdir -p project
}

probe() {
  { echo "import { agent, known, mcpServer, model, session } from '$here/acp.mjs';"; cat; } >probe.mjs
  offline node probe.mjs >seen.txt
}

seen() { sed -n "s#^$1: ##p" seen.txt; }

# background COMMAND…: starts a process group of its own that the end of the finding ends; sets $pid.
background() { setsid "$@" & pid=$!; children+=("$pid"); }

# offline COMMAND…: runs a command that reaches nothing but the loopback, where the kernel allows that; otherwise as it is.
offline() {
  if unshare --net --map-root-user sh -c 'ip link set lo up' 2>/dev/null; then
    unshare --net --map-root-user sh -c 'ip link set lo up && exec "$@"' sh "$@"
  else "$@"; fi
}

# until_true SECONDS COMMAND…: waits until the command succeeds, and fails after this many seconds.
until_true() {
  local end=$((SECONDS + $1)); shift
  until "$@"; do [ "$SECONDS" -lt "$end" ] || return 1; sleep 0.1; done
}

chromium_start() {
  local program sandbox=()
  program=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || cannot "Chromium is missing (Debian: apt-get install chromium)"
  [ "$(id -u)" -ne 0 ] || sandbox=(--no-sandbox)
  profile=${reuse:-$(mktemp -d "$work/profile.XXXXXX")}
  rm -f "$profile/DevToolsActivePort"
  background "$program" --headless=new --remote-debugging-port=0 --user-data-dir="$profile" --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --host-resolver-rules='MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost' \
    ${sandbox[@]+"${sandbox[@]}"} "$@" about:blank >"$profile.log" 2>&1
  until_true 30 test -s "$profile/DevToolsActivePort" || cannot "Chromium did not start: $(tail -n 2 "$profile.log")"
  cdp=http://127.0.0.1:$(head -n 1 "$profile/DevToolsActivePort")
  chromium_version=$("$program" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+){3}')
  echo "Chromium: $chromium_version"
}

chromedriver_start() {
  command -v chromedriver >/dev/null || cannot "ChromeDriver is missing (Debian: apt-get install chromium-driver)"
  cp "$here/bidi.mjs" .
  background chromedriver --port=0 >chromedriver.log 2>&1
  until_true 30 grep -q 'successfully on port [0-9]' chromedriver.log || cannot "ChromeDriver did not start: $(tail -n 2 chromedriver.log)"
  driver=http://127.0.0.1:$(sed -n 's/.*successfully on port \([0-9]*\).*/\1/p' chromedriver.log)
  echo "ChromeDriver: $(chromedriver --version | grep -oE '[0-9]+(\.[0-9]+){3}')"
}

expect() {
  expected=$((expected + 1))
  if [ "$2" = "$3" ]; then printf 'seen: %s: %s\n' "$1" "$3"
  else changed=$((changed + 1)); printf 'CHANGED: %s: expected %s, saw %s\n' "$1" "$2" "$3"; fi
}

finish() {
  [ "$expected" -gt 0 ] || cannot "nothing was expected"
  [ "$changed" -eq 0 ] || { echo "$finding: $changed of $expected changed"; exit 1; }
  echo "$finding: as stated"; exit 0
}
