#!/usr/bin/env bash
# Builds what the tests need. A warning stops no build; here it is a failure. --all: with every deque's timed executables and
# checks under sanitizers, else with those of the tests' own examples; the others' code tests/compilers.sh compiles.
set -u
cd "$(dirname "$0")/.." || exit 3
timed=(deques/{abp,array,chase_lev,empty,lf_bulk,weir} build/deques/latency.1/{chase_lev,lf_bulk}
  build/deques/{latency,contention}/{as_published/abp,bwos_lifo,idempotent,locked,phanes,private})
checks=(plain_checks lab)
for deque in $(tests/deques.sh --sanitized); do checks+=(build/{address,thread}/"$deque"); done
[ ! "${EVERYTHING-}" ] || timed=(all) checks=(check_builds)
if said=$(setup/configure.py -k0 build/stealbench described "${timed[@]}" "${checks[@]}" tests trust_kinds 2>&1) &&
  ! grep -qE '^[^ ]+:[0-9]+:([0-9]+:)? warning:' <<< "$said"; then
  echo "1 passed, 0 failed"
  exit 0
fi
grep -E 'warning:|error:|^FAILED: |^lab: |undefined reference|the shell cannot read' <<< "$said" || echo "$said"
echo "0 passed, 1 failed"
exit 1
