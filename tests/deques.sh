#!/usr/bin/env bash
# deques.sh: prints the deques of queues/, one a line.
#
#   tests/deques.sh [--checked|--sanitized]   those that the tests check: plain and in the lab, which sees races too, or under
#                                             sanitizers
#
# With --all (EVERYTHING) all deques; else all but the listings that are wrong, which planted_faults has, or one of each kind; and those
# whose headers differ from origin's main branch (there, and without an origin: from the commit before).
cd "$(dirname "$0")/.." || exit 3
base() {
  local since
  since=$({ git merge-base HEAD origin/HEAD || git merge-base HEAD origin/main; } 2> /dev/null)
  if [ "$since" ] && [ "$since" != "$(git rev-parse HEAD)" ]; then echo "$since"; else echo HEAD~1; fi
}
{
  case ${EVERYTHING:+all}${1-} in
    --checked) printf '%s\n' queues/*.h ;;
    --sanitized) printf 'queues/%s.h\n' chase_lev lf_bulk weir ;; # atomic slots and growth, intrusive, blocks
    *) find queues -name '*.h' ;;
  esac
  [ ! "${1-}" ] || git diff --name-only --diff-filter=d "$(base)" -- queues 2> /dev/null
} | sed -n 's/^queues\/\(.*\)\.h$/\1/p' | grep -vxE 'deque|(parts|upstream|adopted)/.*' | sort -u
