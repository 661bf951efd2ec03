#!/usr/bin/env bash
# Runs trust.suite on the executables of build/trust and says what it shows. ./run.sh trust builds them first.
set -u
cd "$(dirname "$0")/.." || exit 3
. harness/measured.sh
measured suite trust/trust.suite --deques-in=build/trust "$@"
status=$?
{ [ "$status" -eq 0 ] || [ "$status" -eq 4 ]; } && [ -n "$run" ] || exit "$status"
plots/summarize.py "$run" && trust/trust.py "$run" || exit
exit "$status"
