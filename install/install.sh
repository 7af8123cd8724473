#!/bin/sh
# Installs a released gstack for the current user, without building it. Run it again to update or repair.
#
#   install.sh                  download the latest release, verify its signature, install it, register it with your browsers
#   install.sh --from FOLDER    install only the program, from a folder that contains `gstack`
#   install.sh --release HOME.TOML VERSION
#                               install this version, from the address and with the key in that file (for setup.sh)
#   install.sh --no-register    do not register with the browsers
#   GSTACK_RELEASE_URL=URL      location of the release files (default: the latest release)
#   GSTACK_BIN_DIR=DIR          where the program goes (default: ~/.local/bin)
#
# Exit codes: 0 installed, 1 failed and the existing program is untouched, 3 nothing to download: no published release, none
# for this machine, or none can be reached. Accepts only https, and http from 127.0.0.1. Runs nothing of a release before
# minisign or OpenSSL 3 has verified the signature of its manifest, which has the checksum of the archive.
#
# The braces make a shell that receives only a part of this file report a syntax error and run nothing.
{
set -eu

# packaging/release.sh fills these in from packaging/home.toml and Cargo.toml: where releases are, the minisign key that they
# are signed with, and the release of this script, which installs no older one.
address=''
key=''
own_version=''
# The release that must be installed, if only one will do.
exactly=''
url=
bin=${GSTACK_BIN_DIR:-$HOME/.local/bin}
# The Linux release needs at least this glibc; older systems get the static program.
least_glibc=2.28
stage=

say() { printf '%s\n' "$*"; }
give_up() { printf 'gstack: %s\n' "$*" >&2; exit 1; }
not_available() { printf 'gstack: %s\n' "$*" >&2; exit 3; }
build_it="Build it in a checkout: ./install/setup.sh"
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
    *) not_available "there is no release for $system on $machine. $build_it" ;;
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

# download NAME BLOCKS SECONDS: downloads a release file of at most that many blocks of 512 bytes, in that time, into the
# staging folder. Redirects obey the same rules as the first URL.
download() {
  case "$url" in
    https://*) scheme='=https' redirects=10 ;;
    http://127.0.0.1:* | http://127.0.0.1/*) scheme='=http' redirects=0 ;;
    *) give_up "GSTACK_RELEASE_URL is $url: only https is accepted." ;;
  esac
  # wget knows no limit, and older versions of curl none for a size that is not announced. A server may also send one byte
  # after the other for ever.
  if have curl; then
    (ulimit -f "$2" && curl -fsSL --proto "$scheme" --proto-redir "$scheme" --max-redirs "$redirects" --connect-timeout 20 \
      --speed-limit 1 --speed-time 60 --max-time "$3" --max-filesize 300000000 -o "$stage/$1" "$url/$1")
  elif have wget; then
    only=
    # wget 1.21 follows a redirect to http all the same, unless it must ask a proxy that is not there.
    if [ "$scheme" = '=https' ]; then only='--https-only -e use_proxy=on -e http_proxy=http://127.0.0.1:0/ -e no_proxy='; fi
    limit=
    if have timeout; then limit="timeout $3"; fi
    # shellcheck disable=SC2086
    (ulimit -f "$2" && $limit wget -q $only --max-redirect="$redirects" --timeout=60 --tries=2 -O "$stage/$1" "$url/$1")
  else
    give_up "curl or wget is needed for the download."
  fi
}

sha256() {
  if have sha256sum; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d' ' -f1
}

# value NAME FILE: prints one value of a home.toml.
value() { sed -n "s/^$1 = \"\([^\"]*\)\"\$/\1/p" "$2" | head -n 1; }

# Whether this openssl verifies Ed25519 signatures of files: version 3 does, LibreSSL does not.
openssl_verifies() {
  have openssl || return 1
  case "$(openssl version 2>/dev/null)" in "OpenSSL "[012].*) return 1 ;; "OpenSSL "*) return 0 ;; *) return 1 ;; esac
}

# decoded TEXT: decodes base64; fails if it is not base64.
decoded() { printf '%s' "$1" | openssl base64 -d -A; }

# part FROM COUNT: these bytes of standard input, counted from 1.
part() { tail -c "+$1" | head -c "$2"; }

# verify_with_openssl FILE: what minisign does (https://jedisct1.github.io/minisign/#signature-format). Line 2 of the
# signature is `ED`, the key's id and an Ed25519 signature of the file's BLAKE2b-512; line 4 signs that signature and the
# trusted comment of line 3.
verify_with_openssl() {
  at=$stage/verify
  mkdir -p "$at"
  line() { sed -n "$1p" "$stage/$2.minisig" | tr -d '\r'; }
  decoded "$key" >"$at/key" && decoded "$(line 2 "$1")" >"$at/signature" && decoded "$(line 4 "$1")" >"$at/global" || return 1
  [ "$(wc -c <"$at/key")" -eq 42 ] && [ "$(wc -c <"$at/signature")" -eq 74 ] && [ "$(wc -c <"$at/global")" -eq 64 ] || return 1
  # Only prehashed signatures, as in `gstack upgrade`.
  [ "$(part 1 2 <"$at/key")" = Ed ] && [ "$(part 1 2 <"$at/signature")" = ED ] || return 1
  part 3 8 <"$at/key" >"$at/key.id"
  part 3 8 <"$at/signature" >"$at/signature.id"
  cmp -s "$at/key.id" "$at/signature.id" || return 1
  part 11 64 <"$at/signature" >"$at/bare"
  # The fixed head of an Ed25519 public key in DER, in base64, before the key's 32 bytes.
  printf -- '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA%s\n-----END PUBLIC KEY-----\n' \
    "$(part 11 32 <"$at/key" | openssl base64 -A)" >"$at/key.pem"
  openssl dgst -blake2b512 -binary "$stage/$1" >"$at/hash" || return 1
  comment=$(line 3 "$1")
  case "$comment" in 'trusted comment: '*) ;; *) return 1 ;; esac
  { cat "$at/bare" && printf '%s' "${comment#trusted comment: }"; } >"$at/signed"
  signed_by_key "$at/hash" "$at/bare" && signed_by_key "$at/signed" "$at/global"
}

