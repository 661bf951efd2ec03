#!/usr/bin/env bash
# A deque's executables. Their bytes are part of the identity of their cells and of the stamp, so an edit must relink exactly the
# executables whose cells depend on it. And each workload must use as many threads as it declares.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
setup/configure.py --quiet google deques/chase_lev build/deques/latency.1/chase_lev > /dev/null || exit 3

# The files on which the bytes of chase_lev's executables in these folders depend.
declare -A needed
for part in checks deques/{contention,dag,fib,latency,latency.1} stress pool_checks; do
  needed[${part#deques/}]=$(ninja -f build/variants.ninja -t inputs "build/$part/chase_lev" | sed -n 's/\.o$/&.d/p' |
    xargs cat | tr ' ' '\n')
done

# voids FOLDERS FILE: an edit of the file relinks chase_lev's executables in exactly these folders
voids() {
  local linked='' part
  for part in checks contention dag fib latency latency.1 stress pool_checks; do
    ! grep -qxF "$2" <<< "${needed[$part]}" || linked+="$part "
  done
  if [ "${linked% }" = "$1" ]; then pass; else
    fail "an edit of $2 voids '${linked% }', where '$1' was due"
  fi
}

# first NAME: prints the file of that name
first() { find harness proof queues workloads -name "$1" | sort | head -n 1; }

voids "" README.md
voids "checks contention dag fib latency latency.1 stress pool_checks" queues/chase_lev.h
voids "checks contention dag fib latency latency.1 stress pool_checks" harness/measuring/measure.c
voids "latency latency.1" "$(first push.c)"
voids "latency latency.1" workloads/latency/variants/loops.c
voids contention "$(first contention.c)"
voids dag "$(first dag.c)"
voids fib "$(first fib.c)"
voids "dag fib pool_checks" "$(first pool.h)"
voids checks "$(first conformance.c)"
voids stress "$(first stress.c)"
voids pool_checks "$(first pool_scenes.c)"
voids "checks stress pool_checks" "$(first verdict.c)"

# Work on the pool in other variants: almost all functions of the application and the pool are at other addresses, most at other offsets
# in their cache line, and the answers are right.
setup/configure.py --quiet build/deques/{dag,dag.1,fib.1}/chase_lev build/deques/dag{,.1}/the > /dev/null || exit 3
# shellcheck disable=SC2016 # awk's
offset='function offset(address) { return (index("123456789abcdef", substr(address, 15, 1)) % 4) substr(address, 16) }'
# functions EXECUTABLE: prints NAME ADDRESS of each function whose name is unique
functions() { nm "$1" | awk '$2 ~ /[tT]/ && $3 !~ /[.]/ { seen[$3]++; at[$3] = $1 } END { for (f in seen) if (seen[f] == 1) print f, at[f] }' | sort; }
ours=$(nm build/obj/timed/{once/+0/workloads/applications{,/*},chase_lev/+0/workloads/*}/*.o 2> /dev/null |
  awk '$2 ~ /[tT]/ && $3 !~ /[.]/ { print $3 }' | sort -u)
moved=$(join <(functions build/deques/dag/chase_lev) <(functions build/deques/dag.1/chase_lev) | join - <(echo "$ours") |
  awk "$offset"'{ all++; same += $2 == $3; line += offset($2) == offset($3) } END { print (all > 20 && same < all / 10 && line < all / 2) ? "moved" : all " functions, at the same address " same ", at the same offset " line }')
expect "almost all functions moved" 0 "[moved]" echo "[$moved]"
for work in "dag.1 nodes=1000" "fib.1 n=18"; do
  variant=${work% *}
  # a wrong answer ends it with 1
  if "build/deques/$variant/chase_lev" --run "${variant%.*}" "${work#* }" threads=2 --minimum-time=0.001 > /dev/null; then pass; else
    fail "variant $work"
  fi
done
# With another deque the pool has another size, but no function of an application moves within its cache line.
applications=$(nm build/obj/timed/once/+0/workloads/applications/*/*.o | awk '$2 ~ /[tT]/ && $3 !~ /[.]/ { print $3 }' | sort -u)
for variant in dag dag.1; do
  moved=$(join <(functions "build/deques/$variant/chase_lev") <(functions "build/deques/$variant/the") | join - <(echo "$applications") |
    awk "$offset"'{ all++; moved += offset($2) != offset($3) } END { print (all > 5 ? moved + 0 : "of too few") }')
  if [ "$moved" = 0 ]; then pass; else
    fail "$variant: functions of applications that are elsewhere in their line: $moved"
  fi
done
# threads FAMILY WORKLOAD SETTING...: it uses as many threads as its description says for these settings
threads() {
  local executable=build/deques/$1/chase_lev placed said
  shift
  said=$("$executable" --describe | awk -F '\t' -v settings="$*" '
    $1 == "workload" && $2 == substr(settings, 1, index(settings " ", " ") - 1) {
      for (i = split(settings, setting, " "); i > 1; i--) value[substr(setting[i], 1, index(setting[i], "=") - 1)] = setting[i]
      for (i = split($3, term, "+"); i > 0; i--) {
        name = substr(term[i], 1, index(term[i] "=", "=") - 1)
        total += term[i] ~ /=/ ? value[name] == term[i] : name in value ? substr(value[name], length(name) + 2) : term[i]
      }
      print total
    }')
  placed=$("$executable" --run "$@" --minimum-time=0.001 2> /dev/null | sed -n 's/^placement\t//p' | tr ';' '\n' |
    grep -vc '^memory:')
  if [ "$said" = "$placed" ]; then pass; else
    fail "$*: $placed threads are placed, but it declares '$said'"
  fi
}

# Google Benchmark's own options: its filter, its file; a setting becomes part of the name.
google=(build/deques/latency/chase_lev batch=16 --benchmark_filter='push|steal' --benchmark_min_time=0.001 --benchmark_out="$scratch/out.json")
expect "it is a binary of Google Benchmark" 0 "push/batch=16/manual_time" "${google[@]}"
expect "with its file" 0 '"name": "steal/manual_time"' cat "$scratch/out.json"
expect "and its messages" 2 "unrecognized command-line flag" build/deques/latency/chase_lev --benchmark_filtr=push
expect "a setting that no workload has" 2 "no such parameter: bacth=16" build/deques/latency/chase_lev bacth=16 --benchmark_filter=push

threads latency push
threads latency pair
threads latency steal owner=idle
threads latency steal owner=busy
threads contention contention thieves=0
threads contention contention thieves=3
threads fib fib n=5 threads=3
threads dag dag nodes=100 threads=2
threads quicksort quicksort size=100 threads=1
threads walk walk directories=5 files=5 symlinks=0 threads=2 version=shared_queue
