# shellcheck shell=bash
# Runs tests side by side. A lane takes the next test from a queue that all lanes share; the slowest come first, so that
# none is still running when the others are done. Sourced by tests/run.sh, which sets root and work.
#
# A test is a stage and a name: a file of Node's test runner, a program of Rust tests, or one of two checks.

# add STAGE NAME…: puts tests into the queue. tests/slowest.md says which are slow.
add() {
  local stage=$1 name seconds
  shift
  wants "$stage" || return 0
  # Without the program, only what does not run it is left.
  case "$stage" in
    lint | types | extension) ;;
    *) [ -n "$is_built" ] || return 0 ;;
  esac
  for name in "$@"; do
    queued=$((queued + 1))
    seconds=$(awk -F' *[|] *' -v name="$name" '$4 == name { print int($2) }' "$root/tests/slowest.md" 2>/dev/null || true)
    printf '%s %s\n' "$stage" "$name" >"$work/queue/$(printf '%05d-%04d' $((99999 - ${seconds:-0})) "$queued")"
  done
}
queued=0 is_built=yes

# Format and lints of every script (biome.jsonc says which files and rules), and the length of its lines.
script_lints() {
  local status=0
  tests/extension/node_modules/.bin/biome ci --colors=off --error-on-warnings . || status=1
  node tests/line-lengths.mjs || status=1
  return "$status"
}
# The extension, and the scripts that run in pages: both as strict.
type_checks() {
  local project status=0
  for project in extension src/browser/injected; do tests/extension/node_modules/.bin/tsc --noEmit -p "$project/jsconfig.json" || status=1; done
  node tests/shadowed.mjs || status=1
  return "$status"
}
# rust_program NAME ARGUMENT…: as cargo runs it, in the folder of its package. It takes the place of its subshell, so that
# ending that ends it.
rust_program() {
  local folder program
  IFS=$'\t' read -r _ folder program < <(grep "^$1$(printf '\t')" "$work/programs")
  cd "$folder" && CARGO_MANIFEST_DIR=$folder exec "$program" "${@:2}"
}
# watched LOG COMMAND ARGUMENT…: runs it with its output in LOG, and ends it once it prints nothing for minutes: every
# test prints its end, and none takes so long.
watched() {
  local log=$1 running watcher status=0
  "${@:2}" >"$log" 2>&1 &
  running=$!
  while sleep 5; do
    [ -z "$(find "$log" -mmin "+${GSTACK_TEST_LONG:+1}5")" ] || { echo 'ended: a test hangs' >>"$log"; kill -KILL "$running"; break; }
  done &
  watcher=$!
  wait "$running" || status=$?
  kill "$watcher" 2>/dev/null || true
  return "$status"
}
# not_passed NAME LOG: the tests of a program that a log does not show as passed: they failed, hung, or never began.
not_passed() {
  comm -23 <(rust_program "$1" --list --format terse | sed -n 's/: test$//p' | sort) \
    <(sed -n 's/^test \([^ ]*\)\( - [^.]*\)* \.\.\. \(ok\|ok <.*>\|ignored.*\)$/\1/p' "$2" | sort)
}
# nightly NAME: the option that also runs the tests which a Rust program leaves to the night.
nightly() { if [ -n "${GSTACK_TEST_LONG:-}" ] && grep -rqs 'ignore = "every night"' "$root/tests/$1"; then echo --include-ignored; fi; }
# run_test STAGE NAME LOG ARGUMENT…: no file of tests takes as long as the limit, also on a busy machine.
run_test() {
  local limit=900000
  case "$1" in
    rust) watched "$3" rust_program "$2" $(nightly "$2") "${@:4}" ;;
    # All agents, one after the other.
    *) [[ $2 == tests/agent_matrix/* ]] && limit=2700000
      node --test --test-timeout="$limit" --test-reporter=tap "$2" >"$3" 2>&1 ;;
  esac
}
# count STAGE LOG: prints "PASSED FAILED" from the summaries in a log.
count() {
  case "$1" in
    rust) awk '/^test result:/ { good += $4; bad += $6 } END { print good + 0, bad + 0 }' "$2" ;;
    *) awk '/^# pass / { good += $3 } /^# (fail|cancelled) / { bad += $3 } END { print good + 0, bad + 0 }' "$2" ;;
  esac
}
# shown WORDS LOG: prints a whole log, one lane at a time.
shown() {
  until mkdir "$work/printing" 2>/dev/null; do sleep 0.1; done
  printf '\n== %s:\n' "$1"
  cat "$2"
  printf '== the end of this output\n\n'
  rmdir "$work/printing"
}
# Runs a check, and shows its whole output if it fails.
run_check() {
  local stage=$1 began=$SECONDS status=0 log=$work/logs/$1.log
  shift
  "$@" >"$log" 2>&1 || status=$?
  if [ "$status" -ne 0 ]; then shown "$stage failed" "$log"; fi
  written_down "$stage" "$stage" "$((status == 0))" "$((status != 0))" "$((SECONDS - began))"
  say "$stage: $([ "$status" -eq 0 ] && echo passed || echo FAILED), $((SECONDS - began)) s"
  return "$status"
}
# Runs a test and writes down how it went. One that fails is shown with its whole output and runs once more: a machine
# that stalls for half a minute must not look like a defect, and a defect fails twice. Of a Rust program only the tests
# run again that have not passed.
test_once_or_twice() {
  local stage=$1 name=$2 log again status=0 word=passed began=$SECONDS good bad more failed=() one
  log=$work/logs/$stage-${name//\//-}.log
  run_test "$stage" "$name" "$log" || status=$?
  read -r good bad < <(count "$stage" "$log")
  if [ "$status" -ne 0 ]; then
    again=${log%.log}.again.log
    shown "$name failed and runs once more. The whole output of its first run" "$log"
    status=0
    if [ "$stage" = rust ]; then
      while read -r one; do failed+=("$one"); done < <(not_passed "$name" "$log")
      run_test rust "$name" "$again" --exact ${failed[@]+"${failed[@]}"} || status=$?
      # A second run that ran no test proves nothing.
      grep -qE '^test result: ok\. [1-9]' "$again" || status=1
      read -r more bad < <(count "$stage" "$again")
      good=$(($(grep -cE '^test .* \.\.\. ok( <.*>)?$' "$log") + more))
    else
      run_test "$stage" "$name" "$again" || status=$?
      read -r good bad < <(count "$stage" "$again")
    fi
    if [ "$status" -eq 0 ]; then
      word='passed at the second try'
      echo "$name" >>"$work/flaky"
    else
      word=FAILED
      echo "$name" >>"$work/broken"
      # A run that failed without a failed test (a crash) is one failure.
      if [ "$bad" -eq 0 ]; then bad=1; fi
      shown "$name failed twice. The whole output of its second run" "$again"
    fi
  fi
  written_down "$stage" "$name" "$good" "$bad" "$((SECONDS - began))"
  say "$name: $word, $((SECONDS - began)) s"
}
written_down() { printf '%s %s %s %s %s\n' "$@" >>"$work/results"; }

# Whoever moves an entry out of the queue has it.
lane() {
  local entry taken stage name
  for entry in "$work"/queue/*; do
    taken=$work/taken/${entry##*/}
    mv "$entry" "$taken" 2>/dev/null || continue
    read -r stage name <"$taken"
    case "$stage" in
      lint) run_check lint script_lints || true ;;
      types) run_check types type_checks || true ;;
      *) test_once_or_twice "$stage" "$name" ;;
    esac
  done
}
# run_lanes N: returns when the queue is empty and every test has ended. One that a broken lane has left without a result
# is a failure.
run_lanes() {
  local n running=() stage name
  for ((n = 0; n < $1; n++)); do
    lane &
    running+=("$!")
  done
  wait "${running[@]}" || true
  while read -r stage name; do
    grep -q "^$stage $name " "$work/results" && continue
    say "$name did not end"
    echo "$name" >>"$work/broken"
    written_down "$stage" "$name" 0 1 0
  done < <(cat "$work"/queue/* "$work"/taken/* 2>/dev/null)
}
