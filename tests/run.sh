#!/usr/bin/env bash
# All tests, by ctest (tests.cmake lists them); ends on "N passed, N failed", the sum of what each test says. What cannot run
# here (no model checker, no cross compiler) is named and not counted; what a new deque lacks (counts to compare with)
# is a notice. build/ctest/junit.xml has each test's time and output.
#
#   tests/run.sh [--all] [PART...]      parts: lint build compilers units plots export docs end_to_end loops checks
#                                       planted_faults lab mutants model aarch64 ci page cluster numa slurm extras
#
# Without --all it runs the tests that fail most often: two makers' compilers, what is timed of a few deques, every sound deque's
# plain checks and lab; sanitizers, the pool's checks and counts for one deque of each kind and those that the last commit changes
# (tests/deques.sh); every twelfth planted fault and each listing that is wrong, the lab's tests with the build's compiler, every
# fourth of the model checker's rows that RC11 decides. --all takes everything: every compiler that is here, every check of every
# deque, every row (make check-model has them alone), AArch64 (aarch64), a guest with two sockets (numa), a Slurm of three nodes
# (slurm), what is in extras/. Named parts are not built for, unless build is one of them.
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C EVERYTHING='' PARTS
[ "${1-}" != --all ] || { EVERYTHING=1 && shift; }
PARTS=$*
for part; do
  sed -n 's/^# \( *tests\/run.sh .*parts:\| \{30,\}\)//p' tests/run.sh | grep -qw -- "$part" ||
    { echo "tests/run.sh: no such part: $part" >&2; exit 2; }
done
command -v ctest > /dev/null || { echo "tests/run.sh: ctest is not installed (Debian: cmake)" >&2; exit 3; }
folder=${CTEST_FOLDER:-build/ctest}
mkdir -p "$folder" && echo "include([[$PWD/tests/tests.cmake]])" > "$folder/CTestTestfile.cmake" && rm -f "$folder/junit.xml" || exit 4
chosen=()
[ $# -eq 0 ] || chosen=(--label-regex "^($(IFS='|' && echo "$*"))\$")
[[ $# -eq 0 || " $* " == *" build "* ]] || chosen+=(--fixture-exclude-setup built)
ctest --test-dir "$folder" --parallel $((2 * $(nproc))) --output-junit junit.xml --test-output-size-passed 0 \
  --test-output-size-failed 0 "${chosen[@]}"
[ -e "$folder/junit.xml" ] || exit 4
exec tests/summary.py "$folder/junit.xml"
