# shellcheck shell=bash
# Installs what a machine needs. Sourced by install/setup.sh and tests/run.sh; does nothing by itself.

say() { printf '%s\n' "$*"; }
give_up() { printf 'gstack: %s\n' "$*" >&2; exit 1; }
# Programs that run as root can replace /dev/null with a plain file (a compiler whose output is /dev/null does).
# Compilers then read other programs' discarded output as their input.
need_null() {
  [ -c /dev/null ] && return
  if [ "$(id -u)" -eq 0 ] && rm -f /dev/null && mknod -m 666 /dev/null c 1 3; then
    say "/dev/null was a plain file; it is a device again."
  else
    give_up "/dev/null is not a device. As root: rm /dev/null && mknod -m 666 /dev/null c 1 3"
  fi
}
# need_space GB FOLDER: says so if the folder's disk has less free space. The build or a test then fails in a way that is hard to understand.
need_space() {
  local free
  free=$(df -Pk "$2" | awk 'NR == 2 { print int($4 / 1048576) }')
  [ "$free" -ge "$1" ] || say "Only $free GB of disk space are free in $2; this can need $1 GB."
}
have() { command -v "$1" >/dev/null 2>&1; }

# apt_install PACKAGE…: installs on Debian and Ubuntu, as root or with sudo. Fails if neither is available. What apt-get
# prints goes to the file apt_log, if that is set.
apt_install() {
  have apt-get || return 1
  local run=()
  if [ "$(id -u)" -ne 0 ]; then
    have sudo || return 1
    run=(sudo)
  fi
  say "Installing with apt-get: $*"
  if [ -z "${apt_is_fresh:-}" ]; then
    "${run[@]}" env LC_ALL=C apt-get update -q >>"${apt_log:-/dev/null}" || return 1
    apt_is_fresh=yes
  fi
  "${run[@]}" env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >>"${apt_log:-/dev/null}"
}

# Installs the Rust version that this checkout's Cargo.toml requires.
need_rust() {
  local wanted found
  wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$1/Cargo.toml")
  if ! have cargo && [ -f "${CARGO_HOME:-$HOME/.cargo}/env" ]; then
    # shellcheck disable=SC1091
    . "${CARGO_HOME:-$HOME/.cargo}/env"
  fi
  have cargo || give_up "Rust is missing. Get it from https://rustup.rs, open a new terminal and run this again."
  found=$(rustc --version | cut -d' ' -f2)
  if [ "$(printf '%s\n%s\n' "$wanted" "$found" | sort -V | head -n1)" != "$wanted" ]; then
    give_up "Rust $found is too old: $wanted is needed. Run: rustup update stable"
  fi
}

need_compiler() {
  have cc || apt_install build-essential pkg-config ||
    give_up "There is no C compiler. On macOS run: xcode-select --install. On Linux install gcc or clang."
}

# Finds a Chromium-based browser that is not a snap (a snap cannot start programs outside its sandbox).
find_browser() {
  local name real
  if [ -n "${GSTACK_BROWSER_PATH:-}" ]; then
    [ -x "$GSTACK_BROWSER_PATH" ] || give_up "GSTACK_BROWSER_PATH is $GSTACK_BROWSER_PATH, and that is not a program."
    say "$GSTACK_BROWSER_PATH"
    return
  fi
  for name in chromium chromium-browser chrome-for-testing google-chrome google-chrome-stable microsoft-edge brave-browser vivaldi; do
    have "$name" || continue
    real=$(readlink -f "$(command -v "$name")")
    case "$real" in
      /snap/* | */snap) continue ;;
    esac
    # Ubuntu's chromium-browser is a script that only starts the snap.
    if head -c 2048 "$real" | grep -aq '/snap/bin/chromium'; then continue; fi
    command -v "$name"
    return
  done
  for name in "Chromium" "Google Chrome" "Microsoft Edge" "Brave Browser" "Vivaldi"; do
    if [ -x "/Applications/$name.app/Contents/MacOS/$name" ]; then
      say "/Applications/$name.app/Contents/MacOS/$name"
      return
    fi
  done
  return 1
}

need_browser() {
  find_browser >/dev/null && return
  # On Ubuntu this package only installs the snap, so search again afterwards.
  apt_install chromium || true
  find_browser >/dev/null ||
    give_up "No usable browser was found. Install Chromium or Google Chrome (not as snap or flatpak), or set GSTACK_BROWSER_PATH to one."
}

need_node() {
  node_is_new_enough && have npm && return
  apt_install nodejs npm || true
  node_is_new_enough && have npm || give_up "Node.js 20 or newer with npm is needed for the tests: https://nodejs.org"
}

node_is_new_enough() {
  have node && [ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ]
}
