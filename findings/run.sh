#!/usr/bin/env bash
# Runs findings, one after the other, and prints which changed.
#
#   findings/run.sh            all of them
#   findings/run.sh NAME…      only these
#   findings/run.sh --check    runs none: compares the scripts, their heads and the tables of README.md
# Exits with 1 if a finding changed, with 2 if one could not run.
set -euo pipefail
cd "$(dirname "$0")"

names() { for file in *.sh; do case "$file" in run.sh | lib.sh) ;; *) echo "${file%.sh}" ;; esac; done; }
rows() { sed -n 's/^| \[\([^]]*\)\](\([^)]*\)\.sh) |.*/\1 \2/p' README.md; }

check() {
  local bad=0 name link listed
  # Read whole: a pipe that `grep -q` closes early would fail.
  listed=$(rows)
  complain() { echo "$*" >&2; bad=1; }
  while read -r name link; do
    [ "$name" = "$link" ] || complain "README.md: the row of $name links to $link.sh"
    [ -f "$link.sh" ] || complain "README.md: $link has a row but no script"
  done <<<"$listed"
  for name in $(cut -d' ' -f1 <<<"$listed" | sort | uniq -d); do complain "README.md: $name has two rows"; done
  for name in $(names); do
    grep -q "^$name " <<<"$listed" || complain "$name.sh has no row in README.md"
    [ -x "$name.sh" ] || complain "$name.sh is not executable"
    for part in Packages Guess Seen Matters; do
      grep -q "^# $part: ." "$name.sh" || complain "$name.sh: the head has no line \"# $part: …\""
    done
    for line in 'set -euo pipefail' '. "$(dirname "$0")/lib.sh"' 'finish'; do
      grep -qxF "$line" "$name.sh" || complain "$name.sh has no line: $line"
    done
  done
  return "$bad"
}

case "${1:-}" in
  --check) check && echo "$(names | wc -l) findings, each with its row"; exit ;;
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' run.sh; exit 0 ;;
esac
wanted=("$@")
[ "$#" -gt 0 ] || mapfile -t wanted < <(names)
[ "${#wanted[@]}" -gt 0 ] || { echo "there are no findings" >&2; exit 2; }
same=() changed=() unable=()
for name in "${wanted[@]}"; do
  [ -f "$name.sh" ] || { echo "no finding is named $name" >&2; exit 2; }
  echo "== $name"
  status=0
  "./$name.sh" || status=$?
  case "$status" in 0) same+=("$name") ;; 1) changed+=("$name") ;; *) unable+=("$name ($status)") ;; esac
done
echo
printf 'as stated: %s\n' "${#same[@]}"
[ "${#changed[@]}" -eq 0 ] || printf 'changed: %s\n' "${changed[@]}"
[ "${#unable[@]}" -eq 0 ] || printf 'could not run: %s\n' "${unable[@]}"
[ "${#changed[@]}" -eq 0 ] || exit 1
[ "${#unable[@]}" -eq 0 ] || exit 2
