#!/usr/bin/env bash
# git_history.sh: the history of a git repository as an edge list for the workload dag (graph.h). An arc leads from
# a commit to each of its parents, so the roots are the tips of branches and tags that no other commit builds on.
#
#   git_history.sh REPOSITORY [FILE]     reads `git rev-list --parents --all` there
#   git_history.sh - [FILE]              reads that output from standard input
#
# Commits are numbered in the order of the output. FILE is replaced whole or not at all; without it the list goes to
# standard output. Exit: 0, 2 no such repository or no such output, 4 FILE could not be written.
set -u -o pipefail
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: git_history.sh REPOSITORY|- [FILE]" >&2
  exit 2
fi
repository=$1 file=${2:-}
folder=.
[ -z "$file" ] || folder=$(dirname -- "$file")
if ! arcs=$(mktemp "${TMPDIR:-/tmp}/git-history-XXXXXX"); then
  echo "git_history.sh: no room for a temporary file" >&2
  exit 4
fi
whole=
trap 'rm -f "$arcs" ${whole:+"$whole"}' EXIT

parents() {
  if [ "$repository" = - ]; then cat; else git -C "$repository" rev-list --parents --all; fi
}

# Prints the arcs; the counts go to the last line.
number_commits() {
  awk '
    function number(id) {
      if (length(id) != 40 && length(id) != 64 || id !~ /^[0-9a-f]+$/) {
        printf "git_history.sh: line %d: \"%.50s\" is no commit; expected the output of git rev-list --parents\n", NR, id > "/dev/stderr"
        wrong = 1
        exit 2
      }
      if (!(id in numbers)) numbers[id] = nodes++
      return numbers[id]
    }
    BEGIN { nodes = arcs = 0 }
    { from = number($1); for (i = 2; i <= NF; i++) { print from, number($i); arcs++ } }
    END {
      if (wrong) exit 2
      if (nodes == 0) { print "git_history.sh: there is no commit" > "/dev/stderr"; exit 2 }
      print "# nodes", nodes, "arcs", arcs
    }'
}

parents | number_commits > "$arcs" || exit 2
# The announcement belongs before the first arc: with it a file that was cut off is noticed.
list() { tail -n 1 "$arcs" && sed '$d' "$arcs"; }
if [ -z "$file" ]; then
  list || exit 4
  exit 0
fi
if ! whole=$(mktemp "$folder/.git-history-XXXXXX") || ! list > "$whole" ||
  ! chmod "$(printf '%03o' "$((0666 & ~0$(umask)))")" "$whole" || ! mv -f -- "$whole" "$file"; then
  echo "git_history.sh: $file could not be written" >&2
  exit 4
fi
