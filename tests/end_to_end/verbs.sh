#!/usr/bin/env bash
# What ./run.sh prints at the end of a verb and which files it leaves. Every verb's help, its messages on wrong words: these must
# write nothing. Its exit code for each kind of failure (docs/ci.md has the codes). The build and the deques are stand-ins here, and
# runs are made up.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy="$scratch/a b/stealbench" tools=$scratch/tools made=$scratch/made

copy_tree "$copy"
mkdir -p "$copy"/build/{deques/latency,address,thread,lab} "$made"
cp -a build/stealbench "$copy/build/"
chmod +x "$copy/tests/end_to_end/fakes/deque.sh"
for part in deques/latency address thread lab; do cp "$copy/tests/end_to_end/fakes/deque.sh" "$copy/build/$part/chase_lev"; done
printf '#!/bin/sh\n' > "$copy/setup/configure.py" # everything is built
stand_in "$tools" dpkg-query
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$made" << 'PYTHON' || exit 3
import sys
from pathlib import Path
from tests.plots.figures_test import many_deques
from tests.plots.synthetic_run import SyntheticRun
many_deques(Path(sys.argv[1]) / "paper", count=12)
for name in ("whole", "garbage", "nothing", "elsewhere", "locked"):
    run = SyntheticRun(Path(sys.argv[1]) / name, invocations=6)
    for batch in (1, 64):
        run.cell([], "push", "chase_lev", {"batch": batch}, {"push_latency": (57.5 * batch, "ns")})
    run.write()
PYTHON

around() { cd "$copy" && PATH="$tools:$PATH" timeout 300 "$@" < /dev/null; }

state() { (cd "$copy" && find . -name __pycache__ -prune -o -type f -printf '%p %s %T@\n' | sort); }
# once COMMAND...: runs it and keeps its output for `told`
once() { said=$(around "$@" 2> /dev/null); }
# told NAME WORDS
told() { expect "$1" 0 "$2" printf '%s\n' "$said"; }
# between NAME LEAST MOST NUMBER
between() {
  if [ "$4" -ge "$2" ] && [ "$4" -le "$3" ]; then pass; else
    fail "$1: $4 lines"
  fi
}

# A verb's help, and its answers to wrong words: an exit code and a message that begins with the verb. Nothing is built for it.
state > "$scratch/before"
verbs=$(cd "$copy" && build/stealbench help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | xargs)
between "there are verbs" 16 16 "$(wc -w <<< "$verbs")"
while read -r verb; do
  [ "$verb" != setup ] || continue # it runs without the driver
  expect "$verb --help" 0 "Usage: stealbench $verb" build/stealbench --whole "$verb" --help
  case $verb in
    run) ;; # which looks at descriptions first
    *) expect "$verb, a wrong option" 2 "stealbench $verb: no such option of $verb: nosuch; " build/stealbench --whole "$verb" --nosuch=1 ;;
  esac
done < <(tr ' ' '\n' <<< "$verbs")
expect "merge -h" 0 "Usage: stealbench merge" ./run.sh merge -h
expect "help merge" 0 "Usage: stealbench merge" ./run.sh help merge
expect "a suite's name is a verb" 0 "Usage: stealbench suite" ./run.sh quick --help
expect "help of it" 0 "Usage: stealbench suite" ./run.sh help quick
expect "its title" 0 "    quick           Quick: " ./run.sh help
for verb in merge report; do
  expect "$verb of a run that is not there" 2 "stealbench $verb: no such run: papier" ./run.sh "$verb" papier
done
while IFS='|' read -r words says; do
  # shellcheck disable=SC2086 # words
  expect "./run.sh $words" 2 "$says" build/stealbench --whole $words
done << 'WRONG'
papper|stealbench: no such verb: papper; did you mean paper?
metrics|stealbench: no such verb: metrics; there are suite
help papper|stealbench help: no such verb: papper; did you mean paper?
suite papper|stealbench suite: no such suite: papper; did you mean paper?
run push --deque=chase_lew|stealbench run: no such deque: chase_lew; did you mean chase_lev?
check chase_lew|stealbench check: no such deque: chase_lew; did you mean chase_lev?
lab count chase_lew|stealbench lab: no such deque: chase_lew; did you mean chase_lev?
lab cuont|stealbench lab: no such thing to do: cuont; did you mean count?
compare chase_lev chase_lew|stealbench compare: no such deque: chase_lew; did you mean chase_lev?
compare chase_lev chase_lev|stealbench compare: chase_lev against itself tells nothing
compare chase_lev|stealbench compare: it needs A B
check chase_lev --check=explore,conformence|stealbench check: no such check: conformence; did you mean conformance?
ci chase_lew|stealbench ci: no such deque: chase_lew; did you mean chase_lev?
ci --against --deque=chase_lew|stealbench ci: no such deque: chase_lew; did you mean chase_lev?
export chase_lew|stealbench export: no such deque: chase_lew; did you mean chase_lev?
smoke --deque=chase_lew|stealbench smoke: no such deque: chase_lew; did you mean chase_lev?
ci --budget=1m|stealbench ci: --budget goes with --against
smoke --nodes=2|stealbench smoke: --nodes goes with --slurm
smoke -N 2|stealbench smoke: --nodes goes with --slurm
smoke --quiet=1|stealbench smoke: --quiet takes no value
list dequeues|stealbench list: no such thing to do: dequeues; did you mean deques?
check --all chase_lev|stealbench check: --all runs all tests
WRONG
expect "options alone are quick's" 2 "stealbench quick: no such option of quick: onyl; did you mean only?" ./run.sh --onyl=fig6
expect "which version" 0 "stealbench 0." ./run.sh --version
expect "all that is left unchanged" 0 "" diff "$scratch/before" <(state)

