#!/usr/bin/env bash
# ./run.sh ci --against in a small repository with one deque: a changed comment, for which nothing is timed; a push that takes
# many times as long; a shallow clone without the base.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_BASE_REF CI_MERGE_REQUEST_TARGET_BRANCH_NAME CI_MERGE_REQUEST_DIFF_BASE_SHA
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export GIT_CONFIG_GLOBAL=$scratch/gitconfig
copy="$scratch/a b"
around() (cd "$copy" && timeout 300 "$@" < /dev/null)

copy_tree "$copy" empty chase_lev
cp results/README.md "$copy/results/"
around git init -q -b main && around git add -A && around git commit -qm base || exit 3

# Copies what is built already into the tree and into the worktree that it will use for the base, whose sources are older.
base="$copy/build/against/$(around git rev-parse HEAD | cut -c 1-12)"
seed() { # TREE
  copy_built "$1" chase_lev
  find "$1/build/described/deques" -type f ! -name chase_lev ! -name empty -delete # of deques that are not here
  for part in build/deques/* build/checks; do
    [[ $part == *.* ]] || { mkdir -p "$1/$part" && cp -a "$part/chase_lev" "$1/$part/"; } # variants are built
  done
}
old() { find "$1" -path "$1/build" -prune -o -type f -exec touch -d 2020-01-01 {} +; } # TREE
around git worktree add -q --detach "$base" HEAD && old "$base" || exit 3
seed "$copy" && seed "$base"
rm "$base/build/deques/latency/chase_lev" # the base is built

ci=(./run.sh ci --only=push --no-counts --against)
expect "nothing differs from the base" 0 "no file differs from the base" "${ci[@]}" HEAD
sed -i '1a\ * a comment' "$copy/queues/chase_lev.h"
expect "a comment is no other code" 0 "1 identical" "${ci[@]}" --name=comment
expect "so nothing is timed" 1 "" test -e "$copy/results/comment/chase_lev"
# Prints the commands of the job "ci" in docs/ci.md, except those that install packages.
steps() { awk '/^ci:$/ { ci = 1 } /^```$/ { ci = 0 } ci && /^ *- (git|\.\/run\.sh) / { sub(/^ *- /, ""); print }' docs/ci.md; }
mapfile -t lines < <(steps)
expect "the job has two steps of its own" 0 "" test ${#lines[@]} -eq 2
for line in "${lines[@]}"; do expect "$line" 0 "" bash -e -c "$line"; done
expect "what it keeps is there" 0 "11 identical" cat results/ci/summary.md
expect "another cell is not there" 2 "no cell pish" ./run.sh ci --against --only=pish
expect "another base is not there" 2 "no revision nowhere" "${ci[@]}" nowhere
cp -a "$copy/queues/chase_lev.h" "$scratch/"
sed -i '/enum deque_result deque_push(struct/a\    for (int i = 0; i < 20; i++)\n        (void)atomic_load_explicit(\&deque->top, memory_order_relaxed);' "$copy/queues/chase_lev.h"
slow=(env GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY="$scratch/step.md" "${ci[@]}" --name=slow)
expect "a push that takes longer" 1 "::error file=queues/chase_lev.h,line=1,title=slower%3A push" "${slow[@]}"
expect "with all variants in it" 0 "|     8 |  slower |" cat results/slow/summary.md
expect "both were built in all variants" 0 "" test -x "$base/build/deques/latency.7/chase_lev" -a -x build/deques/latency.7/chase_lev
expect "and nothing for other cells" 1 "" test -e "$base/build/deques/fib.1" -o -e build/deques/fib.1
expect "the job's summary says so" 0 "ci FAILED: 1 slower" cat "$scratch/step.md"
expect "and so do the files" 0 'failures="1"' cat results/slow/junit.xml
# shellcheck disable=SC2016 # for the bash that it runs in
expect "a budget that is too small decides nothing" 3 "" bash -c '"$@" > "$0" 2>&1' "$scratch/said" "${ci[@]}" --budget=0.01
expect "and says so" 0 "1 undecided" cat "$scratch/said"
told=$(sed -n 's/^.*: chase_lev.h changed: 1 deque, 1 cell, two builds of \([0-9]*\) files$/\1/p' "$scratch/said")
expect "it says what is built, which is little" 0 "" test "${told:-0}" -gt 10 -a "${told:-0}" -le 64
echo 'this is not C' >> "$copy/queues/chase_lev.h"
expect "what cannot be built is not judged" 3 "chase_lev cannot be built" "${ci[@]}"
cp -a "$scratch/chase_lev.h" "$copy/queues/"
around git add -A && around git commit -qm comment && around git clone -q --depth=1 "file://$copy" "$scratch/shallow"
head="$copy/build/against/$(around git rev-parse HEAD | cut -c 1-12)"
around git worktree add -q --detach "$head" HEAD && old "$head" && cp -a "$base/build" "$head/"
expect "two revisions of the same code" 0 "have the same machine code" ./run.sh compare HEAD^ HEAD --deque=chase_lev
expect "of these none was measured" 1 "" bash -c 'compgen -G "results/*-compare"'
in_shallow() { cd "$scratch/shallow" && /usr/bin/python3 -m harness.judging.ci --against HEAD^; }
around() { "$@"; }
expect "a shallow clone says what it lacks" 3 "git fetch --unshallow" in_shallow
