# shellcheck shell=bash
# Where the time of a run went, and how its tests went. Sourced by tests/run.sh.
#
# $work/results has a line "STAGE NAME PASSED FAILED SECONDS" for each test, $work/phases one "SECONDS IDLE WORDS" for each
# phase of the run.

# Prints the time that the processors of this machine have worked and been idle, in ticks; nothing outside Linux.
processor_time() { awk '/^cpu / { print $2 + $3 + $4 + $7 + $8, $5 + $6 }' /proc/stat 2>/dev/null || true; }
# phase WORDS: ends the phase before it.
phase() {
  local now idle
  now=$(processor_time)
  if [ -n "${phase_words:-}" ]; then
    idle=$(printf '%s %s\n' "$phase_time" "$now" | awk 'NF == 4 && $3 + $4 > $1 + $2 { printf "%d %%", 100 * ($4 - $2) / ($3 + $4 - $1 - $2); next } { print "?" }')
    printf '| %s | %s | %s |\n' "$phase_words" "$((SECONDS - phase_began))" "$idle" >>"$work/phases"
  fi
  phase_words=$1 phase_began=$SECONDS phase_time=$now
}
# The times of a run, in Markdown.
times() {
  local lanes=$1
  printf '# Where the time of a test run goes\n\n'
  printf 'Written by `tests/run.sh --keep%s`. `tests/run.sh` starts the slowest tests first, by this table.\n\n' "${all:+ --all}"
  printf '%s, %s processors, %s lanes, %s min. Downloads: %s.\n\n' "$(date +%Y-%m-%d)" "$(processors)" "$lanes" "$(((SECONDS + 30) / 60))" "$downloaded"
  printf '| phase | seconds | processors idle |\n| --- | --- | --- |\n'
  cat "$work/phases"
  printf '\n| stage | tests | seconds |\n| --- | --- | --- |\n'
  awk '{ tests[$1] += $3 + $4; seconds[$1] += $5 } END { for (stage in tests) printf "| %s | %d | %d |\n", stage, tests[stage], seconds[stage] }' \
    "$work/results" | sort -t'|' -k4,4nr
  printf '\nThe slowest 20, which are %s of the %s seconds of all lanes:\n\n' \
    "$(sort -k5,5nr "$work/results" | head -n 20 | awk '{ sum += $5 } END { print sum + 0 }')" "$(awk '{ sum += $5 } END { print sum + 0 }' "$work/results")"
  printf '| seconds | stage | test |\n| --- | --- | --- |\n'
  sort -k5,5nr "$work/results" | awk 'NR <= 20 { printf "| %s | %s | %s |\n", $5, $1, $2 }'
}
processors() { getconf _NPROCESSORS_ONLN; }
# Prints what could not be tested, what failed and what passed only at its second try, and the sums. Fails if a test did.
outcome() {
  local passed failed flaky not_tested
  not_tested=$({ cat "$work/left_out"; grep -hE 'left out$|^SKIPPED ' "$work"/logs/*.log 2>/dev/null | grep -vE '^ *(#|(not )?ok )'; } | sort | uniq -c || true)
  if [ -n "$not_tested" ]; then printf '\nleft out on this machine:\n%s\n' "$not_tested"; fi
  if [ -s "$work/broken" ]; then printf '\nfailed twice:\n%s\n' "$(cat "$work/broken")"; fi
  flaky=$(wc -l <"$work/flaky")
  # What passed only at the second try has a race in it: each is a defect to find.
  if [ "$flaky" -gt 0 ]; then printf '\nflaky, passed only at the second try:\n%s\n' "$(cat "$work/flaky")"; fi
  read -r passed failed < <(awk '{ good += $3; bad += $4 } END { print good + 0, bad + 0 }' "$work/results")
  printf '\n%s passed, %s failed, %s flaky\n' "$passed" "$failed" "$((flaky))"
  # GSTACK_FLAKY=fail: on a machine that nobody else uses, a second try is a failure too.
  if [ "${GSTACK_FLAKY:-}" = fail ] && [ "$flaky" -gt 0 ]; then return 1; fi
  [ "$failed" -eq 0 ]
}
