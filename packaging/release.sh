#!/usr/bin/env bash
# Makes everything that a release consists of, in one folder, and publishes nothing.
#
#   packaging/release.sh                          builds for this machine, then makes all that can be made of it
#   packaging/release.sh --build TARGET…          builds for these targets instead (others than this machine's: cargo-zigbuild)
#   packaging/release.sh --binary TARGET=FILE…    takes programs that were built elsewhere
#   packaging/release.sh --build-only TARGET      builds one program and prints its path
#   --out DIR                                     where it goes (default: dist)
#   --home FILE                                   address, names and key of the release (default: packaging/home.toml)
#
# In the folder: an archive for each target, a .deb for each glibc target, the extension's zip, an SBOM, release.json (what
# `gstack upgrade` and install.sh read) and SHA256SUMS. If packaging/home.toml says where gstack is published, also install.sh,
# the Homebrew formula, the PKGBUILD, and for the names that it has the npm packages and server.json. If
# MINISIGN_SECRET_KEY_FILE names a minisign key, release.json and SHA256SUMS are signed with it.
#
# The same commit gives the same bytes: times come from SOURCE_DATE_EPOCH (default: the commit's), paths of the machine are
# mapped away. The same program needs the same Rust and the same linker.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exec </dev/null
say() { printf '%s\n' "$*" >&2; }
give_up() { printf 'release: %s\n' "$*" >&2; exit 1; }

# The Linux programs start with this glibc and newer ones; install/install.sh and the .deb ask for it.
glibc=2.28
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C

host() { rustc -vV | sed -n 's/^host: //p'; }

# build TARGET: prints the program's path.
build() {
  local target=$1 suffix="" tool=build
  local cargo_home=${CARGO_HOME:-$HOME/.cargo}
  if [[ $target == *-linux-* ]] && cargo zigbuild --help >/dev/null 2>&1; then
    tool=zigbuild
    if [[ $target == *-gnu ]]; then suffix=.$glibc; fi
  elif [ "$target" != "$(host)" ] && [ "$(uname)" = Linux ]; then
    give_up "building for $target here needs cargo-zigbuild (pip install cargo-zigbuild ziglang) and rustup target add $target"
  fi
  # The longest path last: rustc takes the last that fits.
  GSTACK_FOR_OTHER_MACHINES=1 RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$(rustc --print sysroot)=/rust --remap-path-prefix=$root=/gstack" \
    cargo "$tool" --profile dist --locked --manifest-path "$root/Cargo.toml" --target "$target$suffix" >&2
  echo "${CARGO_TARGET_DIR:-$root/target}/$target/dist/gstack"
}

out=$root/dist home=$root/packaging/home.toml
targets=() binaries=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build) targets+=("$2"); shift 2 ;;
    --binary) binaries+=("$2"); shift 2 ;;
    --build-only) build "$2"; exit ;;
    --out) out=$2; shift 2 ;;
    --home) home=$2; shift 2 ;;
    -h | --help) sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) give_up "unknown argument $1; see packaging/release.sh --help" ;;
  esac
done
if [ "${#targets[@]}" -eq 0 ] && [ "${#binaries[@]}" -eq 0 ]; then targets=("$(host)"); fi
for target in ${targets[@]+"${targets[@]}"}; do
  file=$(build "$target")
  binaries+=("$target=$file")
done

rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
node "$root/packaging/lib/make.mjs" --root "$root" --home "$home" --out "$out" --work "$work" --glibc "$glibc" "${binaries[@]}"

if [ -n "${MINISIGN_SECRET_KEY_FILE:-}" ]; then
  # A prehashed signature, which names the version: an older release can't be passed off as this one.
  for name in release.json SHA256SUMS; do
    minisign -S -s "$MINISIGN_SECRET_KEY_FILE" -m "$out/$name" -t "gstack $(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n1)" <<<"${MINISIGN_PASSWORD:-}" >&2
  done
else
  say "Not signed: MINISIGN_SECRET_KEY_FILE is not set. install.sh and gstack upgrade accept signed releases only."
fi
(cd "$out" && find . -type f | sort | sed 's|^\./||') >&2
