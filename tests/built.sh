#!/usr/bin/env bash
# Builds what the tests need. A warning stops no build; here it is a failure. --all: with every deque's timed executables and all
# checks, else with those that the tests run: each deque's plain checks and lab, the pool's over a deque of each kind that
# proof/planted_faults/pool.txt needs, sanitizers for tests/deques.sh --sanitized. The others' code tests/compilers.sh compiles.
set -u
cd "$(dirname "$0")/.." || exit 3
timed=(deques/chase_lev build/deques/latency.1/{chase_lev,lf_bulk} build/deques/latency/{abp,array,bwos_lifo,lf_bulk,phanes,weir}
  build/deques/contention/{array,as_published/abp,bwos_lifo,idempotent,lf_bulk,locked,private,weir}
  build/deques/{duplicates,walk}/{empty,lf_bulk,weir})
checks=(original_checks build/pool_checks/{bwos_lifo,locked,multiplicity,private,steal_half,tokio})
for deque in $(tests/deques.sh --checked); do checks+=("plain_checks/$deque" "lab/$deque"); done
for deque in $(tests/deques.sh --sanitized); do checks+=(build/{address,thread,pool_checks}/"$deque"); done
[ ! "${EVERYTHING-}" ] || timed=(all) checks=(check_builds)
if said=$(setup/configure.py -k0 build/stealbench described "${timed[@]}" "${checks[@]}" tests trust_kinds 2>&1) &&
  ! grep -qE '^[^ ]+:[0-9]+:([0-9]+:)? warning:' <<< "$said"; then
  echo "1 passed, 0 failed"
  exit 0
fi
grep -E 'warning:|error:|^FAILED: |^lab: |undefined reference|the shell cannot read' <<< "$said" || echo "$said"
echo "0 passed, 1 failed"
exit 1
