#!/usr/bin/env bash
# build.sh ARGUMENT...: a job that python3 -m harness.cluster.slurm --build-on-node waits for, in the suite's folder: builds on a node
# of the kind that measures, and divides the run. ARGUMENT...: stealbench's.
#
# Objects are thousands of small files, which nobody wants later and a file system that all nodes see is slow with: they lie
# in the node's own scratch, and build/obj is a link to it meanwhile. What is linked goes to build/, which all see.
set -u
scratch=$(mktemp -d "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/stealbench-XXXXXX") || exit 3
# shellcheck disable=SC2317 # the trap calls it
forget() {
  [ ! -L build/obj ] || rm -f build/obj
  rm -rf "$scratch"
}
trap forget EXIT
trap 'exit 143' TERM
[ ! -L build/obj ] || rm -f build/obj # left by a job that was killed
if [ ! -e build/obj ]; then
  { mkdir -p build && ln -s "$scratch" build/obj; } || exit 3
fi
./run.sh "$@" &
while
  wait $!
  status=$?
  [ "$status" -gt 128 ] && kill -0 $! 2> /dev/null
do :; done
exit "$status"
