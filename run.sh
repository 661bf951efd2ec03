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
                            [--dry-run]: only say of every cell where it runs and how long it takes here; on two
                            processors smoke a minute, quick some, paper 5 to 14 hours (a night, by the precision it asks for)
                            [--topology=MACHINE]: on another machine
  suite NAME ...            any other suite, by name or file
  ... --slurm [-p PARTITION] [-N NODES]   any suite as a job array, merged afterwards (docs/cluster.md; --slurm --help)
  merge RUN                 one run of the parts that were measured on several nodes   [--missing] [--anyway]
  run WORKLOAD --deque=A,B --batch=1,128 ...     one workload, any parameters   (see: ./run.sh list workloads)
  compare A B               deque A against deque B on the same workloads: who is faster, and is it settled; or two runs,
                            two revisions [--deque=ID,ID], two files of Google Benchmark
  check [DEQUE...]          the tests; with names, only the gate of these deques   [--check=explore] [--fail-fast]
                            [--all]: the dear ones too, with every compiler that is here
  lab count|explore|stop [DEQUE...]   deques under our own scheduler: what they cost, how they break, who can stop whom
  ci                        what can be counted exactly against results/baseline; exit 1 on any increase
                            [--update-baseline]
  ci --against [REVISION]   both revisions built, measured in turns and counted: exit 1 when this one is slower, 3 when that
                            is not decided   [--deque=A,B] [--only=CELL,CELL] [--budget=10m] [--no-counts]
  trust                     the suite measures itself: planted times, its own cost, hand-written loops; and whether
                            two threads are ever slower than one   [itself|threads]; --gate: identical builds and planted
                            slowdowns through ci's gate   [--trials=N] [--for=TIME] [--resume=NAME] [--beside] [--help]
  fidelity                  our ports against the live originals (queues/upstream): what is installed, and CPPFLAGS=-I...
                            [--gate] [--invocations=N]
  runtimes | peers          our pool against oneTBB, OpenMP, Rayon, Go, Java's ForkJoinPool, find, bfs, fd on the same work:
                            ratios with intervals   [--quick]: six sections, six times   [--only=TAG,TAG] [--dry-run]
  export DEQUE [--prefix=NAME] [--item=TYPE]   one header that stands alone, C11 and C++17, for your own program
  export pool --deque=NAME [--prefix=NAME]     the same of the pool
  history [METRIC]          all runs by commit, with the places from which on a cell is slower or faster; machines apart
                            [--deque=A,B] [--workload=W] [--csv=FILE]
  draw RUN                  table, figures and report of results/RUN again   [--style=acm|ieee|slides]: figures for a paper
  report RUN [RUN...]       the report of one run; several: side by side, of machines or revisions   [--output=FILE]
  publish RUN               its report as a folder for a static host, links followed   [--to=FOLDER]
  list deques|workloads|suites|metrics   what there is; metrics [WORD]: what each recorded value is
  doctor                    what is wrong for measuring on this machine, and what mends it
  setup                     only look for (as root: install) what is needed
        --prefix=DIR        how it is had on Debian, Fedora, Arch, by Spack or conda, into a folder of your own
        --venv              Python's packages into results/.venv

Exit: 0 fine, 1 a check or gate failed, 2 usage, 3 something missing, 4 a cell crashed or results could not be written.
USAGE
}

# What comes after measuring are modules, found from the top of the tree: by Debian's Python, which has the packages, or
# on other systems by the one that is found; first by that of setup --venv.
python=(/usr/bin/python3 -m)
[ -e /etc/debian_version ] || python=(python3 -m)
[ ! -x results/.venv/bin/python3 ] || python=(results/.venv/bin/python3 -m)

# Debian's packages (setup/packages.tsv has others' names): what measuring and drawing need, and what the tests need besides.
measure_packages=(gcc g++ make binutils libbenchmark-dev libhwloc-dev
  python3 python3-numpy python3-scipy python3-matplotlib python3-jinja2)
