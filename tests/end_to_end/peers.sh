#!/usr/bin/env bash
# Peers that cannot be built are said, not missed; those that are there pass for deques; ./run.sh fidelity from a mapping
# to its table. With nothing installed two deques of our own stand for a port and its original. Other runtimes, those that
# are installed: each tells its version, works where our workers do, and gives right answers.
set -u
cd "$(dirname "$0")/../.." || exit 3
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
# expect NAME CODE WORDS COMMAND...: it ends with that code, and what it says holds these words
expect() {
  local name=$1 code=$2 words=$3 said status
  shift 3
  said=$("$@" 2>&1)
  status=$?
  if [ "$status" -eq "$code" ] && grep -qF -- "$words" <<<"$said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: exit %s where %s was due, with "%s":\n%s\n' "$name" "$status" "$code" "$words" "$said"
  fi
}

# A compiler that finds no header, no Rust, and an executable from when there was one.
bare=$scratch/bare
mkdir -p "$bare/deques/peers" "$scratch/bin"
for tool in bash cut cat mkdir rm sed dirname; do ln -s "$(command -v "$tool")" "$scratch/bin/"; done
cp build/deques/chase_lev "$bare/deques/peers/eigen_runqueue"
found=$(PATH="$scratch/bin" CXX=false CPPFLAGS='' BUILD="$bare" queues/peers/found.sh)
expect "a bare machine builds no peer" 0 "nothing" echo "${found:-nothing}"
expect "an executable that cannot be built any more goes" 1 "" test -e "$bare/deques/peers/eigen_runqueue"
cp build/stealbench "$bare/"
cp build/deques/chase_lev "$bare/deques/"
expect "list says what is not built" 0 "not built: taskflow/core/wsq.hpp not found" "$bare/stealbench" list deques
expect "measuring it says so too" 3 "peers/eigen_runqueue is not built here: " \
  "$bare/stealbench" run push --deque=peers/eigen_runqueue --results="$scratch"
expect "and checking it" 3 "is not built here: " "$bare/stealbench" check peers/stdexec_bwos_lifo

original=peers/eigen_runqueue
[ -x "build/deques/$original" ] || original=abp
echo "case push 1 push owner:push_latency batch=1 push=single capacity=1024
case pair 1 pair owner:pair_latency size=64 capacity=1024
pair chase_lev $original push pair" > "$scratch/mapping.txt"
expect "fidelity, from a mapping to its table" 0 "2 not settled, 0 without values" trust/fidelity.sh \
  --mapping="$scratch/mapping.txt" --results="$scratch/results" --invocations=2 --repetitions=1 --minimum-time=0.001
expect "and its data" 0 "chase_lev,$original,pair,owner,pair_latency," cat "$scratch"/results/*/fidelity.csv
echo "pair abp $original sort" >> "$scratch/mapping.txt"
expect "a case that there is not" 2 "mapping.txt:4: no such case: sort" trust/fidelity.sh --mapping="$scratch/mapping.txt"

for peer in build/deques/peers/*; do
  [ -x "$peer" ] || continue
  id=${peer#build/deques/}
  expect "$id knows itself" 0 "deque	id	$id" "$peer" --describe
done

make -j"$(nproc)" runtimes > "$scratch/make" 2>&1 || tail -n 20 "$scratch/make"
ours=$(build/deques/chase_lev --run fib n=5 threads=2 | grep '^placement' | sed 's/w[0-9]*:/worker:/g')
works=('fib n=18' 'nqueens n=7' 'quicksort size=50000' 'dag nodes=30000' 'dag nodes=3000 shape=layered')
# without libcrypto there are no trees; T3 is so deep that joined tasks overflow a stack of the usual size
build/deques/chase_lev --run uts tree=T3 --repetitions=1 2>&1 | grep -q unsupported || works+=('uts tree=T3')
for runtime in $(sed -n 's/.*deque=\(onetbb[^ ]*\) threads=1 n=32.*/\1/p' runtimes/peers.suite | tr , ' ') programs; do
  if grep -q "^runtimes/$runtime\.[a-z]*: left out" "$scratch/make"; then
    echo "$runtime is not installed here"
    continue
  fi
  expect "$runtime tells its version" 0 "deque	title	" \
    grep -P '^deque\ttitle\t\w.* [0-9]+\b' <("build/runtimes/$runtime" --describe)
  [ "$runtime" != programs ] || continue
  for work in "${works[@]}"; do
    # shellcheck disable=SC2086
    expect "$runtime: $work" 0 "$ours" "build/runtimes/$runtime" --run $work threads=2 --repetitions=1
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
