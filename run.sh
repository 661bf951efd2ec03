#!/usr/bin/env bash
# run.sh: the one way in. Sets up, builds, and calls one program; every verb is a few lines here.
set -u
cd "$(dirname "$0")" || exit 3
export LC_ALL=C # scripts compute, and read what compilers say

usage() {
  cat <<'USAGE'
usage: ./run.sh [VERB] [ARGUMENT...]

  (nothing)                 set up, build, measure suites/quick.suite, draw: the same as `quick`
  smoke | quick | paper     that suite: table, figures and report at the end   [--only TAG,TAG] [--resume] [--unsound]
                            [--dry-run]: only say how long it takes here; smoke a minute, quick some, paper hours
  suite NAME ...            any other suite, by name or file
  run WORKLOAD --deque=A,B --batch=1,128 ...     one workload, any parameters   (see: ./run.sh list workloads)
  compare A B               deque A against deque B on the same workloads: who is faster, and is it settled
  check [DEQUE...]          the tests; with names, only the gate of these deques   [--check=explore] [--fail-fast]
  lab count|explore|stop [DEQUE...]   deques under our own scheduler: what they cost, how they break, who can stop whom
  ci                        what can be counted exactly against results/baseline; exit 1 on any increase
                            [--update-baseline]
  trust                     the suite measures itself: planted times, its own cost, hand-written loops; and whether
                            two threads are ever slower than one   [itself|threads]
  fidelity                  our ports against the live originals (queues/upstream): what is installed, and CPPFLAGS=-I...
                            [--gate] [--invocations=N]
  runtimes                  our pool against oneTBB, OpenMP, find, bfs, fd on the same work: ratios with intervals
  draw RUN                  table, figures and report of results/RUN again   [--style=acm|ieee|slides]: figures for a paper
  list deques|workloads|suites
  doctor                    what is wrong for measuring on this machine, and what mends it
  setup                     only look for (as root: install) what is needed

Exit: 0 fine, 1 a check or gate failed, 2 usage, 3 something missing, 4 a cell crashed or results could not be written.
USAGE
}

# Debian's packages: what measuring and drawing need, and what the tests need besides.
measure_packages=(gcc g++ make binutils libbenchmark-dev libhwloc-dev
  python3 python3-numpy python3-scipy python3-matplotlib)
# What has the live originals of our ports (queues/upstream/); nothing else asks for them, and what is absent is left out.
original_packages=(libeigen3-dev librust-crossbeam-deque-dev cargo rustc clang lld)
check_packages=(gnuplot-nox libbenchmark-tools libcmocka-dev clang-format shellcheck valgrind git)
# A clang's sanitizers come in a package apart from it.
case ${CC:-gcc} in *clang*) check_packages+=("libclang-rt-$({ "$CC" -dumpversion || echo 14; } 2> /dev/null | cut -d. -f1)-dev") ;; esac
# What some workloads and figures can do without: counters, the trees' hash, the files' hash, reads by io_uring.
optional_packages=(libpapi-dev libssl-dev libxxhash-dev liburing-dev)
# Tests that run only where these are: every deque on another processor (tests/aarch64.sh).
aarch64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# Others to be measured against.
runtimes_packages=(libtbb-dev libomp-dev bfs fd-find findutils)

# Those of the packages that are not installed, a line each.
missing_of() {
  local package
  for package in "$@"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' || echo "$package"
  done
}

install() {
  local log
  log=$(mktemp) || return 3
  echo "installing: $*" >&2
  if { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "$@"; } > "$log" 2>&1; then
    rm -f "$log"
    return
  fi
  tail -n 5 "$log" >&2
  echo "could not install: $* (whole output: $log)" >&2
  return 3
}

