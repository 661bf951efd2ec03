#!/usr/bin/env bash
# A tree without extras/ is whole: the driver and a deque are built, the paper is planned, a run has its page, the tests of sources
# pass, no link is dead.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy=$scratch/stealbench
mkdir -p "$copy/build"
tar -c --no-wildcards-match-slash --exclude=./extras --exclude=./build --exclude=./.git --exclude=__pycache__ --exclude='./results/*-*' . | tar -x -C "$copy"
copy_built "$copy" chase_lev

around() { cd "$copy" && "$@" < /dev/null; }

expect "the driver and a deque are built" 0 "" make -s build/stealbench build/deques/latency/chase_lev build/described/deques/chase_lev described_families
expect "there are no extras" 0 "" ./run.sh extras
expect "the paper is planned" 0 "dag chase_lev" build/stealbench paper --deque=chase_lev --dry-run
expect "a run is made" 0 "" /usr/bin/python3 -c '
from pathlib import Path
from tests.plots.figures_test import many_deques
many_deques(Path("results/made"), count=3)'
expect "and has its page" 0 "Open results/made/report.html" setup/python.sh -m plots.draw results/made
expect "which is there" 0 "" test -s "$copy/results/made/report.html"
expect "the tests of sources pass" 0 ", 0 failed" tests/run.sh lint
expect "and every link leads somewhere" 0 "" /usr/bin/python3 -m unittest tests.docs_test.Pages.test_links_lead_somewhere
