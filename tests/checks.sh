#!/usr/bin/env bash
# checks.sh DEQUE: its checks. Exit 3: on a busy machine one came to no verdict, which is no failure. A missing build is one, but
# for sanitizers' builds of deques that tests/deques.sh --sanitized does not name.
cd "$(dirname "$0")/.." || exit 1
seconds=0.1
[ ! "${EVERYTHING-}" ] || seconds=0.4
[[ $1 != as_* ]] || seconds=1.2 # their faults must be found, on a busy machine, too
said=$(build/stealbench check --seconds=$seconds "$1" 2>&1)
status=$?
# Positions that cannot be moved are only reached by as many items.
if [ "${EVERYTHING-}" ] && [[ $said == *"first_index is ignored"* ]]; then
  said+=$'\n'$("build/checks/$1" --check conformance --seconds=60) || status=1
fi
tests/deques.sh --sanitized | grep -qx -- "$1" ||
  said=$(grep -vE '^missing .* (address and undefined|thread) +this build is not there' <<< "$said")
printf '%s\n' "$said"
[ "$status" -eq 3 ] || exit "$status"
! grep -q '^missing ' <<< "$said" || exit 1
! grep -q '^no verdict ' <<< "$said" || exit 3
