#!/usr/bin/env bash
# The workloads contention and growth on real deques: a process notices when items do not add up. There are as many thieves as
# processors, so all windows count (oversubscribed) and a busy machine changes nothing.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
thieves=$(nproc)
[ "$thieves" -le 127 ] || thieves=127
burning=()
end() { kill "${burning[@]}" 2> /dev/null; }

# try NAME CODE WORDS EXECUTABLE WORKLOAD SETTING...
try() {
  local name=$1 code=$2 words=$3 executable=$4
  shift 4
  expect "$name: $executable $*" "$code" "$words" timeout 60 "build/deques/$executable" --run "$@"
}
# told NAME AWK EXECUTABLE SETTING...: what it prints of contention makes awk succeed; value[metric] is the first that is ok
told() {
  local name=$1 program=$2 executable=$3
  shift 3
  if timeout 60 "build/deques/$executable" --run contention "$@" 2>&1 | tee "$scratch/out" |
    awk -F '\t' "{ ok = \$1 == \"sample\" && \$7 == \"ok\" } ok && !(\$4 in value) { value[\$4] = \$5 } $program"; then pass; else
    fail "$name: $executable $*"$'\n'"$(cat "$scratch/out")"
  fi
}

# One deque of each kind of item and owner; with EVERYTHING set, several.
more=()
[ ! "${EVERYTHING-}" ] || more=(lace tokio multiplicity)
for deque in chase_lev bwos_lifo lf_bulk private locked idempotent "${more[@]}"; do
  for cell in "frequency=max" "frequency=100k steal=batch" "frequency=max case=duel"; do
    # shellcheck disable=SC2086 # several settings
    try "items add up" 0 oversubscribed "contention/$deque" contention "thieves=$thieves" duration=0.01 --repetitions=2 $cell
  done
done

# On busy processors few windows count, or none. Without enough there must be a reason and no value.
# shellcheck disable=SC2016 # the program is awk's
numbers='/windows were undisturbed/ { why = 1 } $1 == "sample" && (ok ? $5 !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ : $5 != "") { wrong = 1 }
  END { exit wrong || !(why || "owner_operations" in value) }'
for ((i = 0; i < $(nproc); i++)); do
  sh -c 'while :; do :; done' &
  burning+=($!)
done
for deque in chase_lev locked; do
  told "beside processes that burn" "$numbers" "contention/$deque" thieves=1 frequency=max duration=0.002
done
kill "${burning[@]}"
burning=()
one=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
expect "on one processor" 0 oversubscribed taskset -c "$one" build/deques/contention/chase_lev --run contention thieves=1 duration=0.01

try "a deque that loses items is found out" 1 "items are missing" contention/as_published/abp contention thieves=0 duration=0.01
try "a deque for one thread" 0 unsupported contention/array contention thieves=1
try "a deque for one thread, alone" 0 "	owner_operations	" contention/array contention thieves=0 duration=0.01 placement=none
try "a frequency that is none" 2 ", or max" contention/chase_lev contention frequency=maximum
try "a frequency that five cannot share" 0 "less than one attempt a second" contention/chase_lev contention thieves=5 frequency=2 frequency_of=all
try "no frequency is shared by five" 0 "	owner_operations	" contention/chase_lev contention thieves=5 frequency=0 frequency_of=all \
  duration=0.01 placement=none
# Every sample must be in the histogram exactly once.
# shellcheck disable=SC2016 # the program is awk's
told "histogram and counts" '$1 == "sample" && $4 ~ /^steal_latency[a-z_]*_count$/ { counted += $5 }
  $1 == "histogram" && $4 ~ /^steal_latency/ { buckets += $7; if ($5 >= $6) wrong = 1 }
  END { exit wrong || counted == 0 || counted != buckets }' contention/chase_lev "thieves=$thieves" frequency=100k sample=steal duration=0.05 \
  --repetitions=2

expect "items of 4 bytes are built" 0 "" make -s build/deques/items4/chase_lev
try "items of 4 bytes" 0 "	owner_operations	" items4/chase_lev contention item=4 "thieves=$thieves" duration=0.01 --repetitions=2
for pair in "items4 8" "contention 4"; do
  try "each executable has one size" 0 unsupported "${pair% *}/chase_lev" contention "item=${pair#* }"
done
# A deque's traits say what it can do, also if its header takes them from another header.
expect "lf_bulk_many has no items of 4 bytes" 1 "the items of an intrusive deque are pointers" setup/configure.py build/deques/items4/lf_bulk_many
expect "nor is it asked for them" 1 "" bash -c "ninja -f build/build.ninja -t query items4 | grep -E '/lf_bulk(_many)?\$'"

try "growth" 0 minor_page_faults latency/phanes growth size=1000
try "growth" 0 unsupported latency/chase_lev growth
