#!/usr/bin/env bash
# deques.sh: prints the deques of queues/, one a line.
#
#   tests/deques.sh [--sanitized]     those that the tests also check under sanitizers
#
# With --all (EVERYTHING) sanitizers see all deques; else one of each kind, and those whose headers differ from origin's main
# branch (there, and without an origin: from the commit before). The others are checked plain and in the lab, which sees races too.
cd "$(dirname "$0")/.." || exit 3
base() {
  local since
  since=$({ git merge-base HEAD origin/HEAD || git merge-base HEAD origin/main; } 2> /dev/null)
  if [ "$since" ] && [ "$since" != "$(git rev-parse HEAD)" ]; then echo "$since"; else echo HEAD~1; fi
}
{
  if [ "${1-}" != --sanitized ] || [ "${EVERYTHING-}" ]; then find queues -name '*.h'; else
    # atomic slots and growth, intrusive, blocks
    printf 'queues/%s.h\n' chase_lev lf_bulk weir
    git diff --name-only --diff-filter=d "$(base)" -- queues 2> /dev/null
  fi
} | sed -n 's/^queues\/\(.*\)\.h$/\1/p' | grep -vxE 'deque|(parts|upstream|adopted)/.*' | sort -u
