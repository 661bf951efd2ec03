#!/usr/bin/env bash
# renew_example.sh [DRIVER'S OPTION...]: measures the quick suite anew and keeps it as results/example/quick, with the figure
# of the README. Run it from a clean commit on a quiet machine, then commit what changed. The README's outputs are pasted by
# hand, the reports of the CI job's trials (docs/ci.md) are copied by hand. Exit: 2 the tree is not clean, else as ./run.sh.
set -eu
cd "$(dirname "$0")/.."
if [ -n "$(git status --porcelain)" ]; then
  echo "renew_example.sh: commit first: the numbers have to be those of a commit" >&2
  exit 2
fi
rm -rf results/new-quick
./run.sh quick --name=new-quick "$@"
kept=results/example/quick
cp results/new-quick/manifest.json "$kept/"
xz -9e -c results/new-quick/samples.csv > "$kept/samples.csv.xz"
cp results/new-quick/figures/fig6_push.svg "$kept/figures/"
git status --short results/example
