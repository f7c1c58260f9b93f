#!/usr/bin/env bash
# From a bare machine to all tests. Ends with one line: `N passed, N failed`.
set -uo pipefail

usage() {
  cat <<'EOF'
usage: scripts/test.sh [STEP…]

Runs the given steps, or all of them in this order:
  layout  layer table, catalogue of diagnostics, formatting
  asan    clang, address and undefined-behaviour sanitizers: tool and simulator
  tsan    clang, thread sanitizer: simulator
  tidy    clang-tidy, warnings are errors
  torch   gcc, everything: unit tests again, the real torch_npu, generated bindings, examples end to end
Not among them, for what takes minutes (before a release, and after a change of what they look at):
  long    behind torch: variants of prove, 64 PEs and the full plan, killed workers, a tree by hand, the in-tree
          mode, torchrun, reductions, bindings with faults
Logs lie in out/log/. Set-up (scripts/setup.sh) runs first.
EOF
}
case "${1:-}" in --help | -h) usage; exit 0 ;; esac

cd "$(dirname "${BASH_SOURCE[0]}")/.."
log=out/log
mkdir -p "$log"
passed=0
failed=0
broken=()

# One check that is not a ctest test: counts as one.
check() {
  local name=$1
  shift
  if "$@" >"$log/$name.log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    broken+=("$name (out/log/$name.log)")
    tail -n 40 "$log/$name.log"
  fi
}

# Builds a preset and runs its tests, those that take minutes or the others; every ctest test counts.
run_preset() {
  local preset=$1 targets=${2:-all} which=${3:--LE}
  local started=$SECONDS
  check "$preset-configure" cmake --preset "$preset" --log-level=WARNING
  check "$preset-build" cmake --build --preset "$preset" -j "$(nproc)" --target $targets
  ctest --preset "$preset" "$which" '^long$' -j "$(nproc)" --output-junit "$PWD/$log/$preset.xml" >"$log/$preset-test.log" 2>&1
  local counts
  counts=$(python3 scripts/count_tests.py "$log/$preset.xml" "$log/$preset-test.log")
  set -- $counts
  passed=$((passed + $1))
  failed=$((failed + $2))
  if [ "$2" -ne 0 ]; then
    broken+=("$preset: $2 tests (out/log/$preset-test.log)")
    grep -E '\*\*\*|Failed|Timeout' "$log/$preset-test.log" | tail -n 40
  fi
  printf '== %-7s %s passed, %s failed, %s skipped, %d s\n' "$preset" "$1" "$2" "$3" $((SECONDS - started))
}

run_step() {
  printf '== %s\n' "$1"
  case "$1" in
    layout)
      check layers python3 tests/layout/check_layers.py
      check rules python3 tests/layout/check_rules.py
      check known_bugs python3 tests/layout/check_known_bugs.py
      check failure_classes python3 tests/layout/check_failure_classes.py
      check format scripts/check_format.sh ;;
    asan) run_preset asan ;;
    tsan) run_preset tsan sim_tests ;;
    tidy)
      check tidy-configure cmake --preset tidy --log-level=WARNING
      check tidy scripts/check_tidy.sh out/tidy ;;
    torch) run_preset torch ;;
    long) run_preset torch all -L ;;
    *) usage >&2; exit 2 ;;
  esac
}

scripts/setup.sh || exit 1
steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(layout asan tsan tidy torch)
for step in "${steps[@]}"; do run_step "$step"; done

printf '\n%d s\n' "$SECONDS"
for item in "${broken[@]:-}"; do [ -n "$item" ] && printf 'FAILED: %s\n' "$item"; done
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ]
