#!/usr/bin/env bash
# compilers.sh: no installed compiler warns of anything. It compiles without linking, with -O2 and -O3 and each -march below:
# everything that does not depend on the deque each time, each deque once per compiler, and the checks, harness, lab and unit
# tests once per compiler. The build's own compiler ($CC) also compiles every deque with the build's own flags.
#
#   tests/compilers.sh [--few] [COMPILER...]     default: $CC, every gcc and clang on PATH, and a cross compiler for AArch64
#
# --few: the compiler that does not build reads the headers of tests/deques.sh --sanitized and compiles all files of one deque and
# everything that does not depend on the deque. The one that builds reads the listings' headers: tests/built.sh sees its warnings of
# the others.
#
# Ends on "N passed, N failed": a compiler with its flags is one.
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C
own=${CC:-gcc}
few=
[ "${1-}" != --few ] || { few=1 && shift; }
passed=0 failed=0
mkdir -p build && work=$(mktemp -d build/compilers-XXXXXX) || exit 3
trap 'rm -rf "$work"' EXIT

# Processors of several levels and makers. Those that a compiler does not know are skipped.
marches() { # COMPILER
  case $("$1" -dumpmachine) in
    x86_64*) echo native x86-64-v2 x86-64-v3 x86-64-v4 sapphirerapids znver4 ;;
    aarch64*) echo native armv8-a armv8.1-a armv8.2-a+sve ;;
    *) echo native ;;
  esac
}
knows() { "$1" "-march=$2" -x c -c /dev/null -o /dev/null 2> /dev/null; }

# Debian keeps processor-dependent headers of a library where a cross compiler does not look.
headers_for() { # COMPILER
  [[ $("$1" -dumpmachine) == "$(uname -m)"-* ]] || echo "-idirafter /usr/include/$(uname -m)-linux-gnu"
}

# compile COMPILER FLAGS DEQUES GROUP...: these groups of tests/build.py, for these deques. A warning is a failure, as an error is.
compile() {
  local compiler=$1 flags=$2 deques=$3 status said files group deque targets=()
  shift 3
  for group; do for deque in $deques; do targets+=("$group/$deque"); done; done
  CC=$compiler BUILD=$work/objects OPTIMISE=${flags:-${OPTIMISE-}} CPPFLAGS="${CPPFLAGS:-} $(headers_for "$compiler")" \
    setup/configure.py -k0 "${targets[@]}" > "$work/said" 2>&1
  status=$?
  # Only lines that name a place in a source count: compilers also print remarks on -march=native.
  said=$(grep -E '^[^ ]+:[0-9]+:([0-9]+:)? (warning|error|fatal error):' "$work/said" | sort | uniq -c)
  files=$(grep -c '^building [0-9]* of [0-9]*: .*\.o$' "$work/said")
  if [ "$status" -eq 0 ] && [ -z "$said" ] && [ "$files" -gt 0 ]; then
    passed=$((passed + 1))
    echo "passed $compiler ${flags:-as the build does}: $files files"
  else
    failed=$((failed + 1))
    echo "FAILED $compiler ${flags:-as the build does}:"
    if [ -n "$said" ]; then echo "$said"; else tail -n 5 "$work/said"; fi
  fi
  rm -rf "$work/objects"
}

# share TURN TURNS: every TURNS-th deque, beginning with number TURN.
share() { tests/deques.sh | awk -v turn="$1" -v turns="$2" 'NR % turns == turn' | xargs; }

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

# What clang warns of does not depend on the machine code, without which it takes a quarter of the time.
try_few() { # COMPILER
  local flags=-fsyntax-only said headers
  mapfile -t headers < <(if [ "$1" = "$own" ]; then tests/deques.sh | grep '^as_'; else tests/deques.sh --sanitized; fi |
    sed 's/.*/queues\/&.h/')
  if said=$("$1" -std=gnu11 -D_GNU_SOURCE -I. -Wall -Wextra -Wshadow -Wconversion -Werror -fsyntax-only -x c "${headers[@]}" 2>&1); then
    passed=$((passed + 1))
    echo "passed $1: ${#headers[@]} headers"
  else
    failed=$((failed + 1))
    echo "FAILED $1: headers"$'\n'"$said"
  fi
  [ "$1" != "$own" ] || return 0
  combine "$1"
  "$1" --version | grep -q clang || flags=${combinations[0]}
  compile "$1" "$flags" chase_lev objects objects_besides
}

# Finds each compiler once, by its version: gcc and gcc-12 are often the same.
look_for_compilers() {
  local name version told=' ' names=("$own" gcc clang)
  [ "$few" ] || mapfile -t -O 3 names < <(compgen -c | grep -xE '(gcc|clang)-[0-9]+' | sort -u && echo aarch64-linux-gnu-gcc)
  for name in "${names[@]}"; do
    command -v "$name" > /dev/null || { echo "$name: not installed, left out" && continue; }
    version=$("$name" --version | head -n 1 | sed 's/^[^ ]* //')-$("$name" -dumpmachine)
    [[ $told == *" $version "* ]] || compilers+=("$name")
    told+="$version "
  done
}

compilers=("$@")
[ $# -gt 0 ] || look_for_compilers
[ "$few" ] || compile "$own" '' "$(tests/deques.sh | xargs)" objects objects_besides
for compiler in "${compilers[@]}"; do "try${few:+_few}" "$compiler"; done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