# What has the live originals of our ports (queues/upstream/); nothing else asks for them, and what is absent is left out.
original_packages=(libeigen3-dev librust-crossbeam-deque-dev cargo rustc clang lld)
check_packages=(gnuplot-nox libbenchmark-tools libcmocka-dev clang-format shellcheck valgrind git)
# A clang's sanitizers come in a package apart from it.
case ${CC:-gcc} in *clang*) check_packages+=("libclang-rt-$({ "$CC" -dumpversion || echo 14; } 2> /dev/null | cut -d. -f1)-dev") ;; esac
# What some workloads and figures can do without: counters, the trees' hash, the files' hash, reads by io_uring.
optional_packages=(libpapi-dev libssl-dev libxxhash-dev liburing-dev)
# Tests that run only where these are: every deque on another processor (tests/aarch64.sh).
aarch64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# A guest with two sockets (make check-numa); its kernel is downloaded, not installed.
numa_packages=(qemu-system-x86 busybox-static cpio)
# Others to be measured against.
runtimes_packages=(libtbb-dev libomp-dev bfs fd-find findutils librust-rayon-dev cargo rustc golang-go default-jdk-headless)

debian() { command -v dpkg-query > /dev/null; }

# Is what that package brings here already, wherever it comes from (setup/packages.tsv)? What that does not know is.
found_here() {
  local kind what
  read -r kind what < <(awk -F'\t' -v package="$1" '$1 == package { print $2 }' setup/packages.tsv)
  case $kind in
    command) command -v "$what" ;;
    module) "${python[0]}" -c "import $what" 2>&1 ;;
    header) # shellcheck disable=SC2086 # several words
      echo "#include <$what>" | "${CC:-gcc}" ${CPPFLAGS-} ${PREFIX:+"-I$PREFIX/include"} -E -x c++ - 2>&1 ;;
  esac > /dev/null
}

# Those of the packages that are not installed, a line each. Somebody who says where things are (PREFIX, CPPFLAGS) may
# have them there, and on other systems only what is found counts.
missing_of() {
  local package
  for package in "$@"; do
    if debian; then
      dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' && continue
      [ -n "${PREFIX-}${CPPFLAGS-}" ] && grep -q "^$package"$'\t' setup/packages.tsv && found_here "$package" && continue
    else
      found_here "$package" && continue
    fi
    echo "$package"
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

# Whose names for packages this system goes by: a column of setup/packages.tsv; "" when none does.
system_here() {
  debian && echo debian && return
  local ID='' ID_LIKE=''
  # shellcheck disable=SC1090,SC1091 # the system's own
  . "${OS_RELEASE:-/etc/os-release}" 2> /dev/null
  case " $ID $ID_LIKE " in
    *\ fedora\ * | *\ rhel\ *) echo fedora ;;
    *\ arch\ *) echo arch ;;
  esac
}

# how_to_install_for SYSTEM PREFIX PACKAGE...: the one command there, for packages by Debian's names; what has no other
# name there (a column "-") is left out.
how_to_install_for() {
  local system=$1 prefix=$2 names=''
  shift 2
  [ "$system" = debian ] || names=$(awk -F'\t' -v names="$system" -v wanted=" $* " '
    BEGIN { column["debian"] = 1; column["fedora"] = 3; column["arch"] = 4; column["spack"] = 5; column["conda"] = 6 }
    index(wanted, " " $1 " ") && $column[names] != "-" && !said[$column[names]]++ { printf " %s", $column[names] }
    ' setup/packages.tsv)
  case $system in
    debian) echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*" ;;
    fedora) echo "sudo dnf install -y$names" ;;
    arch) echo "sudo pacman -S --needed --noconfirm$names" ;;
    spack) echo "spack env create -d $prefix && spack -e $prefix add$names && spack -e $prefix install" ;;
    conda) echo "conda create -y -p $prefix -c conda-forge$names" ;;
  esac
}

# The one command that a user who is not root can hand on; where nobody's names are known, those of who needs no root.
how_to_install() {
  local system
  system=$(system_here)
  if [ -n "$system" ]; then
    how_to_install_for "$system" '' "$@"
  else
    how_to_install_for conda "$HOME/stealbench" "$@"
  fi
}

