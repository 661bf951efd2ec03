#!/usr/bin/env bash
# What is ours in runtimes/ is held to what the rest is held to: compiled without a warning, and run under the address
# and undefined-behaviour sanitizers on small work; then as it is measured. What needs headers that are not here is said
# and left out. Ends on "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 3
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
build=build/address_runtimes

verdict() { # what, whether
  if [ "$2" -eq 0 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED $1"
    tail -n 20 "$work/said"
  fi
}

# A tree that is not a generated one: what lies in it is counted first.
mkdir -p "$work/tree/a/b" "$work/tree/c" && touch "$work/tree/a/x" "$work/tree/c/y" && ln -s nowhere "$work/tree/z"

# What a runtime still holds when the process ends is its own affair.
printf 'leak:%s\n' libtbb libgomp libomp > "$work/theirs"
export LSAN_OPTIONS=suppressions=$work/theirs

# Small settings of a workload, a line each; none is known: the workload is not run here.
settings_of() {
  case $1 in
    walk)
      for program in find bfs fd; do
        echo "program=$program path=$work/tree"
        echo "program=$program directories=10 files=20 symlinks=2 threads=2"
      done
      ;;
    fib) echo "n=12 threads=2" ;;
    nqueens) echo "n=6 threads=2" ;;
    quicksort)
      printf '%s\n' "size=5000 threads=2" "size=5000 threads=2 algorithm=own" \
        "size=5000 threads=2 input=adversary" "size=0"
      ;;
    uts) echo "tree=T3 threads=2" ;;
    dag) echo "nodes=2000 threads=2" ;;
  esac
}

make -k "BUILD=$build" OPTIMISE="-O1 -fno-omit-frame-pointer $sanitizers" LDFLAGS="$sanitizers ${LDFLAGS:-}" \
  runtimes > "$work/said" 2>&1
status=$?
grep 'left out' "$work/said"
[ "$status" -eq 0 ] && ! grep 'warning:' "$work/said"
verdict "runtimes/ is compiled without a warning" $?
for executable in "$build"/runtimes/*; do
  for workload in $("$executable" --describe | awk -F '\t' '$1 == "workload" { print $2 }'); do
    while read -r settings; do
      # shellcheck disable=SC2086 # several settings
      TMPDIR=$work timeout 60 "$executable" --run "$workload" $settings --repetitions=2 > "$work/said" 2>&1 &&
        grep -qE 'run_time|unsupported' "$work/said"
      verdict "$executable $workload $settings, under sanitizers" $?
    done < <(settings_of "$workload")
  done
done

# As they are measured: each tells its version, works where our workers do, and gives right answers.
make -j"$(nproc)" runtimes > "$work/make" 2>&1 || tail -n 20 "$work/make"
ours=$(build/pool/chase_lev --run fib n=5 threads=2 | grep '^placement' | sed 's/w[0-9]*:/worker:/g')
works=('fib n=18' 'nqueens n=7' 'quicksort size=50000' 'dag nodes=30000' 'dag nodes=3000 shape=layered')
# without libcrypto there are no trees; T3 is so deep that joined tasks overflow a stack of the usual size
build/pool/chase_lev --run uts tree=T3 --repetitions=1 2>&1 | grep -q unsupported || works+=('uts tree=T3')
for runtime in $(sed -n 's/^optional //p' runtimes/runtimes.suite | tr , ' '); do
  if grep -q "^runtimes/$runtime\.[a-z]*: left out" "$work/make"; then
    echo "$runtime is not installed here"
    continue
  fi
  "build/runtimes/$runtime" --describe > "$work/said" 2>&1 && grep -qP '^deque\ttitle\t\w.* [0-9]+\b' "$work/said"
  verdict "$runtime tells its version" $?
  [ "$runtime" != programs ] || continue
  for settings in "${works[@]}"; do
    # shellcheck disable=SC2086 # several settings
    "build/runtimes/$runtime" --run $settings threads=2 --repetitions=1 > "$work/said" 2>&1 &&
      grep -qF -- "$ours" "$work/said"
    verdict "$runtime: $settings" $?
  done
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
