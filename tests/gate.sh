#!/usr/bin/env bash
# gate.sh DEQUE: its checks. Exit 3: on a busy machine one came to no verdict, which is no failure.
cd "$(dirname "$0")/.." || exit 1
seconds=0.2
[ ! "${EVERYTHING-}" ] || seconds=0.4
said=$(build/stealbench check --seconds=$seconds "$1" 2>&1)
status=$?
printf '%s\n' "$said"
[ "$status" -ne 3 ] || ! grep -q 'could not be made' <<< "$said" || exit 1
exit "$status"
