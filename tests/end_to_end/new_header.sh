#!/usr/bin/env bash
# A new header passes the tests at once. In a copy of the tree with one more deque, the tests that look at every deque pass and
# print a notice of what the new one lacks.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy=$scratch/stealbench

# In the copy.
around() { cd "$copy" && timeout 300 "$@"; }

copy_tree "$copy"
cp -a results/baseline "$copy/results/"
cp -a build/build.json build/lab "$copy/build/"
sed 's/"chase_lev"/"mine"/' queues/chase_lev.h > "$copy/queues/mine.h"

expect "its lab is built" 0 "" make -s build/lab/mine
expect "the baseline fails nothing" 3 "notice: mine: new, so nothing to compare with" harness/judging/counts/counts.sh mine
if command -v "${GENMC:-genmc}" > /dev/null; then
  grep -m 1 '^\*.*last_item' proof/model/table.txt > "$copy/proof/model/table.txt"
  expect "the model checker has clients for it" 0 " 0 failed" proof/model/run.py --brief mine
else
  echo "no model checker here: left out"
fi
