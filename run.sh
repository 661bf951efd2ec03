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
  trust                     the suite measures itself: planted times, its own cost, hand-written loops
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
check_packages=(libcmocka-dev clang-format shellcheck)

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

build() {
  local log
  log=$(mktemp) || exit 3
  if ! make -j"$(nproc)" "$@" > "$log" 2>&1; then
    grep -E 'error|Error|\*\*\*|undefined' "$log" | head -n 20 >&2
    echo "the build failed; whole output: $log" >&2
    exit 3
  fi
  rm -f "$log"
}

draw() {
  plots/draw.py "$1"
}

# Runs a suite and draws it even when a cell crashed; the worst exit code is the answer.
measure() {
  local status run
  build/stealbench suite "$@"
  status=$?
  run=$(cat build/last-run 2>/dev/null)
  { [ "$status" -eq 0 ] || [ "$status" -eq 4 ]; } && [ -n "$run" ] && { draw "$run" || [ "$status" -ne 0 ] || status=$?; }
  return "$status"
}

verb=${1:-quick}
[ $# -gt 0 ] && shift
case "$verb" in
  -h | --help | help) usage ;;
  setup) set_up "${measure_packages[@]}" "${check_packages[@]}" ;;
  smoke | quick | paper)
    set_up "${measure_packages[@]}" && build all && measure "$verb" "$@" ;;
  suite)
    set_up "${measure_packages[@]}" && build all && measure "$@" ;;
  run | list | doctor)
    set_up "${measure_packages[@]}" && build all && exec build/stealbench "$verb" "$@" ;;
  check)
    set_up "${measure_packages[@]}" "${check_packages[@]}"
    if [ $# -gt 0 ]; then build gate_builds all && exec build/stealbench check "$@"; fi
    exec tests/run.sh ;;
  compare)
    set_up "${measure_packages[@]}" && build all && exec plots/compare_deques.sh "$@" ;;
  trust)
    set_up "${measure_packages[@]}" && build all trust && exec trust/run.sh "$@" ;;
  draw)
    set_up "${measure_packages[@]}"
    [ $# -eq 1 ] || { usage >&2; exit 2; }
    draw "$1" ;;
  *)
    echo "run.sh: no verb $verb" >&2
    usage >&2
    exit 2 ;;
esac
