#!/usr/bin/env bash
# The exit code of each verb for each kind of failure (docs/ci.md has the codes). Deques and the build are stand-ins, runs are made up.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
copy="$scratch/a b/stealbench" tools=$scratch/tools

copy_tree "$copy"
cp -a build/stealbench "$copy/build/"
cp -a results/example "$copy/results/"
printf '#!/bin/sh\n' > "$copy/setup/configure.py" # everything is built
stand_in "$tools" dpkg-query valgrind
# deque NAME: a stand-in for executables
deque() {
  local part
  for part in deques/latency checks; do
    mkdir -p "$copy/build/$part"
    cp tests/end_to_end/fakes/deque.sh "$copy/build/$part/$1"
    chmod +x "$copy/build/$part/$1"
  done
}
mkdir -p "$copy/build/described/"{deques,families}
for id in steady crashes wrong fails_stamp hangs denied; do
  deque "$id" && sed "s/\"empty\"/\"$id\"/" queues/empty.h > "$copy/queues/$id.h"
  "$copy/build/deques/latency/$id" --describe | sed -n '/^stealbench\|^deque\|^parameter\t\*/p' > "$copy/build/described/deques/$id"
  "$copy/build/deques/latency/$id" --describe | sed '/^stealbench\|^deque\|^parameter\t\*\|^check/d' > "$copy/build/described/families/latency"
done
PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 - "$copy/results" << 'PYTHON' || exit 3
import sys
from pathlib import Path
from tests.plots.synthetic_run import SyntheticRun
for name in ("whole", "garbage", "nothing", "elsewhere", "locked"):
    run = SyntheticRun(Path(sys.argv[1]) / name, invocations=6)
    for batch in (1, 64):
        run.cell([], "push", "chase_lev", {"batch": batch}, {"push_latency": (57.5 * batch, "ns")})
    run.write()
PYTHON
for suite in one compare; do printf 'title One\n[push] P\npush batch=1\n' > "$copy/suites/$suite.suite"; done
head -c 500 /dev/urandom > "$copy/results/garbage/samples.csv"
rm "$copy/results/nothing/samples.csv"
rm -rf "$copy/results/locked/"{table.txt,summary.csv,report.html} && mkdir -p "$copy/results/locked/"{table.txt,summary.csv,report.html}/in_the_way

around() { (cd "$copy" && PATH="$tools:$PATH" timeout 120 bash -c "$1" < /dev/null); }
number=0
while IFS='|' read -r code words command; do
  [[ $code =~ ^[0-9] ]] || continue
  number=$((number + 1))
  expect "$command" "$code" "$words" "$command"
done << 'TABLE'
# A deque whose process dies, gives a wrong answer, cannot be measured here, or fails its checks
4||./run.sh run push --deque=crashes --invocations=1 --name=a1
4||./run.sh run push --deque=wrong --invocations=1 --name=a2
3||./run.sh run push --deque=denied --invocations=1 --name=a3
4||./run.sh run push --deque=hangs --invocations=1 --timeout=1 --name=a4
1||./run.sh run push --deque=fails_stamp --invocations=1 --name=a5
1||./run.sh check fails_stamp
4||./run.sh suite one --deque=crashes --invocations=1 --name=a6
4||./run.sh compare steady crashes --invocations=6 --name=a7
# Standard output cannot be written
4||./run.sh list deques > /dev/full
4||./run.sh list metrics > /dev/full
4||./run.sh help > /dev/full
4||./run.sh run push --deque=steady --invocations=1 --name=b1 > /dev/full
4||./run.sh export chase_lev --unchecked > /dev/full
4||./run.sh compare whole elsewhere > /dev/full
4||./run.sh report whole > /dev/full
4||./run.sh doctor > /dev/full
# A folder or a file that cannot be written
4||./run.sh run push --deque=steady --invocations=1 --results=/proc/none
4||./run.sh run push --deque=steady --invocations=1 --results=/dev/null
4||./run.sh export chase_lev --unchecked -o /proc/none/cl.h
4||./run.sh report whole --to=/proc/none
4||./run.sh report locked
# A damaged run
3||./run.sh report garbage
3||./run.sh compare whole garbage
3||./run.sh report nothing
2||./run.sh merge whole
# A run that does not exist
2||./run.sh compare whole none
TABLE
[ "$number" -ge 26 ] || fail "the table has $number rows"
