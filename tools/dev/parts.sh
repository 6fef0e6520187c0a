# Runs all parts of a verb one after another, even if one fails, and adds up their results.
# shellcheck shell=bash

results=build/results/parts.tsv
failures=build/results/failures.txt
runner_log=build/results/runner.log

open_results() { mkdir -p build/results && : >"$results" && : >"$failures"; }

# part NAME COMMAND…: runs the command, which sets passed, failed and skipped, and shows its output.
part() {
  local name=$1 passed=0 failed=0 skipped=0 begin=$EPOCHREALTIME
  shift
  say "$name"
  "$@" || failed=$((failed > 0 ? failed : 1))
  if ((failed > 0)); then keep_failures "$name"; fi
  rm -f "$runner_log"
  printf '%s\t%s\t%d\t%d\t%d\n' "$name" \
    "$(awk -v a="$begin" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')" \
    "$passed" "$failed" "$skipped" >>"$results"
}

# beside NAME COMMAND…: a part that keeps one core busy runs while the next parts do. Its output and
# its results appear with joined().
beside() {
  local to=build/results/beside
  local results=$to/parts.tsv failures=$to/failures.txt runner_log=$to/runner.log
  mkdir -p "$to" && : >"$results" && : >"$failures"
  part "$@" &>"$to/log" &
  beside_process=$!
}

joined() {
  # Its results say what failed, unless it was killed.
  wait "$beside_process" || printf 'what ran beside was killed\t0\t0\t1\t0\n' >>"$results"
  cat build/results/beside/log
  cat build/results/beside/parts.tsv >>"$results"
  cat build/results/beside/failures.txt >>"$failures"
}

# The commands of parts. Each reads the counts from the test runner's output. A runner that reports
# no test counts as a failure.
counted_as_one() { if "$@"; then passed=1; else failed=1; fi; }

# keep_failures PART: what the part's runner printed of each failed test, at most 25 lines each. The
# runner is ctest, cargo test or node's.
keep_failures() {
  printf '\n== failed: %s\n' "$1" >>"$failures"
  if [[ ! -f $runner_log ]]; then return; fi
  awk '
    /^ *[0-9]+\/[0-9]+ Test +#|^ +Start +[0-9]+:|^(not )?ok |^test result:|^[0-9]+% tests/ { left = 0 }
    /^ *[0-9]+\/[0-9]+ Test +#.*(\*\*\*|Not Run)|^---- .* ----$|^not ok / { left = 25 }
    /\*\*\*Skipped|\(Disabled\)/ { left = 0 }
    left-- > 0' "$runner_log" >>"$failures"
}

# counted_by PASS FAIL COMMAND…: adds up the numbers that the two patterns find in the output.
counted_by() {
  local pass=$1 fail=$2 status=0
  shift 2
  "$@" 2>&1 | tee "$runner_log" || status=1
  passed=$(sum_of "$pass" "$runner_log") failed=$(sum_of "$fail" "$runner_log")
  if ((failed == 0 && (status != 0 || passed == 0))); then failed=1; fi
}

count_of() { grep -cE "$1" "$2" || true; }
sum_of() { { grep -oP "$1" "$2" || true; } | awk '{ n += $1 } END { print n + 0 }'; }

# counted_by_ctest PRESET ARGUMENTS…: builds the preset and runs the tests that ctest selects.
counted_by_ctest() {
  if build_preset "$1"; then run_ctest "$@"; else failed=1; fi
}

# counted_by_targets PRESET LABEL TARGETS…: builds the targets and runs the tests with the label.
counted_by_targets() {
  if build_preset "$1" "${@:3}"; then run_ctest "$1" -L "$2"; else failed=1; fi
}

run_ctest() {
  local preset=$1 report=$PWD/build/results/ctest.xml status=0
  shift
  rm -f "$report"
  nice -n 5 ctest --test-dir "build/$preset" -j "$(jobs)" --timeout 600 --output-on-failure \
    --no-tests=error --output-junit "$report" "$@" 2>&1 | tee "$runner_log" || status=1
  # A test whose program is missing is also "not run", but the test did not choose to be skipped.
  passed=$(count_of '^\s*<testcase .* status="run"' "$report")
  skipped=$(count_of '^\s*<skipped message="SKIP_|^\s*<testcase .* status="disabled"' "$report")
  failed=$(($(count_of '^\s*<testcase ' "$report") - passed - skipped))
  if ((failed == 0 && status != 0)); then failed=1; fi
  if ((failed > 0)); then repeat_those_of_the_machine "$preset" "$report"; fi
}

# What tests with these labels find depends on the load of the machine, its memory and the package
# registries. They may fail once; no other test may.
of_the_machine='^(bench|workload|consume)$'

# repeat_those_of_the_machine PRESET REPORT: repeats such tests that failed, alone, and counts those
# that pass. The results name them.
repeat_those_of_the_machine() {
  local preset=$1 report=$2 names again=${2%.xml}.again.xml
  names=$(grep -oP '^\s*<testcase name="\K[^"]*(?=".* status="fail")' "$report" | sed 's/[.]/[.]/g' |
    paste -sd '|')
  if [[ -z $names ]]; then return; fi
  nice -n 5 ctest --test-dir "build/$preset" --timeout 600 --output-on-failure \
    --output-junit "$again" -L "$of_the_machine" -R "^($names)\$" 2>&1 | tee -a "$runner_log" || true
  local repeated
  repeated=$(count_of '^\s*<testcase .* status="run"' "$again")
  if ((repeated == 0)); then return; fi
  passed=$((passed + repeated)) failed=$((failed - repeated))
  keep_failures "$preset: $repeated of these passed when they were repeated"
}

# close_results: prints what failed, the table, each part's share of the time, and the total as the
# last line.
close_results() {
  cat "$failures"
  awk -F'\t' '
    { name[NR] = $1; t[NR] = $2; p[NR] = $3; f[NR] = $4; s[NR] = $5
      time += $2; passed += $3; failed += $4; skipped += $5 }
    END {
      printf "\n%-28s %8s %6s %7s %7s %8s\n", "part", "seconds", "share", "passed", "failed", "skipped"
      for (i = 1; i <= NR; i++)
        printf "%-28s %8.1f %5.1f%% %7d %7d %8d\n", name[i], t[i], time ? 100 * t[i] / time : 0, \
               p[i], f[i], s[i]
      printf "%-28s %8.1f %5.1f%% %7d %7d %8d\n\n", "total", time, 100, passed, failed, skipped
      printf "%d passed, %d failed\n", passed, failed
      exit failed > 0 || passed == 0
    }' "$results"
}
