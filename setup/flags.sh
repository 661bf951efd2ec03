#!/usr/bin/env bash
# flags.sh FOLDER: writes the build's variables for make into FOLDER/flags.mk and prints that path. It asks the compiler CC
# which flags and headers it knows, and reads CC, CXX, OPTIMISE, CPPFLAGS, LDFLAGS, PREFIX.
#
# FOLDER/build.json has the same for the driver and for people. When the flags change, what lies in FOLDER is moved to
# FOLDER/other_flags/HASH, and moved back when the same flags return.
set -u
build=$1
export LC_ALL=C
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT

refuse() { echo "$*" >&2 && exit 3; }

# Recipes pass these to the shell as they are. Refuse what the shell cannot parse, or every recipe would fail.
for name in CC CXX OPTIMISE CPPFLAGS LDFLAGS; do
  (eval "set -- ${!name-}") 2> /dev/null || refuse "$name: the shell cannot read ${!name}"
done

# knows FLAG...: does the compiler know all of these?
knows() {
  # shellcheck disable=SC2086 # the compiler may be several words
  $CC -Werror "$@" -x c -c /dev/null -o /dev/null 2> /dev/null
}

# Folders of libraries where the compiler does not look by itself: below PREFIX, or known to pkg-config (modules, Spack).
libraries=(hwloc jansson benchmark cmocka liburing libcrypto libxxhash)
found_folders() {
  local library
  [ -z "${PREFIX-}" ] || echo "-I$PREFIX/include -L$PREFIX/lib"
  command -v pkg-config > /dev/null || return 0
  for library in "${libraries[@]}"; do pkg-config --cflags-only-I --libs-only-L "$library" 2> /dev/null; done
}
for folder in $(found_folders | tr ' ' '\n' | sort -u); do
  case $folder in
    -I*) [[ " $CPPFLAGS " == *" $folder "* ]] || CPPFLAGS="$folder${CPPFLAGS:+ $CPPFLAGS}" ;;
    -L*) [[ " $LDFLAGS " == *" $folder "* ]] || LDFLAGS="$folder -Wl,-rpath,${folder#-L}${LDFLAGS:+ $LDFLAGS}" ;;
  esac
done

# Optional headers, each used by one file (__has_include).
for header in liburing.h openssl/sha.h xxhash.h; do
  printf '#if __has_include(<%s>)\n"%s"\n#endif\n' "$header" "$header"
done > "$work/headers.c"
found=$(eval "$CC -E -P $CPPFLAGS -" < "$work/headers.c" 2> /dev/null | tr -d '"' | xargs)

version=$($CC --version | head -n 1)
maker=gcc
case $($CC --version) in *clang*) maker=clang ;; esac

# The variants of the measured loops: sets of flags, joined by +, that must not matter but may change the machine code. The
# plain one comes first. Unknown flags are dropped; that variant is then the plain code at another address.
gap=+-DOPERATION_GAP
declare -A variants_of=(
  [gcc]="plain -falign-loops=64$gap -fno-tree-pre -fno-gcse$gap -fno-schedule-insns2$gap -fno-ivopts$gap -funroll-loops
    -fno-reorder-blocks+-fno-tree-loop-im$gap"
  [clang]="plain -falign-loops=64$gap -mllvm+-enable-pre=false -mllvm+-enable-load-pre=false$gap
    -mllvm+-disable-post-ra$gap -mllvm+-disable-lsr$gap -funroll-loops -mllvm+-regalloc=basic$gap"
)
# With ThreadSanitizer gcc warns of every fence; no happens-before here comes from a fence alone. With either sanitizer it
# reports variables set after an instrumented access as maybe uninitialized.
quiet='-Wno-tsan -Wno-maybe-uninitialized'
# callgrind counts a jump into a part that gcc has split off (NAME.cold) as a call.
whole=-fno-reorder-blocks-and-partition

# Functions that do not depend on the deque begin a cache line.
placed='-ffunction-sections -falign-functions=64'