# setup --prefix=DIR: builds nothing; says for each system what brings all, and how it is then found.
say_how_to_install() { # PREFIX PACKAGE...
  local prefix=$1 system view
  shift
  for system in debian fedora arch spack conda; do
    printf '%-8s %s\n' "$system" "$(how_to_install_for "$system" "$prefix" "$@")"
  done
  view=$prefix/.spack-env/view
  printf '%s\n' "" "fedora: on RHEL and its kin some are in EPEL and CRB: dnf install epel-release; dnf config-manager --set-enabled crb" \
    "Then, in the same shell:  conda activate $prefix   or   spack env activate $prefix   or   module load ..." \
    "What is not found by the compiler itself: PREFIX=$prefix ./run.sh (Spack: PREFIX=$view); CPPFLAGS, LDFLAGS and pkg-config are heeded too" \
    "Python's packages alone, beside the results: ./run.sh setup --venv"
}

# setup --venv: Python's packages in results/.venv, where they are looked for first.
make_venv() {
  local base=python3 packages
  debian && base=/usr/bin/python3
  packages=$(awk -F'\t' '$2 ~ /^module / { sub(/^module /, "", $2); printf " %s", $2 }' setup/packages.tsv)
  # shellcheck disable=SC2086 # several words
  if ! "$base" -m venv results/.venv || ! results/.venv/bin/python3 -m pip install -q $packages; then
    echo "no virtual environment in results/.venv: it takes Python's venv (Debian: python3-venv) and a network" >&2
    exit 3
  fi
  echo "Python's packages are in results/.venv"
}

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
  mapfile -t needed < <(missing_of "${needed[@]}")
  mapfile -t optional < <(missing_of "${optional[@]}")
  if [ "$(id -u)" -eq 0 ] && debian; then
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

# What is lost without each package that is not here: setup/packages.tsv says it.
tell_what_is_lost() {
  local package here_when without lacking=()
  while IFS=$'\t' read -r package here_when _ _ _ _ without; do
    if [ -n "$(missing_of "$package")" ] && { [ "$here_when" = - ] || ! found_here "$package"; }; then
      lacking+=("$package")
      echo "lacking  $package: $without"
    fi
  done < <(grep -v '^#' setup/packages.tsv)
  [ ${#lacking[@]} -eq 0 ] || echo "         they come with: $(how_to_install "${lacking[@]}")"
}

# Says which packages would bring more originals; installs none: a Rust compiler is large.
offer_originals() {
  local missing
  debian || return 0
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
  [ -e build/obj ] || rm -f build/obj # a link to a node's scratch that is gone (cluster/build.sh)
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


# of_runs MODULE RUN|OPTION...: a run is named by its folder, or by its name below results/.
of_runs() {
  local module=$1 word words=()
  shift
  for word; do
    [[ $word == -* ]] || [ -d "$word" ] || [ ! -d "results/$word" ] || word=results/$word
    words+=("$word")
  done
  "${python[@]}" "$module" "${words[@]}"
}
draw() { of_runs plots.draw "$@"; }

# measure_then JUDGE... -- SUITE [OPTION...]: the one way from measuring to judging. Measures the suite and hands the run's
# folder to the judge, also where a cell crashed (4) or could not be measured here (3); what else goes wrong ends it all.
measure_then() {
  local judge=() status
  while [ "$1" != -- ]; do judge+=("$1") && shift; done
  shift
  build_needed suite "$@"
  if [[ " $*" == *" --part"[=\ ]* || " $*" == *" --split"[=\ ]* ]]; then # a part of a run: nothing to judge yet
    build/stealbench suite "$@"
    exit
  fi
  [[ " $* " != *" --dry-run "* ]] || { build/stealbench suite "$@" && exit; }
  [[ " $* " == *" --name"[\ =]* ]] || set -- --name="${run##*/}" "$@"
  build/stealbench suite "$@"
  status=$?
  case $status in 0 | 3 | 4) ;; *) exit "$status" ;; esac
  take_status "$status"
  [ ! -d "$run" ] || "${judge[@]}" "$run"
  take_status $?
}

# --slurm: what is submitted is built here, but for what was built and divided already and what a node is to build.
slurm() { # VERB ARGUMENT...
  local word building=1
  for word; do
    case $word in
      --help | -h | --resume | --resume=* | --build-on-node) building=0 ;;
      --march=?*) export OPTIMISE="-O3 -march=${word#*=}" ;;
    esac
  done
  [ "$building" -eq 0 ] || { set_up_measuring && build all; }
  exec "${python[@]}" cluster.slurm "$@"
}

