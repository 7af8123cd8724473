#!/usr/bin/env bash
# Installs gstack from this checkout for the current user and opens a browser with the side panel. An unchanged checkout
# of a release installs the released program if packaging/home.toml says where it is published, its signature is valid, and
# there is one for this machine; any other checkout is built.
# May be run again at any time: it keeps or updates what is already installed.
#
#   install/setup.sh               do everything
#   install/setup.sh --no-connect  install only
#   install/setup.sh --build       build even if a released program fits
#   GSTACK_BIN_DIR=DIR             where the program goes (default: ~/.local/bin)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=install/packages.sh
. "$root/install/packages.sh"
need_null
# Nothing here prompts. If standard input were closed, the next pipe would become standard input.
exec </dev/null

# Headings without numbers: what runs under them prints numbered steps of its own.
step() { say; say "== $*"; }

connect=yes
build=no
for argument in "$@"; do
  case "$argument" in
    --no-connect) connect=no ;;
    --build) build=yes ;;
    -h | --help) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) give_up "unknown argument $argument; see install/setup.sh --help" ;;
  esac
done

bin=${GSTACK_BIN_DIR:-$HOME/.local/bin}
export GSTACK_BIN_DIR=$bin

# Prints the version of this checkout's release; fails if it has changes or is not a release, or if none is published.
released() {
  local version
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n1)
  have git && [ "$(git -C "$root" describe --exact-match --tags --match "v$version" HEAD 2>/dev/null)" = "v$version" ] &&
    [ -z "$(git -C "$root" status --porcelain 2>/dev/null)" ] &&
    [ "$(grep -cE '^(address|release-key) = "[^"]+"$' "$root/packaging/home.toml")" -eq 2 ] && say "$version"
}

step "Looking for what is needed"
# Before the registration, which searches for installed browsers.
if [ "$connect" = yes ]; then need_browser; fi

installed=no
if [ "$build" = no ] && release=$(released); then
  step "Installing the released program: this is an unchanged checkout of v$release"
  status=0
  "$root/install/install.sh" --release "$root/packaging/home.toml" "$release" || status=$?
  case "$status" in
    0) installed=yes ;;
    3) say "   No released program can be used: building it." ;;
    *) exit "$status" ;;
  esac
fi
if [ "$installed" = no ]; then
  need_rust "$root"
  need_compiler
  need_space 2 "$root"
  step "Building (a few minutes the first time)"
  cargo build --release --locked --manifest-path "$root/Cargo.toml"
  step "Installing and registering with the browsers that are installed"
  "$root/install/install.sh" --from "${CARGO_TARGET_DIR:-$root/target}/release"
fi
# A running daemon would continue with the old program. Its browser stays open.
"$bin/gstack" stop >/dev/null
command=gstack
case ":$PATH:" in *":$bin:"*) ;; *) command="$bin/gstack" ;; esac

if [ "$connect" = no ]; then
  say "Done. Next: $command connect"
  exit 0
fi

step "Opening a browser with the side panel"
"$bin/gstack" connect

step "A first conversation"
"$bin/gstack" chat help

say
say "Done. Type in the side panel what you want done on the page in view, or from here:"
say "   $command chat \"go to example.com and read the page\""
say "   $command snapshot -i        what can be clicked"
say "   $command doctor             when something is wrong"