# Prints which of these the compiler knows. The answer is kept, because asking takes as long as everything else here.
ask_compiler() {
  local variant flags those=()
  for variant in ${variants_of[$maker]}; do
    flags=${variant//+/ }
    # shellcheck disable=SC2086 # several flags
    if [ "$variant" = plain ] || knows $flags; then those+=("$variant"); else those+=(plain); fi
  done
  echo "variants='${those[*]}'"
  # shellcheck disable=SC2086
  echo "quiet='$(knows $quiet && echo $quiet)' whole='$(knows $whole && echo "$whole")' quiet_lab='$(knows -Wno-tsan && echo -Wno-tsan)'"
}
known=$build/compilers/$(cksum <<< "$(type -p "${CC%% *}") $CC $version $(cat "$0")" | tr ' ' -)
mkdir -p "$build/compilers" 2> /dev/null || refuse "cannot write into $build"
[ -s "$known" ] || { ask_compiler > "$known.$$" && mv "$known.$$" "$known"; }
variants='' quiet_lab=''
# shellcheck disable=SC1090 # written above
. "$known"

# The instruction sets that the executables need, by Linux's names. The driver checks them before it starts one. A virtual
# machine's kernel may not list a set that its processor has: a build for this very processor does not ask for it.
here=''
[[ $OPTIMISE != *native* ]] || here=$(sed -n '/^\(flags\|Features\)/{s/.*: //p;q}' /proc/cpuinfo 2> /dev/null)
instructions=$(eval "$CC $OPTIMISE -dM -E -x c /dev/null" 2> /dev/null | awk -v here=" $here " '
  BEGIN {
    split("SSE4_1:sse4_1 SSE4_2:sse4_2 POPCNT:popcnt MOVBE:movbe BMI:bmi1 BMI2:bmi2 FMA:fma AVX:avx AVX2:avx2 " \
      "AVX512F:avx512f AVX512DQ:avx512dq AVX512BW:avx512bw AVX512VL:avx512vl AVX512CD:avx512cd " \
      "ARM_FEATURE_ATOMICS:atomics ARM_FEATURE_SVE:sve", pairs, " ")
    for (i in pairs) { split(pairs[i], pair, ":"); name["__" pair[1] "__"] = name["__" pair[1]] = pair[2] }
  }
  $2 in name && (here == "  " || index(here, " " name[$2] " ")) { print name[$2] }' | sort | xargs)

json() { # NAME VALUE ...: prints an object of strings
  local text separator='{'
  while [ $# -gt 0 ]; do
    text=${2//\\/\\\\}
    printf '%s"%s": "%s"' "$separator" "$1" "${text//\"/\\\"}"
    separator=', ' && shift 2
  done
  printf '}\n'
}
# The manifest of a run quotes this.
json compiler "$CC" version "$version" flags "$OPTIMISE" cppflags "$CPPFLAGS" cxx "$CXX" headers "$found" variants "$variants" \
  placed "$placed" instructions "$instructions" > "$work/build.json"

# Moves a build made with other flags. build.json is moved out last and in first, so an interrupted move never leaves a build
# with the wrong build.json.
hash_of() { cksum "$1" | tr ' ' - | cut -d- -f1,2; }
everything=(obj described deques pool checks pool_checks items4 address thread address_workloads thread_workloads
  pool_layouts scripted lab callgrind trust extras upstream tests libmeasuring.a libapplications.a
  stealbench placed)
other=$build/other_flags
move() { # FROM TO NAME...
  local one
  mkdir -p "$2" || exit 3
  for one in "${@:3}"; do
    [ -e "$1/$one" ] && [ ! -L "$1/$one" ] && { rm -rf "${2:?}/$one" && mv "$1/$one" "$2/" || exit 3; }
  done
}
if ! cmp -s "$work/build.json" "$build/build.json"; then
  [ ! -e "$build/build.json" ] || move "$build" "$other/$(hash_of "$build/build.json")" "${everything[@]}" build.json
  cp "$work/build.json" "$build/build.json"
fi
mine=$other/$(hash_of "$build/build.json")
[ ! -d "$mine" ] || { move "$mine" "$build" "${everything[@]}" && rm -rf "$mine"; }

for_make() { printf 'override %s := %s\n' "$1" "$(sed 's/\$/$$/g; s/#/\\#/g' <<< "$2")"; }
{
  for_make CPPFLAGS "$CPPFLAGS"
  for_make LDFLAGS "$LDFLAGS"
  for_make FOUND "$found"
  for_make MAKER "$maker"
  for_make VARIANTS "$variants"
  for_make PLACED "$placed"
  for_make QUIET "$quiet"
  for_make QUIET_LAB "$quiet_lab"
  for_make WHOLE "$whole"
} > "$work/flags.mk"
cmp -s "$work/flags.mk" "$build/flags.mk" || cp "$work/flags.mk" "$build/flags.mk" || exit 3
echo "$build/flags.mk"