# What is below extras/ is found by its program, and gets its words unchanged.
expect "no extras" 0 "" ./run.sh extras
expect "none of a name" 2 "stealbench extras: no such extra: second; there is none" ./run.sh extras second
for part in first second; do
  mkdir -p "$copy/extras/$part" && printf '# The %s part\n\nIt says no more.\n' $part > "$copy/extras/$part/README.md"
  # shellcheck disable=SC2016 # for the shell that runs it
  printf '#!/bin/sh\n[ $# -gt 0 ] || exit 3\nprintf "%%s;" "$@" "from $STEALBENCH_FROM"\n' > "$copy/extras/$part/run" && chmod +x "$copy/extras/$part/run"
done
expect "extras are listed" 0 "second       The second part" ./run.sh extras
once ./run.sh extras
between "a line each" 2 2 "$(wc -l <<< "$said")"
expect "their words" 0 "--help;-x;a  b;--only=1;--;from /tmp;" env STEALBENCH_FROM=/tmp ./run.sh extras second --help -x "a  b" --only=1 --
expect "their exit code" 3 "" ./run.sh extras first
expect "one that is nearly there" 2 "no such extra: secund; did you mean second?" ./run.sh extras secund
rm -r "$copy/extras"

cp -a "$made/paper" "$copy/results/paper"
once ./run.sh report paper
between "paper ends on what was found" 5 20 "$(wc -l <<< "$said")"
told "the papers' claims are in it" "claims that this run can answer: "
told "the last one says what to open" "Open results/paper/report.html"
between "its table is longer than a screen, or nothing was tested" 60 100000 "$(wc -l < "$copy/results/paper/table.txt")"
once ./run.sh run push --deque=chase_lev --batch=64 --invocations=2 --name=one
told "a workload shows its table" "push_latency"
told "and what to type for a figure" "./run.sh report results/one"
expect "which is right, and for the web" 0 "Open results/one/report.html" ./run.sh report results/one --to="$scratch/site"
expect "it is there" 0 "" test -s "$scratch/site/index.html"
expect "for a paper" 0 "" ./run.sh report one --style=ieee
expect "where it should be" 0 "" test -d "$copy/results/one/figures-ieee"
expect "what a metric is" 0 "push_largest  (ns, above 0)" ./run.sh list metrics longest
expect "a word that none has" 2 "stealbench list: no metric has" ./run.sh list metrics nonsense
expect "what is exported is checked" 0 "passed: conformance (plain" bash -c './run.sh export chase_lev 2> /dev/null'
# A verb exits as its Python program does.
mkdir -p "$copy/results/torn/parts/1/repeat-1/attempt-1" && echo nonsense > "$_/manifest.json"
expect "merge of damaged parts" 4 "is damaged" ./run.sh merge torn

# What a verb ends with: code|command
cp -a "$made/"{whole,garbage,nothing,elsewhere,locked} "$copy/results/"
head -c 500 /dev/urandom > "$copy/results/garbage/samples.csv"
rm "$copy/results/nothing/samples.csv"
mkdir -p "$copy/results/locked/"{table.txt,summary.csv,report.html}/in_the_way
while IFS='|' read -r code command; do
  expect "$command" "$code" "" bash -c "$command"
done << 'TABLE'
4|./run.sh list metrics > /dev/full
4|./run.sh help > /dev/full
4|./run.sh compare whole elsewhere > /dev/full
4|./run.sh doctor > /dev/full
4|./run.sh run push --deque=chase_lev --invocations=1 --results=/proc/none
4|./run.sh export chase_lev --unchecked -o /proc/none/cl.h
4|./run.sh report whole --to=/proc/none
4|./run.sh report locked
3|./run.sh report garbage
3|./run.sh compare whole garbage
3|./run.sh report nothing
2|./run.sh merge whole
2|./run.sh compare whole none
TABLE
