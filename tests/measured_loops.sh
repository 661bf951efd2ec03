#!/usr/bin/env bash
# Lists the calls left in the machine code of the measured loops, and fails on a call to a deque's operation: a call
# doubled the cost of pop. Calls to slow paths (growth), to the C library and to a lock are listed and allowed.
#
#   tests/measured_loops.sh [EXECUTABLE...]      default: every deque below build/deques
set -u
cd "$(dirname "$0")/.." || exit 3
command -v objdump >/dev/null || { echo "objdump is missing: apt-get install binutils"; exit 3; }
if [ $# -gt 0 ]; then executables=("$@"); else
  mapfile -t executables < <(find build/deques -type f -perm -u+x | sort)
fi
passed=0 failed=0
for executable in "${executables[@]}"; do
  # one line a call: the loop it is in, and where it goes; compilers name parts of a function NAME.part.0, NAME.cold
  calls=$(objdump -d --no-show-raw-insn "$executable" | awk '
    /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); inside = name ~ /^measured_/; if (inside) loops++ }
    inside && $2 ~ /^call/ { target = $0; sub(/.*call[a-z]* */, "", target); print name " -> " target }
    END { print "loops " loops + 0 }')
  loops=$(sed -n 's/^loops //p' <<<"$calls")
  calls=$(grep -v '^loops ' <<<"$calls" | sort -u)
  # ours by name; those of the live originals (queues/peers) by what C++ and Rust make of theirs
  operations=$(grep -E -- '-> .*<?((deque|peer)_(push|pop|steal|poll)|_ZNK?[^>]*([Pp]ush|[Pp]op|steal))[a-z_]*' <<<"$calls")
  [ -n "$calls" ] && printf '%s:\n  %s\n' "$executable" "${calls//$'\n'/$'\n'  }"
  if [ "$loops" -eq 0 ]; then
    echo "FAILED $executable: no measured loop found in it"
    failed=$((failed + 1))
  elif [ -n "$operations" ]; then
    echo "FAILED $executable: an operation is called, not inlined"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
