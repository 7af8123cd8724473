#!/bin/sh
# Installs a released gstack for the current user, without building it. Run it again to update or repair.
#
#   install.sh                  download the latest release, verify it, install it, register it with your browsers
#   install.sh --from FOLDER    install only the program, from a folder that contains `gstack`
#   install.sh --no-register    do not register with the browsers
#   GSTACK_RELEASE_URL=URL      location of the release files (default: the latest release on GitHub)
#   GSTACK_BIN_DIR=DIR          where the program goes (default: ~/.local/bin)
#
# Exit codes: 0 installed, 1 failed and the existing program is untouched, 3 no release fits this machine or none can be
# reached. Accepts only https, and http from 127.0.0.1.
#
# The braces make a shell that receives only a part of this file report a syntax error and run nothing.
{
set -eu

default_url=https://github.com/gstack/gstack/releases/latest/download
url=${GSTACK_RELEASE_URL:-$default_url}
bin=${GSTACK_BIN_DIR:-$HOME/.local/bin}
# The Linux release needs at least this glibc; older systems get the static program.
least_glibc=2.28
stage=

say() { printf '%s\n' "$*"; }
give_up() { printf 'gstack: %s\n' "$*" >&2; exit 1; }
not_available() { printf 'gstack: %s\n' "$*" >&2; exit 3; }
have() { command -v "$1" >/dev/null 2>&1; }

# Removes our own staging folder, and those of killed runs.
clear_stages() {
  for one in "$bin"/.gstack-install.*; do
    [ -d "$one" ] || continue
    kill -0 "${one##*.}" 2>/dev/null && [ "$one" != "$stage" ] && continue
    rm -rf "$one"
  done
}

# The target triple of this machine.
target() {
  system=$(uname -s) machine=$(uname -m)
  case "$machine" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) not_available "there is no release for $system on $machine. Build it: https://github.com/gstack/gstack#install" ;;
  esac
  case "$system" in
    Linux) echo "$machine-unknown-linux-$(libc)" ;;
    Darwin)
      # Under Rosetta, the shell sees an Intel machine.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || true)" = 1 ] && machine=aarch64
      echo "$machine-apple-darwin"
      ;;
    *) not_available "there is no release for $system on $machine. Windows: use WSL. Others: build it from source." ;;
  esac
}

libc() {
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p') || glibc=
  if [ -n "$glibc" ] && [ "$(printf '%s\n%s\n' "$least_glibc" "$glibc" | sort -t. -k1,1n -k2,2n | head -n1)" = "$least_glibc" ]; then
    echo gnu
  else
    echo musl
  fi
}

# download NAME: downloads a release file into the staging folder. Redirects obey the same rules as the first URL.
download() {
  case "$url" in
    https://*) scheme='=https' redirects=10 ;;
    http://127.0.0.1:* | http://127.0.0.1/*) scheme='=http' redirects=0 ;;
    *) give_up "GSTACK_RELEASE_URL is $url: only https is accepted." ;;
  esac
  if have curl; then
    curl -fsSL --proto "$scheme" --proto-redir "$scheme" --max-redirs "$redirects" --connect-timeout 20 \
      --speed-limit 1 --speed-time 60 --max-filesize 300000000 -o "$stage/$1" "$url/$1"
  elif have wget; then
    only=
    if [ "$scheme" = '=https' ]; then only=--https-only; fi
    # shellcheck disable=SC2086
    wget -q $only --max-redirect="$redirects" --timeout=60 --tries=2 -O "$stage/$1" "$url/$1"
  else
    give_up "curl or wget is needed for the download."
  fi
}

sha256() {
  if have sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# check NAME: verifies a downloaded file against its line in SHA256SUMS.
check() {
  wanted=$(awk -v name="$1" '$2 == name || $2 == "*" name { print $1 }' "$stage/SHA256SUMS")
  case "$wanted" in
    *[!0-9a-f]* | '') not_available "this release has no $1." ;;
  esac
  [ "${#wanted}" -eq 64 ] || give_up "SHA256SUMS has no checksum of $1."
  found=$(sha256 "$stage/$1")
  [ "$found" = "$wanted" ] ||
    give_up "$1 is not what was released (its SHA-256 is $found, not $wanted). Nothing was installed; run this again."
}

