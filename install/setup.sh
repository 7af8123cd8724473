#!/usr/bin/env bash
# Builds gstack from this checkout, installs it for you alone and opens a browser with the side panel.
# May be run again at any time: what is there already is kept or renewed.
#
#   install/setup.sh               all of it
#   install/setup.sh --no-connect  build and install only
#   GSTACK_BIN_DIR=DIR             where the program goes (default: ~/.local/bin)
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=install/packages.sh
. "$root/install/packages.sh"
need_null
# Nothing here asks anything. With standard input closed, the next pipe would become it.
exec </dev/null

connect=yes
for argument in "$@"; do
  case "$argument" in
    --no-connect) connect=no ;;
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) give_up "unknown argument $argument; see install/setup.sh --help" ;;
  esac
done

say "1. Looking for what is needed"
need_rust "$root"
need_compiler
# Before the registration, which looks for what is installed.
if [ "$connect" = yes ]; then need_browser; fi

say "2. Building (a few minutes the first time)"
cargo build --release --locked --manifest-path "$root/Cargo.toml"
built=${CARGO_TARGET_DIR:-$root/target}/release/gstack

bin=${GSTACK_BIN_DIR:-$HOME/.local/bin}
say "3. Installing $bin/gstack"
mkdir -p "$bin"
# Beside it first, then over it: a program that runs can't be written to, but it can be replaced.
cp "$built" "$bin/.gstack.new"
mv -f "$bin/.gstack.new" "$bin/gstack"
# A daemon of the program before would go on with the old one; its browser stays open.
"$bin/gstack" stop
case ":$PATH:" in
  *":$bin:"*) command="gstack" ;;
  *)
    command="$bin/gstack"
    say "   $bin is not on your PATH. Add this line to your shell's profile:"
    say "   export PATH=\"$bin:\$PATH\""
    ;;
esac

# Where bash-completion, fish and man look for a user's own by themselves.
data=${XDG_DATA_HOME:-$HOME/.local/share}
fish=${XDG_CONFIG_HOME:-$HOME/.config}/fish
mkdir -p "$data/bash-completion/completions" "$data/man/man1"
"$bin/gstack" completions bash > "$data/bash-completion/completions/gstack"
"$bin/gstack" man > "$data/man/man1/gstack.1"
said="bash and man"
if [ -d "$fish" ]; then
  mkdir -p "$fish/completions"
  "$bin/gstack" completions fish > "$fish/completions/gstack.fish"
  said="bash, fish and man"
fi
say "   Completions and the manual page are in place for $said. For zsh: gstack completions zsh > FOLDER/_gstack,"
say "   with a FOLDER of your fpath."

say "4. Registering with the browsers that are installed"
"$bin/gstack" install-host

if [ "$connect" = no ]; then
  say "Done. Next: $command connect"
  exit 0
fi

say "5. Opening a browser with the side panel"
"$bin/gstack" connect

say "6. A first conversation"
"$bin/gstack" chat help

say
say "Done. Type in the side panel what you want done on the page in view, or from here:"
say "   $command chat \"go to example.com and read the page\""
say "   $command snapshot -i        what can be clicked"
say "   $command doctor             when something is wrong"
