#!/usr/bin/env bash
# Runs peers.suite on our executables and those of build/runtimes, and prints the ratios. ./run.sh peers builds both first.
# A peer that is not there is said and left out. Options go to the driver (--only, --invocations, --resume).
set -u
cd "$(dirname "$0")/.." || exit 3
build=${BUILD:-build}
together=$build/runtimes_and_deques
rm -rf "$together" && mkdir -p "$together" || exit 4
for executable in "$build"/deques/* "$build"/runtimes/*; do
  [ -f "$executable" ] && ln -s "$(realpath "$executable")" "$together/"
done

# The suite without the peers that are not here; a line of which none is left goes.
suite=$build/runtimes.suite
/usr/bin/python3 runtimes/suite_here.py runtimes/peers.suite "$together" > "$suite" || exit
. harness/measured.sh
measured suite "$suite" --deques-in="$together" "$@"
status=$?
case "$status" in 0 | 4) ;; *) exit "$status" ;; esac
[ -n "$run" ] || exit "$status"
plots/summarize.py "$run" && runtimes/peers.py "$run" || exit
exit "$status"
