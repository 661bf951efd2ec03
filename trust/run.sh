#!/usr/bin/env bash
# Runs trust.suite on the executables of build/trust and threads.suite on all deques, and says what they show.
# ./run.sh trust builds them first. "threads" or "itself" as the first word: only that suite.
set -u
cd "$(dirname "$0")/.." || exit 3
. harness/measured.sh
parts="itself threads"
case ${1-} in itself | threads) parts=$1 && shift ;; esac
worst=0

part() { # suite program [options]
  local suite=$1 program=$2 status run
  shift 2
  measured suite "trust/$suite.suite" "$@"
  status=$?
  { [ "$status" -eq 0 ] || [ "$status" -eq 4 ]; } && [ -n "$run" ] || exit "$status"
  plots/summarize.py "$run" && "trust/$program.py" "$run" || exit
  [ "$status" -eq 0 ] || worst=$status
}

for each in $parts; do
  case $each in
    itself) part trust trust --deques-in=build/trust "$@" ;;
    threads) part threads threads "$@" ;;
  esac
done
exit "$worst"
