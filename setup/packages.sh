#!/usr/bin/env bash
# packages.sh: what the suite needs of the system. As root on Debian it installs what is missing, else it says the one
# command that does, and ends with 3.
#
#   setup/packages.sh                    all that building, measuring, drawing and the tests need (./run.sh setup)
#   setup/packages.sh --prefix=DIR       how that is had on other systems, in a folder of one's own
#   setup/packages.sh --venv             Python's packages into results/.venv
#   setup/packages.sh --driver           what building the driver needs, and where that is missing all that measuring does
#   setup/packages.sh --need SET... [-- SET...]   these sets (below); behind -- what is missing is only said
#   setup/packages.sh --lacking          what is lost without each package that is not here
#   setup/packages.sh --originals        which packages bring more live originals of our ports; installs none
# shellcheck disable=SC2034 # sets are found by their names (packages_of)
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C

# Debian's packages (setup/packages.tsv has others' names), in sets: what building needs, what all after measuring needs,
# and what the tests need besides.
build_packages=(gcc g++ make binutils libbenchmark-dev libhwloc-dev)
pages_packages=(python3 python3-numpy python3-scipy python3-matplotlib python3-jinja2)
# What one verb each needs besides.
valgrind_packages=(valgrind)
git_packages=(git)
# What has the live originals of our ports (queues/upstream/); nothing else asks for them, and what is absent is left out.
original_packages=(libeigen3-dev librust-crossbeam-deque-dev cargo rustc clang lld)
check_packages=(gnuplot-nox libbenchmark-tools libcmocka-dev clang-format shellcheck valgrind git python3-yaml)
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
    module) setup/python.sh -c "import $what" 2>&1 ;;
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


# The sets of these names, a word each package: "build pages" as build_packages and pages_packages.
packages_of() {
  local set list
  for set; do
    if [ "$set" = -- ]; then
      echo --
    else
      declare -n list="${set}_packages"
      printf '%s\n' "${list[@]}"
    fi
  done
}

case "${1-}" in
  '')
    mapfile -t asked < <(packages_of build pages check -- optional aarch64 numa)
    set_up "${asked[@]}" ;;
  --driver)
    # One command for everything that measuring needs, not one after the other.
    [ -z "$(missing_of "${build_packages[@]}")" ] || exec setup/packages.sh --need build pages -- optional ;;
  --need)
    mapfile -t asked < <(packages_of "${@:2}")
    set_up "${asked[@]}" ;;
  --venv) make_venv ;;
  --prefix=?*)
    mapfile -t asked < <(packages_of build pages check optional)
    say_how_to_install "${1#*=}" "${asked[@]}" ;;
  --lacking) tell_what_is_lost ;;
  --originals) offer_originals ;;
  *)
    echo "usage: ./run.sh setup [--prefix=DIR | --venv]" >&2
    exit 2 ;;
esac
