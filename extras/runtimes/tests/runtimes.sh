#!/usr/bin/env bash
# Our programs over other runtimes compile without a warning, run as they are measured, and with check --all run small work
# under the address and undefined-behaviour sanitizers. Runtimes that are not installed are left out with a line.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/../../../tests/end_to_end/expect.sh"
sanitizers="-fsanitize=address,undefined -fno-sanitize-recover=all"
build=build/address_runtimes

# Memory that a runtime itself holds at exit is no leak of ours. Java's machine handles faults itself, and the leak checker
# cannot search its heap, nor Go's.
printf 'leak:%s\n' libtbb libgomp libomp libjvm > "$scratch/theirs"
export LSAN_OPTIONS=suppressions=$scratch/theirs
sanitizer_options() {
  case $1 in
    forkjoinpool) echo handle_segv=0:detect_leaks=0 ;;
    goroutines) echo detect_leaks=0 ;;
  esac
}

# Prints small settings of RUNTIME-WORKLOAD, one set a line; nothing for a workload that is not tried here.
settings_of() {
  case $1 in
    *-fib) printf '%s\n' "n=12 threads=2" "n=14 cutoff=6 threads=2" ;;
    *-nqueens) printf '%s\n' "n=6 threads=2" "n=7 cutoff=3 threads=2" ;;
    *-quicksort)
      printf '%s\n' "size=5000 threads=2" "size=5000 threads=2 input=sorted" "size=0"
      ;;
    *-dag) echo "nodes=5000 threads=2" ;;
    *-uts) [ -z "${EVERYTHING:-}" ] || echo "tree=T3 threads=2" ;; # takes minutes under sanitizers: only with check --all
  esac
}

under_sanitizers() {
  local executable workload settings status
  BUILD=$build OPTIMISE="-O1 -fno-omit-frame-pointer $sanitizers" LDFLAGS="$sanitizers ${LDFLAGS:-}" \
    setup/configure.py -k0 runtimes > "$scratch/said" 2>&1
  status=$?
  grep 'left out' "$scratch/said"
  [ "$status" -eq 0 ] && ! grep 'warning:' "$scratch/said"
  verdict "they are compiled without a warning" $?
  for executable in "$build"/extras/runtimes/*; do
    for workload in $("$executable" --describe | awk -F '\t' '$1 == "workload" { print $2 }'); do
      while read -r settings; do
        # shellcheck disable=SC2086 # several settings
        ASAN_OPTIONS=$(sanitizer_options "${executable##*/}") TMPDIR=$scratch timeout 120 "$executable" --run "$workload" $settings --repetitions=2 > "$scratch/said" 2>&1 &&
          grep -qE 'run_time|unsupported' "$scratch/said"
        verdict "$executable $workload $settings, under sanitizers" $?
      done < <(settings_of "${executable##*/}-$workload")
    done
  done
}
[ -z "${EVERYTHING:-}" ] || under_sanitizers # builds everything again: only with check --all

# As they are measured: each prints its version, binds its workers as ours are, and gives right answers.
setup/configure.py runtimes build/deques/{fib,uts}/chase_lev > "$scratch/said" 2>&1
status=$?
cp "$scratch/said" "$scratch/make"
grep 'left out' "$scratch/make"
[ "$status" -eq 0 ] && ! grep 'warning:' "$scratch/make"
verdict "they are compiled without a warning" $?
CARGO='' GO='' JAVA_HOME=/nowhere BUILD="$scratch/none" setup/configure.py 2> "$scratch/said"
what_is_missing=$(cat "$scratch/none/extras/left_out.txt")
for absent in 'rayon.c: left out.*librust-rayon-dev' 'goroutines.c: left out.*golang-go' 'forkjoinpool.c: left out.*default-jdk-headless'; do
  grep -q "extras/runtimes/$absent" <<< "$what_is_missing"
  verdict "what is not there is a line that says what to install: $absent" $?
done
# What lies in RUNTIMES_FROM is built, at a revision that is told.
mkdir -p "$scratch/from/taskflow" && git -C "$scratch/from/taskflow" init -q &&
  git -C "$scratch/from/taskflow" -c user.name=a -c user.email=a@a commit -q --allow-empty -m 1 && git -C "$scratch/from/taskflow" tag v7
BUILD="$scratch/none" RUNTIMES_FROM="$scratch/from" setup/configure.py 2> "$scratch/said"
{ ninja -f "$scratch/none/build.ninja" -t commands runtimes && cat "$scratch/none/extras/left_out.txt"; } > "$scratch/made"
grep -q "RUNTIME_REVISION='\"v7\"' *-isystem $scratch/from/taskflow" "$scratch/made" && grep -q 'libfork.cc: left out.*RUNTIMES_FROM' "$scratch/made"
verdict "a checkout in RUNTIMES_FROM is built at its revision, another is left out" $?
ours=$(build/deques/fib/chase_lev --run fib n=5 threads=2 | grep '^placement' | sed 's/w[0-9]*:/worker:/g')
works=('fib n=18' 'nqueens n=7' 'quicksort size=50000' 'dag nodes=50000')
# Without libcrypto there are no trees. T3 is so deep that joined tasks overflow a stack of the usual size.
build/deques/uts/chase_lev --run uts tree=T3 --repetitions=1 2>&1 | grep -q unsupported || works+=('uts tree=T3')
for runtime in $(sed -n 's/^optional //p' extras/runtimes/runtimes.suite | tr , ' '); do
  if grep -q "^extras/runtimes/${runtime%_runtime}\.[a-z]*: left out" "$scratch/make"; then
    echo "$runtime is not installed here"
    continue
  fi
  "build/extras/runtimes/$runtime" --describe > "$scratch/said" 2>&1 && grep -qP '^deque\ttitle\t(\w.* [0-9a-f]{2}|parlaylib|stdexec)' "$scratch/said"
  verdict "$runtime tells its version" $?
  where=$ours
  [[ $runtime != @(goroutines|libfork_runtime|toomanycooks_runtime) ]] || where='worker:any;worker:any' # they cannot be bound one by one
  [ "$runtime" != parlaylib ] || where=worker:0 # the others are bound by their first task
  for settings in "${works[@]}"; do
    [ "$runtime $settings" != "parlaylib uts tree=T3" ] || continue # too deep for its deque of 1000 tasks
    "build/extras/runtimes/$runtime" --describe | grep -qP "^workload\t${settings%% *}\t" || continue
    # shellcheck disable=SC2086 # several settings
    "build/extras/runtimes/$runtime" --run $settings threads=2 --repetitions=1 > "$scratch/said" 2>&1 &&
      grep -qF -- "$where" "$scratch/said" && grep -qP '\tprocessor_time\t[0-9.e-]+\ts\tok' "$scratch/said"
    verdict "$runtime: $settings" $?
  done
done