signed_by_key() { openssl pkeyutl -verify -pubin -inkey "$stage/verify/key.pem" -rawin -in "$1" -sigfile "$2" >/dev/null 2>&1; }

# verify FILE: whether a downloaded file has a valid signature beside it.
verify() {
  if have minisign; then
    # `-H`: no signatures of the older form.
    minisign -V -H -q -P "$key" -m "$stage/$1" -x "$stage/$1.minisig" >/dev/null 2>&1
  else
    verify_with_openssl "$1"
  fi
}

# Whether version $1 is older than version $2.
is_older() {
  [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -t. -k1,1n -k2,2n -k3,3n | head -n1)" = "$1" ]
}

# manifest: downloads and verifies release.json, the manifest that `gstack upgrade` reads too, and prints it on one line.
manifest() {
  { download release.json 2048 120 && download release.json.minisig 2048 120; } || not_available "the release at $url can't be downloaded."
  verify release.json || give_up "the signature of the release at $url is not valid. Nothing was installed."
  tr -d ' \n\r\t' <"$stage/release.json"
}

# check NAME SHA256: verifies a downloaded file against the manifest.
check() {
  wanted=$2
  found=$(sha256 "$stage/$1")
  [ "$found" = "$wanted" ] ||
    give_up "$1 is not what was released (its SHA-256 is $found, not $wanted). Nothing was installed; run this again."
}

# fetch: downloads, verifies and unpacks the release; prints the folder with the program.
fetch() {
  name="gstack-$(target)" || exit
  manifest=$(manifest) || exit
  offered=$(printf '%s' "$manifest" | sed -n 's/^{"version":"\([0-9.]*\)".*/\1/p')
  [ -n "$offered" ] || give_up "the release's manifest names no version."
  if [ -n "$exactly" ] && [ "$offered" != "$exactly" ]; then give_up "the release at $url is $offered instead of $exactly. Nothing was installed."; fi
  if [ -n "$own_version" ] && is_older "$offered" "$own_version"; then
    give_up "the release at $url is $offered, which is older than this script ($own_version). Nothing was installed."
  fi
  # A mirror could offer an older release with known holes, properly signed.
  there=$({ [ -x "$bin/gstack" ] && "$bin/gstack" --version </dev/null 2>/dev/null; } | sed -n 's/^gstack \([0-9]*\.[0-9]*\.[0-9]*\)$/\1/p') || there=
  if [ -z "$exactly" ] && [ -n "$there" ] && is_older "$offered" "$there"; then
    give_up "the release at $url is $offered, which is older than the gstack that is installed ($there). Nothing was installed."
  fi
  sum=$(printf '%s' "$manifest" | sed -n "s/.*\"file\":\"$name\.tar\.gz\",\"size\":[0-9]*,\"sha256\":\"\([0-9a-f]*\)\".*/\1/p")
  # Before the large file: a release without one for this machine is no reason to download anything.
  [ "${#sum}" -eq 64 ] || not_available "the release at $url has no $name.tar.gz."
  download "$name.tar.gz" 600000 3600 || give_up "$name.tar.gz can't be downloaded from $url. Nothing was installed; run this again."
  check "$name.tar.gz" "$sum"
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
      --release)
        [ $# -ge 3 ] || give_up "--release takes a home.toml and a version."
        address=$(value address "$2") key=$(value release-key "$2") exactly=$3
        shift 2
        ;;
      --no-register) register=no ;;
      -h | --help)
        say "install.sh [--from FOLDER | --release HOME.TOML VERSION] [--no-register]; GSTACK_RELEASE_URL and GSTACK_BIN_DIR set where it downloads from and where it installs."
        exit 0
        ;;
      *) give_up "unknown argument $1; see install.sh --help" ;;
    esac
    shift
  done
  case "$bin" in /*) ;; *) give_up "GSTACK_BIN_DIR must be an absolute path." ;; esac
  if [ -z "$from" ]; then
    { [ -n "$address" ] && [ -n "$key" ]; } || not_available "there is no published release of gstack to download. $build_it"
    have minisign || openssl_verifies ||
      not_available "minisign or OpenSSL 3 is needed to verify the release. Install one of them, or build gstack in a checkout: ./install/setup.sh --build"
    default_url=$address/releases/latest/download
    if [ -n "$exactly" ]; then default_url=$address/releases/download/v$exactly; fi
    url=${GSTACK_RELEASE_URL:-$default_url}
  fi
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
