#!/usr/bin/env bash
# fidelity.sh [--gate] [--mapping=FILE] [OPTION...]: measures each port and its original in turns (fidelity.txt), the contended cases in
# a second run as well, and says what the port costs by the original. Other options go to the driver (--invocations=N,
# --minimum-time=S, --resume; with --only=TAG there is no second run). ./run.sh fidelity builds first.
set -u
cd "$(dirname "$0")/.." || exit 3
build=${BUILD:-build}
mapping=trust/fidelity.txt
judging=()
measuring=()
twice=1
for argument in "$@"; do
  case "$argument" in
    --gate) judging+=("$argument") ;;
    --mapping=*) mapping=${argument#*=} ;;
    *) measuring+=("$argument") ;;
  esac
  case "$argument" in --only=*) twice=0 ;; esac
done

. harness/measured.sh
# Measures a suite; its run is then in $run. A cell that crashed or is impossible here is a row without a value.
measure() {
  local status
  measured suite "$1" ${measuring[@]+"${measuring[@]}"}
  status=$?
  case "$status" in 0 | 3 | 4) ;; *) exit "$status" ;; esac
  [ -n "$run" ] || exit 3
  [ "$status" -eq 0 ] || worst=$status
}

worst=0
trust/fidelity.py --mapping="$mapping" suite "$build/deques" > "$build/fidelity.suite" || exit
trust/fidelity.py --mapping="$mapping" suite "$build/deques" --contended > "$build/fidelity_again.suite" || exit
measure "$build/fidelity.suite"
first=$run
again=''
if [ "$twice" -eq 1 ] && [ -s "$build/fidelity_again.suite" ]; then
  measure "$build/fidelity_again.suite"
  again=$run
fi
plots/summarize.py "$first" > /dev/null || exit
trust/fidelity.py --mapping="$mapping" judge "$build/deques" "$first" ${again:+"$again"} ${judging[@]+"${judging[@]}"} || exit
exit "$worst"
