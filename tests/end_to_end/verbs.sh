#!/usr/bin/env bash
# What ./run.sh says at the end of a verb, and what it leaves behind: a screen and files, a table on the spot, the way to a
# figure; help and a dry run write nothing. make and the driver are stand-ins here: the driver's runs are made up.
# Ends on "N passed, N failed".
set -u
cd "$(dirname "$0")/../.." || exit 3
export LC_ALL=C
. tests/end_to_end/expect.sh
scratch=$(mktemp -d) || exit 3
trap 'rm -rf "$scratch"' EXIT
copy="$scratch/a b/stealbench" tools=$scratch/tools made=$scratch/made

mkdir -p "$copy/build" "$copy/results" "$tools" "$made"
cp -a run.sh harness plots setup suites "$copy"
cp -a results/published results/metrics.csv "$copy/results/"
for tool in dpkg-query make; do printf '#!/bin/sh\necho "install ok installed"\n' > "$tools/$tool"; done
chmod +x "$tools"/*
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$made" << 'PYTHON' || exit 3
import sys
from pathlib import Path
from tests.plots.many_deques_test import many_deques
from tests.plots.synthetic_run import SyntheticRun
many_deques(Path(sys.argv[1]) / "paper", count=12)
run = SyntheticRun(Path(sys.argv[1]) / "push", invocations=2)
run.cell([], "push", "chase_lev", {"batch": 64}, {"push_latency": (57.5, "ns")})
run.write()
PYTHON

# Says what a run needs, how long it takes, or copies the run that was made up to where it would be.
cat > "$copy/build/stealbench" << 'DRIVER'
#!/usr/bin/env bash
verb=$1 name=somewhere
for word; do case $word in --name=*) name=${word#--name=} ;; esac; done
case " $* " in
  *" --help "*) echo "usage: stealbench $verb"; exit ;;
  *" --needs "*) echo "run	results/$name"; exit ;;
  *" --dry-run "*) echo "paper: 52 cells, 312 invocations, about 1:23, asked: $*"; exit ;;
esac
case $verb in run) kind=push ;; *) kind=paper ;; esac
mkdir -p "results/$name" && cp "$MADE/$kind/"* "results/$name/"
DRIVER
chmod +x "$copy/build/stealbench"
around() { cd "$copy" && MADE=$made PATH="$tools:$PATH" timeout 300 "$@" < /dev/null; }

# unchanged NAME COMMAND...: it leaves no file and changes none
state() { (cd "$copy" && find . -name __pycache__ -prune -o -type f -printf '%p %s %T@\n' | sort); }
unchanged() {
  local before
  before=$(state)
  (around "${@:2}" > /dev/null 2>&1)
  if [ "$(state)" = "$before" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED $1: it wrote"; fi
}
# once COMMAND...: what it says, for those that ask after it
once() { said=$(around "$@" 2> /dev/null); }
# told NAME WORDS
told() { expect "$1" 0 "$2" printf '%s\n' "$said"; }
# between NAME LEAST MOST NUMBER
between() {
  if [ "$4" -ge "$2" ] && [ "$4" -le "$3" ]; then passed=$((passed + 1)); else
    failed=$((failed + 1)) && echo "FAILED $1: $4 lines"
  fi
}

cp -a "$made/paper" "$copy/results/somewhere" && echo kept > "$copy/results/somewhere/summary.csv"
for verb in "trust" "trust itself" "trust threads" "paper" "smoke" "suite paper" "run push" "compare a b"; do
  # shellcheck disable=SC2086 # words
  unchanged "$verb --help" ./run.sh $verb --help
done
expect "trust's help" 0 "usage: stealbench suite" ./run.sh trust --help
for verb in paper quick "run push --deque=chase_lev"; do
  # shellcheck disable=SC2086 # words
  unchanged "$verb --dry-run" ./run.sh $verb --dry-run
  # shellcheck disable=SC2086
  expect "$verb says how long" 0 "about 1:23" ./run.sh $verb --dry-run
done
expect "a quick run of other runtimes" 0 "--only=fib-2,fib-2-libgomp,nqueens-2,quicksort-2,uts-2,walk-2 --invocations=6 --repetitions=2 --dry-run" \
  ./run.sh peers --quick --dry-run
expect "of other sections" 0 " --invocations=6 --repetitions=2 --only=uts-2 --dry-run" ./run.sh runtimes --only=uts-2 --dry-run --quick
rm -r "$copy/results/somewhere"

once ./run.sh paper --name=paper
between "paper ends on five sentences" 5 12 "$(wc -l <<< "$said")"
told "the papers' claims are in them" " cannot be asked here."
told "the last one says what to open" "Open results/paper/report.html"
between "its table is longer than a screen, or nothing was tested" 120 100000 "$(wc -l < "$copy/results/paper/table.txt")"
once ./run.sh run push --deque=chase_lev --batch=64 --name=one
told "a workload shows its table" "push_latency"
told "with its value" "57."
told "and what to type for a figure" "./run.sh draw results/one"
expect "which is right" 0 "Open results/one/report.html" ./run.sh draw one
expect "what a metric is" 0 "push_largest  (ns, above 0)" ./run.sh list metrics longest
expect "a word that none has" 2 "no metric has" ./run.sh list metrics nonsense

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
