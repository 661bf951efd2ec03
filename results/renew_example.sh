#!/usr/bin/env bash
# renew_example.sh [DRIVER'S OPTION...]: measures anew what README.md shows, keeps it in results/example, and writes the
# README's numbers and figure from it. Of a clean commit, on a quiet machine, less than an hour after the build; what it
# changed is to be committed. Options (--invocations=4 to try it) go to both runs. Exit: 2 the tree is not clean, else as
# ./run.sh.
set -eu
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ]; then
  echo "renew_example.sh: commit first: the numbers are to be those of a commit" >&2
  exit 2
fi
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
rm -rf results/new-quick results/new-compare

./run.sh quick --name=new-quick "$@"
./run.sh compare lf_bulk chase_lev --name=new-compare "$@"
# How long the suites take, in one line each: of quick as it was just measured, of paper from what it tries (some minutes).
for suite in smoke quick paper; do ./run.sh "$suite" --dry-run --quiet | tail -n 1 >> "$new/times.txt"; done
./run.sh check chase_lev > "$new/check.txt"
./run.sh ci > "$new/ci.txt"

# Keeps a run: what it was and every value; the rest is made of these.
keep() { # RUN
  mkdir -p "$new/$1"
  cp "results/new-$1/manifest.json" "$new/$1/"
  xz -9e -c "results/new-$1/samples.csv" > "$new/$1/samples.csv.xz"
}
keep quick
keep compare
# The gate's trials take hours (docs/ci.md, "What it finds"): their reports are put there by hand, and kept.
cp results/example/trust-gate*.md results/example/runtimes.md "$new/"
mkdir -p "$new/quick/figures"
cp results/new-quick/figures/fig6_push.svg "$new/quick/figures/"

rm -rf results/example
cp -R "$new" results/example
chmod 755 results/example
tests/readme_test.py --rewrite
git status --short README.md results/example
