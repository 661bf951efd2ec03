# expect.sh: what the tests beside it share; each sources it first. Commands run from the top folder; $scratch is a folder that
# goes when the test ends, which then prints "N passed, N failed".
# shellcheck shell=bash
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 3
export LC_ALL=C
passed=0 failed=0
scratch=$(mktemp -d) || exit 3
chmod 755 "$scratch"

# Whatever else a test has to end is in this function.
# shellcheck disable=SC2317 # the trap calls it
end() { :; }
# shellcheck disable=SC2317
finish() {
  local status=$?
  end
  chmod -R u+w "$scratch"
  rm -rf "$scratch"
  [ "$status" -ne 3 ] || exit 3
  [ "$status" -eq 0 ] || fail "the test ended with $status"
  echo "$passed passed, $failed failed"
  exit $((failed > 0))
}
trap finish EXIT

pass() { passed=$((passed + 1)); }
fail() { # WHY...
  failed=$((failed + 1))
  echo "FAILED $*"
}

# verdict NAME [STATUS]: passes when the last command, or this exit code, is a success; else shows what was said.
verdict() {
  local status=${2-$?} file
  [ "$status" -ne 0 ] || { pass && return; }
  fail "$1"
  for file in "$scratch"/{said,out,err}; do [ ! -f "$file" ] || tail -n 20 "$file"; done
}

# How a command of expect is run; a test may say otherwise.
# shellcheck disable=SC2317 # expect calls it
around() { "$@"; }

# expect NAME CODE WORDS COMMAND...: the command ends with that code, and what it says holds these words.
expect() {
  local name=$1 code=$2 words=$3 said status
  shift 3
  said=$(around "$@" 2>&1)
  status=$?
  if [[ $status -eq $code && $said == *"$words"* ]]; then pass; else
    fail "$name: exit $status instead of $code, expected \"$words\":"$'\n'"$said"
  fi
}

# copy_tree FOLDER [DEQUE...]: a copy of the tree with nothing built; with names these deques alone, and nobody else's.
copy_tree() {
  local folder=$1 header
  mkdir -p "$folder"/{build,results}
  cp -a Makefile run.sh CITATION.cff LICENSE .clang-format .gitignore export harness plots proof setup suites tests workloads "$folder"
  cp -a results/published results/metrics.csv results/settings.csv "$folder/results/"
  shift
  [ $# -gt 0 ] || { cp -a queues "$folder" && return; }
  mkdir -p "$folder/queues"
  cp -a queues/parts "$folder/queues/"
  for header in deque "$@"; do cp -a "queues/$header.h" "$folder/queues/"; done
}

# copy_built FOLDER DEQUE...: with copy_tree, what was built of the driver, descriptions, and of these deques their objects and lab.
copy_built() {
  local folder=$1/build deque
  cp -a --parents build/obj/{address,thread,pool_checks}/once "$1/"
  shift
  mkdir -p "$folder/obj/timed" "$folder/lab/deques"
  cp -a build/{.ninja_log,build.json,described,libmeasuring.a,stealbench} "$folder/"
  cp -a build/obj/{described,driver,harness} "$folder/obj/"
  cp -a build/obj/timed/once "${@/#/build/obj/timed/}" "$folder/obj/timed/"
  cp -a build/lab/runtime "${@/#/build/lab/}" "$folder/lab/"
  for deque; do cp -a "build/lab/deques/$deque."* "$folder/lab/deques/"; done
}

# stand_in FOLDER TOOL...: programs there that succeed and say that every package they are asked for is installed.
stand_in() {
  local folder=$1 tool
  shift
  mkdir -p "$folder"
  # shellcheck disable=SC2016 # for the shell that runs it
  for tool; do printf '#!/bin/sh\nfor word; do echo "$word install ok installed"; done\n' > "$folder/$tool" && chmod +x "$folder/$tool"; done
}
