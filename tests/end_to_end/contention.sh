#!/usr/bin/env bash
# The workloads contention and growth on real deques: a process notices when items do not add up. There are as many thieves as
# processors, so all windows count (oversubscribed) and a busy machine changes nothing.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
thieves=$(nproc)
[ "$thieves" -le 127 ] || thieves=127
output=$scratch/out errors=$scratch/err
burning=()
end() { kill "${burning[@]}" 2> /dev/null; }

# run NAME EXIT_CODE EXECUTABLE WORKLOAD SETTINGS...
run() {
  local what=$1 due=$2 executable=$3 status
  shift 3
  timeout 60 "build/$executable" --run "$@" > "$output" 2> "$errors"
  status=$?
  [ "$status" -eq "$due" ]
  verdict "$what: $executable $*: exit $status, not $due" $?
}

value() { awk -F '\t' -v metric="$1" '$1 == "sample" && $4 == metric && $7 == "ok" { print $5; exit }' "$output"; }
says() { grep -q -- "$1" "$output" "$errors"; verdict "no word of: $1" $?; }
lacks() { ! grep -q -- "$1" "$output"; verdict "it speaks of: $1" $?; }

# One deque of each kind of item and owner; with EVERYTHING set, several.
more=()
[ ! "${EVERYTHING-}" ] || more=(lace tokio multiplicity)
for deque in chase_lev bwos_lifo lf_bulk private locked idempotent "${more[@]}"; do
  for cell in "frequency=max" "frequency=100k steal=batch" "frequency=max case=duel"; do
    # shellcheck disable=SC2086 # several settings
    run "items add up" 0 "deques/contention/$deque" contention "thieves=$thieves" duration=0.01 --repetitions=2 $cell
    says oversubscribed
  done
done

# On busy processors few windows count, or none. Without enough there must be a reason and no value.
numbers() {
  awk -F '\t' '$1 == "sample" && ($7 == "ok" ? $5 !~ /^-?[0-9.]+(e[-+]?[0-9]+)?$/ : $5 != "") { exit 1 }' "$output"
  verdict "$1: a value that is no number" $?
  if ! grep -q "owner_operations.*ok" "$output"; then says "windows were undisturbed"; fi
}
for ((i = 0; i < $(nproc); i++)); do
  sh -c 'while :; do :; done' &
  burning+=($!)
done
for deque in chase_lev locked; do
  run "beside processes that burn" 0 "deques/contention/$deque" contention thieves=1 frequency=max duration=0.002
  numbers "$deque"
done
kill "${burning[@]}"
burning=()
taskset -c "$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')" build/deques/contention/chase_lev --run contention thieves=1 \
  duration=0.01 > "$output" 2> "$errors"
verdict "on one processor" $?
says oversubscribed
numbers "one processor"

run "a deque that loses items is found out" 1 deques/contention/as_published/abp contention thieves=0 duration=0.01
says "items are missing"
run "a deque for one thread" 0 deques/contention/array contention thieves=1
says unsupported
run "a deque for one thread, alone" 0 deques/contention/array contention thieves=0 duration=0.01 placement=none
lacks unsupported
run "a frequency that is none" 2 deques/contention/chase_lev contention frequency=maximum
says "expected a whole number from .*, or max"

# frequency_of: each thief's target is its achieved frequency divided by the ratio of achieved to asked.
for whose in thief:10000 all:5000; do
  run "the frequency is of ${whose%:*}" 0 deques/contention/chase_lev contention thieves=2 frequency=10k "frequency_of=${whose%:*}" \
    duration=0.1 placement=none
  awk -v did="$(value achieved_frequency)" -v ratio="$(value frequency_ratio)" -v due="${whose#*:}" \
    'BEGIN { exit !(ratio > 0 && did / ratio > due * 0.999 && did / ratio < due * 1.001) }'
  verdict "the frequency is of ${whose%:*}: each thief is not held to ${whose#*:} Hz" $?
done
run "a frequency that five cannot share" 0 deques/contention/chase_lev contention thieves=5 frequency=2 frequency_of=all
says "less than one attempt a second"
run "no frequency is shared by five" 0 deques/contention/chase_lev contention thieves=5 frequency=0 frequency_of=all duration=0.01 \
  placement=none
lacks unsupported

# Every sample must be in the histogram exactly once.
run "steals are sampled" 0 deques/contention/chase_lev contention "thieves=$thieves" frequency=100k sample=steal duration=0.05 \
  --repetitions=2
awk -F '\t' '
  $1 == "sample" && $4 ~ /^steal_latency[a-z_]*_count$/ { counted += $5 }
  $1 == "histogram" && $4 ~ /^steal_latency/ { buckets += $7; if ($5 >= $6) wrong = 1 }
  END { exit wrong || counted == 0 || counted != buckets }' "$output"
verdict "histogram and counts differ" $?

make -s build/deques/items4/chase_lev > "$errors" 2>&1
verdict "build/deques/items4/chase_lev" $?
run "items of 4 bytes" 0 deques/items4/chase_lev contention item=4 "thieves=$thieves" duration=0.01 --repetitions=2
for pair in "items4 8" "contention 4"; do
  run "each executable has one size" 0 "deques/${pair% *}/chase_lev" contention "item=${pair#* }"
  says unsupported
done

# A deque's traits say what it can do, also if its header takes them from another header.
setup/configure.py build/deques/items4/lf_bulk_many > "$errors" 2>&1
grep -q "the items of an intrusive deque are pointers" "$errors"
verdict "lf_bulk_many carries items of 4 bytes" $?
! ninja -f build/build.ninja -t query items4 | grep -qE '/lf_bulk(_many)?$'
verdict "lf_bulk and lf_bulk_many are asked to carry items of 4 bytes" $?

run "growth" 0 deques/latency/phanes growth size=1000
says minor_page_faults
run "growth" 0 deques/latency/chase_lev growth
says unsupported