# The parts of a run as one, and its table, figures and report where Python's packages are.
merge() {
  local word run='' drawing=1
  for word; do
    case $word in
      --missing | --help | -h) drawing=0 ;;
      -*) ;;
      *) run=$word && [ -d "$word" ] || run=results/$word ;;
    esac
  done
  of_runs cluster.merge "$@"
  take_status $?
  if [ "$drawing" -eq 0 ] || [ ! -e "$run/manifest.json" ] || [ "$worst" -eq 2 ]; then
    return
  elif "${python[@]}" plots.draw "$run"; then
    return
  fi
  echo "merged, and not drawn here: copy $run to where Python's packages are, and ./run.sh draw it there" >&2
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

# The same, when all of it is drawn; a figure that cannot be is no reason not to judge.
# shellcheck disable=SC2317 # measure_then calls it
drawn() {
  draw "${!#}"
  take_status $?
  summarized "$@"
}

# Is that a run's folder, or a file of Google Benchmark? Then in $found.
measured() {
  for found in "$1" "results/$1"; do
    if [ -d "$found" ] && [ -e "$found/manifest.json" ]; then return 0; fi
    if [ -f "$found" ] && [[ $found == *.json ]]; then return 0; fi
  done
  return 1
}

compare() {
  local a b found
  if [ $# -lt 2 ] || [[ $1 == -* || $2 == -* ]]; then
    echo "usage: ./run.sh compare A B [--only=TAG,TAG] [--unsound] [--invocations=N] [--resume]
       A and B: deques, runs, files of Google Benchmark, or revisions of this tree [--deque=ID,ID]" >&2
    exit 2
  elif [ "$1" = "$2" ]; then
    echo "compare: $1 against itself tells nothing" >&2
    exit 2
  fi
  if measured "$1" && a=$found && measured "$2" && b=$found; then
    set_up "${measure_packages[@]}"
    "${python[@]}" plots.compare "$a" "$b" "${@:3}"
    exit
  fi
  set_up_measuring && build all
  if [ ! -e "queues/$1.h" ] && [ ! -e "queues/$2.h" ] && git rev-parse --verify --quiet "$1^{commit}" > /dev/null; then
    compare_revisions "$@"
  else
    measure_then "${python[@]}" plots.compare --deque="$1" --against="$2" -- compare --deque="$1,$2" "${@:3}"
  fi
}

# Each deque that differs has a run of its own: its two builds in turns.
compare_revisions() {
  local sides deque a b folders options=() named=() option
  for option in "${@:3}"; do
    case $option in --deque=*) named+=("$option") ;; *) options+=("$option") ;; esac
  done
  sides=$("${python[@]}" plots.gate.two_revisions "$1" "$2" "${named[@]}") || exit
  while IFS=$'\t' read -r deque a b folders <&3; do
    echo "$deque"
    measure_then "${python[@]}" plots.compare --deque="$a" --against="$b" -- compare --deques-in="$folders" \
      --deque="$a,$b" "${options[@]}"
  done 3<<< "$sides"
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

