#!/usr/bin/env bash
# compilers.sh: no compiler that is here has anything to warn of. Compiles without linking: for each -march below that a
# compiler knows, with -O2 and with -O3, all that does not know the deque, and the deques in turns, so that each of them
# is compiled once by each compiler; once a compiler the checks, the harness, the lab and the unit tests. What the build's
# own compiler ($CC) makes, it makes of every deque, with the build's own flags, though it may have built it before.
#
#   tests/compilers.sh [--few] [COMPILER...]     default: $CC, every gcc and clang on PATH, and a cross compiler for AArch64;
#                                                --few: the makers that the build's own compiler is not of (gcc, clang),
#                                                each once: one file of every deque with all operations and one with the
#                                                pool's, of one deque all, and all that does not know the deque; and the
#                                                build's own compiler all of one deque, for another processor
#
# Ends on "N passed, N failed": a compiler with its flags is one.
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C
own=${CC:-gcc}
few=
[ "${1-}" != --few ] || { few=1 && shift; }
jobs=$(nproc)
passed=0 failed=0
mkdir -p build && work=$(mktemp -d build/compilers-XXXXXX) || exit 3
trap 'rm -rf "$work"' EXIT

# Several levels and makers. What a compiler does not know it is not asked for.
marches() { # COMPILER
  case $("$1" -dumpmachine) in
    x86_64*) echo native x86-64-v2 x86-64-v3 x86-64-v4 sapphirerapids znver4 ;;
    aarch64*) echo native armv8-a armv8.1-a armv8.2-a+sve ;;
    *) echo native ;;
  esac
}
knows() { "$1" "-march=$2" -x c -c /dev/null -o /dev/null 2> /dev/null; }

# Debian keeps those headers of a library that depend on the processor where a cross compiler does not look.
headers_for() { # COMPILER
  [[ $("$1" -dumpmachine) == "$(uname -m)"-* ]] || echo "-idirafter /usr/include/$(uname -m)-linux-gnu"
}

every_deque() {
  find queues -name '*.h' ! -name deque.h ! -path '*/upstream/*' | sed 's/^queues\///; s/\.h$//' | sort
}

# compile COMPILER FLAGS DEQUES TARGET...: a warning is a failure, as an error is.
compile() {
  local compiler=$1 flags=$2 deques=$3 status said
  shift 3
  set -- "$@" CC="$compiler" BUILD="$work/objects" DEQUE_IDS="$deques" ${flags:+"OPTIMISE=$flags"}
  make -s -k -j"$jobs" "$@" CPPFLAGS="${CPPFLAGS:-} $(headers_for "$compiler")" > "$work/said" 2>&1
  status=$?
  # what names a place in a source; compilers also warn of what they make of -march=native
  said=$(grep -E '^[^ ]+:[0-9]+:([0-9]+:)? (warning|error|fatal error):' "$work/said" | sort | uniq -c)
  if [ "$status" -eq 0 ] && [ -z "$said" ]; then
    passed=$((passed + 1))
    echo "passed $compiler ${flags:-as the build does}: $(find "$work/objects" -name '*.o' | wc -l) files"
  else
    failed=$((failed + 1))
    echo "FAILED $compiler ${flags:-as the build does}:"
    if [ -n "$said" ]; then echo "$said"; else tail -n 5 "$work/said"; fi
  fi
  rm -rf "$work/objects"
}

# share TURN TURNS: every TURNS-th deque, beginning with number TURN.
share() { every_deque | awk -v turn="$1" -v turns="$2" 'NR % turns == turn' | xargs; }

combinations=()
combine() { # COMPILER: sets combinations
  local march level
  combinations=()
  for march in $(marches "$1"); do
    knows "$1" "$march" || continue
    for level in -O3 -O2; do combinations+=("$level -march=$march"); done
  done
}

try() { # COMPILER
  local i targets=(objects objects_besides)
  combine "$1"
  for i in "${!combinations[@]}"; do
    compile "$1" "${combinations[i]}" "$(share "$i" ${#combinations[@]})" "${targets[@]}"
    targets=(objects)
  done
}

try_few() { # COMPILER
  combine "$1"
  if [ "$1" = "$own" ]; then
    compile "$1" "${combinations[3]:-${combinations[1]}}" chase_lev objects
  else
    compile "$1" "${combinations[0]}" "$(every_deque | xargs)" objects_few
    compile "$1" "${combinations[0]}" chase_lev objects objects_besides
  fi
}

# Every compiler once, by what it says of itself: gcc and gcc-12 are often the same.
look_for_compilers() {
  local name version told=' ' names=("$own" gcc clang)
  [ "$few" ] || mapfile -t -O 3 names < <(compgen -c | grep -xE '(gcc|clang)-[0-9]+' | sort -u && echo aarch64-linux-gnu-gcc)
  for name in "${names[@]}"; do
    command -v "$name" > /dev/null || { echo "$name: not here, left out" && continue; }
    version=$("$name" --version | head -n 1 | sed 's/^[^ ]* //')-$("$name" -dumpmachine)
    [[ $told == *" $version "* ]] || compilers+=("$name")
    told+="$version "
  done
}

compilers=("$@")
[ $# -gt 0 ] || look_for_compilers
[ "$few" ] || compile "$own" '' "$(every_deque | xargs)" objects objects_besides
for compiler in "${compilers[@]}"; do "try${few:+_few}" "$compiler"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
