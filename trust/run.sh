#!/usr/bin/env bash
# Runs trust.suite on the executables of build/trust and says what it shows. ./run.sh trust builds them first.
set -u
cd "$(dirname "$0")/.." || exit 3
build/stealbench suite trust/trust.suite --deques-in=build/trust "$@" || exit
run=$(cat build/last-run)
plots/summarize.py "$run" && trust/trust.py "$run"