# Our deques and the runtimes that are here. --quick: a section a kind of work, as often as a verdict takes; what is said
# besides holds.
quick_runtimes=("--only=fib-2,fib-2-libgomp,nqueens-2,quicksort-2,uts-2,walk-2" --invocations=6 --repetitions=2)
runtimes() {
  local word words=()
  if [[ " $* " == *" --quick "* ]]; then
    for word in "${quick_runtimes[@]}"; do [[ " $* " == *" ${word%%=*}"[=\ ]* ]] || words+=("$word"); done
    for word; do [ "$word" = --quick ] || words+=("$word"); done
    set -- "${words[@]}"
  fi
  measure_then drawn "${python[@]}" runtimes.runtimes -- runtimes/runtimes.suite \
    --deques-in=build/pool:build/checks:build/runtimes "$@"
}

# The verb that is the fewest letters away: changed, added or left out, at most half of the word's.
nearest_verb() {
  printf '%s\n' smoke quick paper suite run compare check lab ci trust fidelity runtimes export history draw report publish list doctor setup merge |
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
    case ${1-} in
      --venv) make_venv && exit ;;
      --prefix=?*) say_how_to_install "${1#*=}" "${measure_packages[@]}" "${check_packages[@]}" "${optional_packages[@]}" && exit ;;
      ?*) echo "usage: ./run.sh setup [--prefix=DIR | --venv]" >&2 && exit 2 ;;
    esac
    set_up "${measure_packages[@]}" "${check_packages[@]}" -- "${optional_packages[@]}" "${aarch64_packages[@]}" "${numa_packages[@]}" ;;
  smoke | quick | paper | suite)
    [[ " $* " != *" --slurm "* ]] || slurm "$verb" "$@"
    [ "$verb" = suite ] || set -- "$verb" "$@"
    set_up_measuring && build all
    measure_then draw -- "$@" ;;
  ci)
    set_up "${measure_packages[@]}" valgrind
    [[ " $*" == *" --against"* ]] || exec lab/counts/ci.sh "$@"
    set_up git && build all && exec "${python[@]}" plots.gate.ci "$@" ;;
  run)
    set_up_measuring && build all
    run_workload "$@" ;;
  doctor)
    set_up_measuring && build all && build/stealbench doctor "$@"
    take_status $?
    tell_what_is_lost ;;
  list | lab)
    [ "$verb ${1-}" != "list metrics" ] || exec "${python[@]}" plots.pages.metrics "${@:2}"
    set_up_measuring && build all && exec build/stealbench "$verb" "$@" ;;
  check)
    set_up "${measure_packages[@]}" "${check_packages[@]}" -- "${optional_packages[@]}"
    if [ $# -eq 0 ] || [ "$*" = --all ]; then exec tests/run.sh "$@"; fi
    build all && build_gate_of "$@" && exec build/stealbench check "$@" ;;
  compare)
    compare "$@" ;;
  trust)
    set_up_measuring
    if [ "${1-}" = --gate ]; then
      # One deque is tried, and what is planted: no other is built.
      set_up valgrind && build build/stealbench build/{deques,pool,checks,pool_checks}/chase_lev trust_gate && exec "${python[@]}" harness.trust.gate_trials "${@:2}"
    fi
    build all trust && trust "$@" ;;
  fidelity)
    set_up_measuring && offer_originals && build all
    fidelity "$@" ;;
  runtimes | peers)
    set_up "${measure_packages[@]}" -- "${optional_packages[@]}" "${runtimes_packages[@]}"
    build all runtimes
    runtimes "$@" ;;
  export)
    exec "${python[@]}" export "$@" ;;
  history)
    set_up "${measure_packages[@]}"
    exec "${python[@]}" plots.history "$@" ;;
  merge)
    merge "$@" ;;
  draw)
    set_up "${measure_packages[@]}"
    case ${1:--} in -*) usage >&2 && exit 2 ;; esac
    draw "$@"
    worst=$? ;;
  report | publish)
    set_up "${measure_packages[@]}"
    case $verb in report) verb=beside ;; esac
    of_runs "plots.pages.$verb" "$@"
    worst=$? ;;
  *)
    nearest=$(nearest_verb "$verb")
    echo "run.sh: no verb $verb; ${nearest:+did you mean $nearest? }./run.sh help tells what there is" >&2
    exit 2 ;;
esac
exit "$worst"
