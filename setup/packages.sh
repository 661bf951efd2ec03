#!/usr/bin/env bash
# packages.sh: the packages that the suite needs. As root on Debian it installs what is missing; otherwise it prints the one
# command that does so, or on other systems the names of what is missing, and exits with 3.
#
#   setup/packages.sh                    everything for building, measuring, drawing and testing (./run.sh setup)
#   setup/packages.sh --venv             installs Python's packages into results/.venv
#   setup/packages.sh --driver           what the driver is built with; if that is missing, all that measuring needs
#   setup/packages.sh --need SET... [-- SET...]   these sets (below); a missing package of a set after -- is only named
#   setup/packages.sh --lacking          prints what does not work without each missing package
#   setup/packages.sh --originals        prints which packages bring more live originals of our ports
# shellcheck disable=SC2034 # missing_in finds the sets by their names
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C

# Sets of Debian packages (setup/packages.tsv has other names of them): for building, for everything after measuring,
# and (check) for the tests.
build_packages=(gcc g++ make ninja-build python3 binutils libbenchmark-dev libhwloc-dev libjansson-dev)
pages_packages=(python3 python3-numpy python3-scipy python3-matplotlib python3-jinja2)
# What single verbs need in addition.
valgrind_packages=(valgrind)
git_packages=(git)
# The live originals of our ports (queues/upstream/). Originals that are not installed are left out.
original_packages=(libeigen3-dev librust-crossbeam-deque-dev cargo rustc clang lld)
check_packages=(cmake gnuplot-nox libbenchmark-tools libcmocka-dev clang-format shellcheck valgrind git python3-yaml)
# Debian packages clang's sanitizers separately.
case ${CC:-gcc} in *clang*) check_packages+=("libclang-rt-$({ "$CC" -dumpversion || echo 14; } 2> /dev/null | cut -d. -f1)-dev") ;; esac
# Optional: counters, the hash of UTS's trees, the hash of files.
optional_packages=(libpapi-dev libssl-dev libxxhash-dev)
# For tests/aarch64.sh, which is skipped without them.
aarch64_packages=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# For make check-numa, a guest with two sockets. Its kernel is downloaded, not installed.
numa_packages=(qemu-system-x86 busybox-static cpio)

debian() { command -v dpkg-query > /dev/null; }

# Is the package's content here, wherever it comes from? setup/packages.tsv says what to look for; a package without an entry
# counts as found.
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

# Prints the packages that are missing. Debian is asked once for all of them; with PREFIX or CPPFLAGS, and on other systems,
# found_here decides.
missing_of() {
  local package installed=''
  ! debian || installed=$(dpkg-query -W -f='${Package} ${Status}\n' "$@" 2> /dev/null | sed -n 's/ install ok installed$//p')
  for package in "$@"; do
    if debian; then
      [[ $'\n'$installed$'\n' == *$'\n'"$package"$'\n'* ]] && continue
      [ -n "${PREFIX-}${CPPFLAGS-}" ] && grep -q "^$package"$'\t' setup/packages.tsv && found_here "$package" && continue
    else
      found_here "$package" && continue
    fi
    echo "$package"
  done
}

# missing_in "SET...": the same of these sets.
missing_in() {
  local set list all=()
  for set in $1; do
    declare -n list="${set}_packages"
    all+=("${list[@]}")
  done
  missing_of "${all[@]}"
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

# how_to_install PACKAGE...: prints Debian's command, or the names that other systems' packages resemble.
how_to_install() {
  if debian; then
    echo "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
  else
    awk -F'\t' -v wanted=" $* " 'index(wanted, " " $1 " ") && !said[$3]++ { printf "%s%s", separator, $3; separator = ", " }
      END { print " (by your packages, conda, Spack or module load; the build looks below PREFIX=DIR, too)" }' setup/packages.tsv
  fi
}

# setup --venv: installs Python's packages into results/.venv, where setup/python.sh looks first.
make_venv() {
  local base=python3 packages
  debian && base=/usr/bin/python3
  packages=$(awk -F'\t' '$2 ~ /^module / { sub(/^module /, "", $2); printf " %s", $2 }' setup/packages.tsv)
  # shellcheck disable=SC2086 # several words
  if ! "$base" -m venv results/.venv || ! results/.venv/bin/python3 -m pip install -q $packages; then
    echo "cannot make a virtual environment in results/.venv: it needs Python's venv (Debian: python3-venv) and a network" >&2
    exit 3
  fi
  echo "Python's packages are in results/.venv"
}

# set_up "NEEDED-SET..." "OPTIONAL-SET...": as root installs what is missing, otherwise prints how. A missing needed package ends
# with 3; without an optional one, whatever needs it is left out.
set_up() {
  local needed optional
  mapfile -t needed < <(missing_in "$1")
  mapfile -t optional < <(missing_in "$2")
  if [ "$(id -u)" -eq 0 ] && debian; then
    [ ${#needed[@]} -eq 0 ] || install "${needed[@]}" || exit 3
    [ ${#optional[@]} -eq 0 ] || install "${optional[@]}" || echo "what needs these is left out: ${optional[*]}" >&2
  elif [ ${#needed[@]} -gt 0 ]; then
    printf 'missing: %s\n%s: %s\n' "${needed[*]}" "$(debian && echo Run || echo Install)" "$(how_to_install "${needed[@]}" "${optional[@]}")" >&2
    exit 3
  elif [ ${#optional[@]} -gt 0 ]; then
    printf 'what needs these is left out: %s\nThey come with: %s\n' "${optional[*]}" "$(how_to_install "${optional[@]}")" >&2
  fi
}

# Prints what does not work without each missing package, from setup/packages.tsv.
tell_what_is_lost() {
  local package here_when without missing lacking=()
  # shellcheck disable=SC2046 # several words
  missing=$(missing_of $(grep -v '^#' setup/packages.tsv | cut -f 1))
  while IFS=$'\t' read -r package here_when _ without; do
    if [[ $'\n'$missing$'\n' == *$'\n'"$package"$'\n'* ]] && { [ "$here_when" = - ] || ! found_here "$package"; }; then
      lacking+=("$package")
      echo "lacking  $package: $without"
    fi
  done < <(grep -v '^#' setup/packages.tsv)
  [ ${#lacking[@]} -eq 0 ] || echo "         they come with: $(how_to_install "${lacking[@]}")"
}

# Prints which packages would bring more originals. It installs none, because a Rust compiler is large.
offer_originals() {
  local missing
  debian || return 0
  mapfile -t missing < <(missing_in original)
  [ ${#missing[@]} -eq 0 ] ||
    echo "more originals (queues/upstream/README.md) come with: $(how_to_install "${missing[@]}")" >&2
}

case "${1-}" in
  '') set_up "build pages check" "optional aarch64 numa" ;;
  --driver) # if anything is missing, name everything that measuring needs, so that one command is enough
    [ -z "$(missing_in build)" ] || set_up "build pages" optional ;;
  --need)
    sets=${*:2}
    behind=${sets#*--}
    set_up "${sets%%--*}" "${behind#"$sets"}" ;;
  --venv) make_venv ;;
  --lacking) tell_what_is_lost ;;
  --originals) offer_originals ;;
  *)
    echo "usage: ./run.sh setup [--venv]" >&2
    exit 2 ;;
esac
