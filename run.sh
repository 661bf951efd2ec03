#!/usr/bin/env bash
# run.sh: the one way in. Sets up, builds, and calls one program; every verb is a few lines here.
set -u
cd "$(dirname "$0")" || exit 3

usage() {
  cat <<'USAGE'
usage: ./run.sh [VERB] [ARGUMENT...]

  (nothing)                 set up, build, measure suites/quick.suite, draw: the same as `quick`
  smoke | quick | paper     that suite: table, figures and report at the end   [--only TAG,TAG] [--resume] [--unsound]
  suite NAME ...            any other suite, by name or file
  run WORKLOAD --deque=A,B --batch=1,128 ...     one workload, any parameters   (see: ./run.sh list workloads)
  compare A B               deque A against deque B on the same workloads: who is faster, and is it settled
  check [DEQUE...]          the tests; with names, only the gate of these deques
  lab count|explore|stop [DEQUE...]   deques under our own scheduler: what they cost, how they break, who can stop whom
  ci                        what can be counted exactly against results/baseline; exit 1 on any increase
                            [--update-baseline]
  trust                     the suite measures itself: planted times, its own cost, hand-written loops
  fidelity                  our ports against the live originals (queues/peers): what is installed, and CPPFLAGS=-I...
                            [--gate] [--invocations=N]
  draw RUN                  table, figures and report of results/RUN again
  list deques|workloads|suites
  doctor                    what is wrong for measuring on this machine, and what mends it
  setup                     only look for (as root: install) what is needed

Exit: 0 fine, 1 a check or gate failed, 2 usage, 3 something missing, 4 a cell crashed or results could not be written.
USAGE
}

# Debian's packages: what measuring and drawing need, and what the tests need besides.
measure_packages=(gcc g++ make binutils libbenchmark-dev libhwloc-dev gnuplot-nox
  python3 python3-numpy python3-scipy python3-matplotlib)
# What has the live originals; nothing else asks for them, and what is absent is left out.
peer_packages=(libeigen3-dev librust-crossbeam-deque-dev cargo rustc clang lld)
check_packages=(libcmocka-dev clang-format shellcheck valgrind)

set_up() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: these packages' counterparts must be there: $*" >&2
    return 0
  fi
  for package in "$@"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    echo "missing: ${missing[*]}. Run: sudo apt-get install -y ${missing[*]}" >&2
    exit 3
  fi
  echo "installing: ${missing[*]}" >&2
  if ! { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
    "${missing[@]}"; } > /tmp/stealbench-setup.log 2>&1; then
    tail -n 5 /tmp/stealbench-setup.log >&2
    echo "could not install: ${missing[*]} (whole output: /tmp/stealbench-setup.log)" >&2
    exit 3
  fi
}

# Says which packages would bring more peers; installs none.
offer_peers() {
  local missing=() package
  command -v dpkg-query >/dev/null || return 0
  for package in "${peer_packages[@]}"; do
    dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] || echo "more peers with: sudo apt-get install -y ${missing[*]} (queues/peers/README.md)" >&2
}

build() {
  local log
  log=$(mktemp) || exit 3
  if ! make -j"$(nproc)" "$@" > "$log" 2>&1; then
    grep -E '(^|[ :])error:|\*\*\*|undefined reference|not found' "$log" | head -n 20 >&2
    echo "the build failed; whole output: $log" >&2
    exit 3
  fi
  rm -f "$log"
  forget_removed_deques
}

# Executables are found by looking, so those of a header that is gone have to go too.
forget_removed_deques() {
  local flavour executable
  for flavour in deques address thread lab; do
    [ -d "build/$flavour" ] || continue
    find "build/$flavour" -type f -perm -u+x | while read -r executable; do
      [ -e "queues/${executable#build/"$flavour"/}.h" ] || rm -f "$executable"
    done
  done
}

# The sanitizer builds of the deques among the arguments, or of all when only options are given.
build_gate_of() {
  local argument deques=() named=0
  for argument in "$@"; do
    case "$argument" in -*) continue ;; esac
    named=1
    [ -e "queues/$argument.h" ] && deques+=("$argument")
  done
  if [ "$named" -eq 0 ]; then
    build gate_builds
  elif [ ${#deques[@]} -gt 0 ]; then
    build gate_builds DEQUE_IDS="${deques[*]}"
  fi
}

# A run is named by its folder, or by its name below results/.
draw() {
  local run=$1
  [ -d "$run" ] || [ ! -d "results/$run" ] || run=results/$run
  plots/draw.py "$run"
}

# Runs a suite and draws it even when a cell crashed or could not be measured; the worst exit code is the answer.
measure() {
  local status drawn=0 run='' named_before
  rm -f build/last-run 2>/dev/null
  named_before=$(cat build/last-run 2>/dev/null)
  build/stealbench suite "$@"
  status=$?
  # a name that could not be removed is another run's
  [ -n "$named_before" ] || run=$(cat build/last-run 2>/dev/null)
  case "$status" in
    0 | 3 | 4) [ -z "$run" ] || draw "$run" || drawn=$? ;;
  esac
  [ "$status" -ne 0 ] || status=$drawn
  return "$status"
}

# Options alone are options of the quick suite.
case "${1:-}" in
  -h | --help) verb=help ;;
  '' | -*) verb=quick ;;
  *) verb=$1 && shift ;;
esac
case "$verb" in
  help) usage ;;
  setup) set_up "${measure_packages[@]}" "${check_packages[@]}" ;;
  smoke | quick | paper)
    set_up "${measure_packages[@]}" && build all && measure "$verb" "$@" ;;
  suite)
    set_up "${measure_packages[@]}" && build all && measure "$@" ;;
  ci)
    set_up "${measure_packages[@]}" valgrind && exec lab/ci.sh "$@" ;;
  run | list | doctor | lab)
    set_up "${measure_packages[@]}" && build all && exec build/stealbench "$verb" "$@" ;;
  check)
    set_up "${measure_packages[@]}" "${check_packages[@]}"
    [ $# -gt 0 ] || exec tests/run.sh
    build all && build_gate_of "$@" && exec build/stealbench check "$@" ;;
  compare)
    set_up "${measure_packages[@]}" && build all && exec plots/compare_deques.sh "$@" ;;
  trust)
    set_up "${measure_packages[@]}" && build all trust && exec trust/run.sh "$@" ;;
  fidelity)
    set_up "${measure_packages[@]}" && offer_peers && build all && exec trust/fidelity.sh "$@" ;;
  draw)
    set_up "${measure_packages[@]}"
    [ $# -eq 1 ] || { usage >&2; exit 2; }
    draw "$1" ;;
  *)
    echo "run.sh: no verb $verb" >&2
    usage >&2
    exit 2 ;;
esac