# fetch: downloads, verifies and unpacks the release; prints the folder with the program.
fetch() {
  name="gstack-$(target)" || exit
  download SHA256SUMS || not_available "the release at $url can't be downloaded."
  # Before the large file: a release without one for this machine is no reason to download anything.
  grep -q " [*]\{0,1\}$name.tar.gz\$" "$stage/SHA256SUMS" || not_available "the release at $url has no $name.tar.gz."
  download "$name.tar.gz" || give_up "$name.tar.gz can't be downloaded from $url. Nothing was installed; run this again."
  check "$name.tar.gz"
  tar -xzf "$stage/$name.tar.gz" -C "$stage" || give_up "$name.tar.gz can't be unpacked."
  echo "$stage/$name"
}

# place FOLDER: installs the program of the folder. The program must first start on this machine.
place() {
  { [ -f "$1/gstack" ] && [ ! -L "$1/gstack" ]; } || give_up "there is no program in $1."
  cp "$1/gstack" "$stage/program"
  chmod 755 "$stage/program"
  version=$("$stage/program" --version </dev/null) || give_up "the program does not start on this machine. Nothing was installed."
  # On the same file system: one rename, so that there is one program or the other at any moment. A program that runs
  # can't be written to, but it can be replaced.
  mv -f "$stage/program" "$bin/gstack"
  say "Installed $version: $bin/gstack"
}

# document FOLDER NAME WORDS…: writes what the program prints.
document() {
  folder=$1 name=$2
  shift 2
  mkdir -p "$folder"
  "$bin/gstack" "$@" </dev/null >"$stage/document"
  mv -f "$stage/document" "$folder/$name"
}

# The places where bash-completion, fish and man look for a user's own files.
documents() {
  data=${XDG_DATA_HOME:-$HOME/.local/share}
  fish=${XDG_CONFIG_HOME:-$HOME/.config}/fish
  document "$data/bash-completion/completions" gstack completions bash
  document "$data/man/man1" gstack.1 man
  said="bash and man"
  if [ -d "$fish" ]; then
    document "$fish/completions" gstack.fish completions fish
    said="bash, fish and man"
  fi
  say "Installed completions and the manual page for $said. For zsh: gstack completions zsh > FOLDER/_gstack, where FOLDER is in your fpath."
}

main() {
  from='' register=yes
  while [ $# -gt 0 ]; do
    case "$1" in
      --from) [ $# -ge 2 ] || give_up "--from takes a folder."; from=$2; shift ;;
      --no-register) register=no ;;
      -h | --help)
        say "install.sh [--from FOLDER] [--no-register]; GSTACK_RELEASE_URL and GSTACK_BIN_DIR set where it downloads from and where it installs."
        exit 0
        ;;
      *) give_up "unknown argument $1; see install.sh --help" ;;
    esac
    shift
  done
  case "$bin" in /*) ;; *) give_up "GSTACK_BIN_DIR must be an absolute path." ;; esac
  mkdir -p "$bin"
  stage="$bin/.gstack-install.$$"
  clear_stages
  mkdir "$stage"
  trap 'rm -rf "$stage"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  if [ -n "$from" ]; then
    folder=$from
  else
    say "Downloading gstack from $url"
    folder=$(fetch) || exit
  fi
  place "$folder"
  documents
  # Registration reads the installed browsers; it never starts one.
  if [ "$register" = yes ]; then
    "$bin/gstack" install-host </dev/null || give_up "gstack is installed, but not registered with every browser. Run: $bin/gstack install-host"
  fi
  case ":$PATH:" in
    *":$bin:"*) ;;
    *) say "$bin is not on your PATH. Add this line to your shell's profile: export PATH=\"$bin:\$PATH\"" ;;
  esac
  found=$(command -v gstack 2>/dev/null || true)
  if [ -n "$found" ] && [ "$found" != "$bin/gstack" ]; then
    say "Your shell finds another gstack first: $found. Remove that one, or put $bin earlier in your PATH."
  fi
  if [ -z "$from" ]; then say "Next: gstack connect"; fi
}

main "$@"
exit
}