# The one command that a user who is not root can hand on.
how_to_install() { echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"; }

# set_up NEEDED... [-- OPTIONAL...]: as root, installs what is missing; else says how to. Only what is needed has to be
# there; what needs one of the others is left out.
set_up() {
  local needed=() optional=() into=needed word
  for word; do
    case $word in
      --) into=optional ;;
      *) if [ "$into" = needed ]; then needed+=("$word"); else optional+=("$word"); fi ;;
    esac
  done
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: these packages' counterparts must be there: ${needed[*]}" >&2
    return 0
  fi
  mapfile -t needed < <(missing_of "${needed[@]}")
  mapfile -t optional < <(missing_of "${optional[@]}")
  if [ "$(id -u)" -eq 0 ]; then
    [ ${#needed[@]} -eq 0 ] || install "${needed[@]}" || exit 3
    [ ${#optional[@]} -eq 0 ] || install "${optional[@]}" || echo "what needs these is left out: ${optional[*]}" >&2
  elif [ ${#needed[@]} -gt 0 ]; then
    printf 'missing: %s\nRun: %s\n' "${needed[*]}" "$(how_to_install "${needed[@]}" "${optional[@]}")" >&2
    exit 3
  elif [ ${#optional[@]} -gt 0 ]; then
    printf 'what needs these is left out: %s\nThey come with: %s\n' "${optional[*]}" "$(how_to_install "${optional[@]}")" >&2
  fi
}

set_up_measuring() { set_up "${measure_packages[@]}" -- "${optional_packages[@]}"; }

# Says which packages would bring more originals; installs none: a Rust compiler is large.
offer_originals() {
  local missing
  command -v dpkg-query >/dev/null || return 0
  mapfile -t missing < <(missing_of "${original_packages[@]}")
  [ ${#missing[@]} -eq 0 ] ||
    echo "more originals (queues/upstream/README.md) come with: $(how_to_install "${missing[@]}")" >&2
}

# make; what fails is confined to the deques that it is about, which are then left out.
build() {
  local log
  if ! { mkdir -p build && [ -w build ]; } 2>/dev/null; then
    echo "cannot write into $PWD/build: clone or copy the suite to a folder that you may write to" >&2
    exit 3
  fi
  log=$(mktemp) || exit 3
  if ! make -k --output-sync=target -j"$(nproc)" "$@" > "$log" 2>&1 && ! leave_out_failed "$log"; then
    grep -E "$build_errors" "$log" | awk '!said[$0]++' | head -n 20 >&2
    echo "the build failed; whole output: $log" >&2
    exit 3
  fi
  rm -f "$log" build/{deques,lab}/not_built.txt
  [ -z "$failed_deques" ] || tee build/{deques,lab}/not_built.txt <<< "${failed_deques%$'\n'}" > /dev/null
  forget_removed_deques
}
build_errors='[Ee]rror:|undefined reference|multiple definition|cannot find|not found|^lab: |\*\*\* [^[]|No space'

# The deques whose targets make could not build, by its output: names each with the first that was said of it, and puts
# that where the driver finds it. Fails when something else could not be built, or no deque at all.
failed_deques='' flavours=(deques pool checks pool_checks items4 simulated address thread lab)
leave_out_failed() { # LOG
  local target id why flavour
  while IFS=$'\t' read -r target why; do
    case $target in
      build/lab/deques/*.o) id=${target#build/lab/deques/} && id=${id%.o} ;;
      build/obj/*/*.o) # FLAVOUR/ID/SOURCE.o, and an id may have a folder
        id=${target#build/obj/*/}
        while [[ $id == */* ]] && [ ! -e "queues/$id.h" ]; do id=${id%/*}; done
        ;;
      *) id=${target#build/*/} ;;
    esac
    [ -e "queues/$id.h" ] || return 1
    grep -q "^$id"$'\t' <<< "$failed_deques" && continue
    failed_deques+="$id"$'\t'"$why"$'\n'
    printf '%s cannot be built and is left out: %s\n' "$id" "$why" >&2
    for flavour in "${flavours[@]}"; do rm -f "build/$flavour/$id"; done
  done < <(awk -v errors="$build_errors" '
    /^make.*\*\*\* / { sub(/^[^[]*\[[^ ]* /, ""); sub(/\] Error .*/, ""); print $0 "\t" why; why = ""; next }
    $0 ~ errors && why == "" { why = $0 }' "$1")
  [ -n "$failed_deques" ] && [ -n "$(find build/deques -type f -perm -u+x)" ]
}

# build_needed VERB ARGUMENT...: builds what the driver says that this run or suite needs besides all; the run's folder is
# then in $run. What cannot be built is said, and its cells are unsupported.
build_needed() {
  local needs targets
  needs=$(build/stealbench "$@" --needs) || exit
  run=$(sed -n 's/^run\t//p' <<< "$needs")
  [ -n "$run" ] || { echo "$needs" && exit; } # --help
  mapfile -t targets < <(sed -n 's/^make\t//p' <<< "$needs")
  [ ${#targets[@]} -eq 0 ] || make -k -s -j"$(nproc)" "${targets[@]}" 2>&1 | grep -E "$build_errors|: not with items" >&2
}

# Executables are found by looking, so those of a header that is gone have to go too.
forget_removed_deques() {
  local flavour executable
  for flavour in "${flavours[@]}"; do
    [ -d "build/$flavour" ] || continue
    find "build/$flavour" -type f -perm -u+x | while read -r executable; do
      [ -e "queues/${executable#build/"$flavour"/}.h" ] || rm -f "$executable"
    done
  done
}

# The sanitizer builds of the deques among the arguments, or of all when only options are given.
build_gate_of() {
  local argument before='' deques=() named=0
  for argument in "$@"; do
    case "$before $argument" in
      *\ -*) before=$argument && continue ;;
      --check\ * | --seconds\ * | --memory-limit\ *) before='' && continue ;; # the value of an option
    esac
    named=1
    [ -e "queues/$argument.h" ] && deques+=("$argument")
  done
  if [ "$named" -eq 0 ]; then
    build gate_builds
  elif [ ${#deques[@]} -gt 0 ]; then
    build gate_builds DEQUE_IDS="${deques[*]}"
  fi
}

# What comes after measuring are modules, found from the top of the tree.
python=(/usr/bin/python3 -m)

# A run is named by its folder, or by its name below results/.
draw() {
  local run=$1
  [ -d "$run" ] || [ ! -d "results/$run" ] || run=results/$run
  "${python[@]}" plots.draw "$run" "${@:2}"
}

# measure_then JUDGE... -- SUITE [OPTION...]: the one way from measuring to judging. Measures the suite and hands the run's
# folder to the judge, also where a cell crashed (4) or could not be measured here (3); what else goes wrong ends it all.
measure_then() {
  local judge=() status
  while [ "$1" != -- ]; do judge+=("$1") && shift; done
  shift
  build_needed suite "$@"
  [[ " $* " != *" --dry-run "* ]] || { build/stealbench suite "$@" && exit; }
  [[ " $* " == *" --name"[\ =]* ]] || set -- --name="${run##*/}" "$@"
  build/stealbench suite "$@"
  status=$?
  case $status in 0 | 3 | 4) ;; *) exit "$status" ;; esac
  take_status "$status"
  [ ! -d "$run" ] || "${judge[@]}" "$run"
  take_status $?
}

# A workload with any parameters: the table on the spot, unless the rows themselves are wanted, and how to get a figure.
run_workload() {
  build_needed run "$@"
  [[ " $* " == *" --name"[\ =]* || " $* " == *" --resume"[\ =]* ]] || set -- "$@" --name="${run##*/}"
  build/stealbench run "$@"
  take_status $?
  if [ -d "$run" ] && [[ " $* " != *" --csv"* && " $* " != *" --dry-run "* ]]; then
    "${python[@]}" plots.pages.table "$run" && printf '\nfigures and a report of it: ./run.sh draw %s\n' "$run"
    take_status $?
  fi
}

# The worst exit code is the answer.
worst=0
take_status() { [ "$1" -le "$worst" ] || worst=$1; }

# JUDGE... RUN, when the run has its summary.csv.
# shellcheck disable=SC2317 # measure_then calls it
summarized() { "${python[@]}" plots.pages.summary "${!#}" && "$@"; }

compare() {
  if [ $# -lt 2 ] || [[ $1 == -* || $2 == -* ]]; then
    echo "usage: ./run.sh compare A B [--only=TAG,TAG] [--unsound] [--invocations=N] [--resume]" >&2
    exit 2
  elif [ "$1" = "$2" ]; then
    echo "compare: $1 against itself tells nothing; compare two runs with python3 -m plots.compare RUN_A RUN_B" >&2
    exit 2
  fi
  set_up_measuring && build all
  measure_then "${python[@]}" plots.compare --deque="$1" --against="$2" -- compare --deque="$1,$2" "${@:3}"
}

# The suite against loops written by hand, and two threads against one.
trust() {
  local parts="itself threads"
  case ${1-} in itself | threads) parts=$1 && shift ;; esac
  [[ $parts != *itself* ]] ||
    measure_then summarized "${python[@]}" harness.trust.trust -- harness/trust/trust.suite --deques-in=build/trust "$@"
  [[ $parts != *threads* ]] ||
    measure_then summarized "${python[@]}" harness.trust.threads -- harness/trust/threads.suite "${@/#--name=/--name=threads-}"
}

# Each port and its original in turns; the contended cases in a second run as well, unless only some cases are asked for.
fidelity() {
  local fidelity=("${python[@]}" queues.upstream.fidelity) options=() judge option
  judge=(summarized "${fidelity[@]}" judge build/deques)
  for option; do
    case $option in --gate) judge+=("$option") ;; *) options+=("$option") ;; esac
  done
  "${fidelity[@]}" suite build/deques > build/fidelity.suite || exit
  "${fidelity[@]}" suite build/deques --contended > build/fidelity_again.suite || exit
  if [[ " $*" == *" --only"* ]] || [ ! -s build/fidelity_again.suite ]; then
    measure_then "${judge[@]}" -- build/fidelity.suite "${options[@]}"
  else
    measure_then "${python[@]}" plots.pages.summary -- build/fidelity.suite "${options[@]}"
    measure_then "${judge[@]}" "$run" -- build/fidelity_again.suite "${options[@]/#--name=/--name=again-}"
  fi
}

# Our deques and the runtimes that are here.
runtimes() {
  measure_then summarized "${python[@]}" runtimes.runtimes -- runtimes/runtimes.suite \
    --deques-in=build/pool:build/checks:build/runtimes "$@"
}

# The verb that is the fewest letters away: changed, added or left out, at most half of the word's.
nearest_verb() {
  printf '%s\n' smoke quick paper suite run compare check lab ci trust fidelity runtimes draw list doctor setup |
    awk -v word="$1" '
      function least(a, b) { return a < b ? a : b }
      BEGIN { size = length(word); best = int((size + 1) / 2) + 1 }
      {
        for (i = 0; i <= size; i++) row[i] = i
        for (j = 1; j <= length($0); j++) {
          before = row[0]++
          for (i = 1; i <= size; i++) {
            changed = before + (substr(word, i, 1) != substr($0, j, 1))
            before = row[i]
            row[i] = least(changed, least(row[i], row[i - 1]) + 1)
          }
        }
        if (row[size] < best) { best = row[size]; verb = $0 }
      }
      END { print verb }'
}

# Options alone are options of the quick suite.
case "${1:-}" in
  -h | --help) verb=help ;;
  '' | -*) verb=quick ;;
  *) verb=$1 && shift ;;
esac
case "$verb" in
  help) usage ;;
  setup)
    set_up "${measure_packages[@]}" "${check_packages[@]}" -- "${optional_packages[@]}" "${aarch64_packages[@]}" ;;
  smoke | quick | paper)
    set_up_measuring && build all
    measure_then draw -- "$verb" "$@" ;;
  suite)
    set_up_measuring && build all
    measure_then draw -- "$@" ;;
  ci)
    set_up "${measure_packages[@]}" valgrind && exec lab/counts/ci.sh "$@" ;;
  run)
    set_up_measuring && build all
    run_workload "$@" ;;
  list | doctor | lab)
    set_up_measuring && build all && exec build/stealbench "$verb" "$@" ;;
  check)
    set_up "${measure_packages[@]}" "${check_packages[@]}" -- "${optional_packages[@]}"
    [ $# -gt 0 ] || exec tests/run.sh
    build all && build_gate_of "$@" && exec build/stealbench check "$@" ;;
  compare)
    compare "$@" ;;
  trust)
    set_up_measuring && build all trust
    trust "$@" ;;
  fidelity)
    set_up_measuring && offer_originals && build all
    fidelity "$@" ;;
  runtimes)
    set_up "${measure_packages[@]}" -- "${optional_packages[@]}" "${runtimes_packages[@]}"
    build all runtimes
    runtimes "$@" ;;
  draw)
    set_up "${measure_packages[@]}"
    case ${1:--} in -*) usage >&2 && exit 2 ;; esac
    draw "$@"
    worst=$? ;;
  *)
    nearest=$(nearest_verb "$verb")
    echo "run.sh: no verb $verb; ${nearest:+did you mean $nearest? }./run.sh help tells what there is" >&2
    exit 2 ;;
esac
exit "$worst"
