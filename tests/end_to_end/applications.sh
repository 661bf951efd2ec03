#!/usr/bin/env bash
# dag, knapsack, marking and quicksort, run as executables: known answers; and bad inputs, which must give a message with file
# and line, exit code 2, and leave nothing behind.
set -u
cd "$(dirname "$0")/../.." || exit 3
export LC_ALL=C
deque=build/pool/chase_lev
passed=0 failed=0
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT

judge() { # NAME: what the last command's status says
  local status=$?
  if [ "$status" -eq 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $1"
    tail -n 5 "$folder/out" "$folder/err" 2>/dev/null
  fi
}

# refused WORKLOAD SETTING TEXT: exit code 2, and standard error contains the text
refused() {
  timeout 10 "$deque" --run "$1" "$2" > "$folder/out" 2> "$folder/err"
  [ $? -eq 2 ] && grep -qF -- "$3" "$folder/err" && ! grep -q "run_time" "$folder/out"
  judge "$1 $2: $3"
}

# Escapes a value for the driver's command line.
value() { printf '%s' "$1" | sed 's/%/%25/g; s/,/%2C/g'; }

# answers WORKLOAD SETTINGS...: exit code 0 and a time
answers() {
  "$deque" --run "$@" > "$folder/out" 2> "$folder/err" && grep -q "run_time" "$folder/out"
  judge "$*"
}

has() { # METRIC VALUE
  awk -F '\t' -v metric="$1" -v value="$2" '$4 == metric && $5 == value { found = 1 } END { exit !found }' "$folder/out"
  judge "$1 is $2"
}

if ! "$deque" --run uts tree=T3S --repetitions=1 2>&1 | grep -q unsupported; then # there is a SHA-1 library
  answers uts tree=T3S threads=2
  has nodes 68257
fi
answers dag nodes=20000 threads=3 victims=sequential steal=half turns=1
answers dag nodes=20000 shape=layered width=7 degree=3 threads=2
answers dag nodes=20000 width=0 threads=2
answers dag nodes=20000 shape=tree degree=200 push=single threads=2 cost=heavy mean=50 mean_unit=iterations
answers dag nodes=1 threads=2
for pool in volt worksteal master; do
  answers dag nodes=20000 threads=3 "pool=$pool" steal_times=1
  answers bag tasks=3000 mean=100 threads=3 "pool=$pool" first=each cost=heavy
done
answers dag nodes=20000 shape=layered width=7 threads=3 first=each
answers dag nodes=2 threads=7 first=each
# Without steals, each worker does the tasks it was dealt; if one worker got all, the others do none.
answers bag tasks=4000 mean=10 threads=4 victims=none first=each room=1024
has jain_tasks 1
has steals 0
has attempts_empty 0
answers bag tasks=1000 mean=10 threads=4 victims=none
has jain_tasks 0.25
has workers_without_task 3
# A preset changes defaults only; given settings win.
settled() { # WORDS...: the settings that the driver derives from them
  build/stealbench run dag --deque=chase_lev --nodes=1000 --threads=2 "$@" --invocations=1 --unsound --minimum-time=0.001 \
    "--results=$folder/settled" --csv=- > "$folder/out" 2> "$folder/err"
}
settled --pool=volt && grep -q 'pool=volt.*room=256.*slot=1.*steal=half' "$folder/out"
judge "pool=volt is a ring of 256 with a slot"
settled --pool=volt --room=64 --slot=0 && grep -q 'room=64.*slot=0.*steal=half' "$folder/out"
judge "what is given beside pool=volt stands"
! settled --pool=vlt && grep -q 'one of general|volt|worksteal|master is wanted' "$folder/err"
judge "a pool that there is not"
answers knapsack instance=example threads=2
has optimum_by_dynamic_programming 15
for class in uncorrelated weakly strongly subset_sum; do
  answers knapsack "instance=$class" items=60 width=8 threads=2
  answers knapsack "instance=$class" items=60 width=2 cut=layer master=1 threads=3
  answers knapsack "instance=$class" items=60 width=4 cuts=3 pool=master threads=3
done

answers marking objects=20000 array=3000 chunk=7 threads=3 --repetitions=3
answers marking objects=20000 array=3000 window=1 garbage=0 threads=2 steal=half
answers marking objects=1 arrays=1 array=5000 chunk=1 threads=2
answers marking objects=20000 arrays=0 garbage=99 threads=2 waits=1
grep -q 'task_wait_p99' "$folder/out"
judge "waits are told"

for order in random sorted reversed few_distinct organ_pipe adversary; do
  for size in 0 1 2 3 33 20000; do
    answers quicksort "input=$order" "size=$size" threads=2 --repetitions=2
  done
done

printf '0 1\n0 2\n1 3\n2 3\n3 4\n' > "$folder/edges"
answers dag "file=$folder/edges" threads=2
has graph_nodes 5
has graph_depth 3
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n1 4\n' > "$folder/matrix"
answers dag "file=$folder/matrix"
has graph_arcs 3

# A small git history: two branches, merged.
(
  cd "$folder" && git init -q history && cd history || exit 1
  commit() { git -c user.name=x -c user.email=x@example.org -c commit.gpgsign=false "$@"; }
  commit commit -q --allow-empty -m one && git checkout -q -b side && commit commit -q --allow-empty -m two &&
    git checkout -q - && commit commit -q --allow-empty -m three && commit merge -q -m four side
) > "$folder/out" 2> "$folder/err"
judge "a git history"
workloads/applications/dag/git_history.sh "$folder/history" "$folder/commits" > "$folder/out" 2> "$folder/err"
judge "git_history.sh"
[ "$(head -n 1 "$folder/commits")" = "# nodes 4 arcs 4" ]
judge "four commits, four arcs"
answers dag "file=$folder/commits" threads=2
has graph_roots 1
has graph_depth 2
git -C "$folder/history" rev-list --parents --all | workloads/applications/dag/git_history.sh - 2> "$folder/err" |
  cmp - "$folder/commits" > "$folder/out"
judge "git_history.sh from standard input"
for wrong in "$folder/nowhere" "$folder"; do
  workloads/applications/dag/git_history.sh "$wrong" "$folder/none" > "$folder/out" 2> "$folder/err"
  [ $? -eq 2 ] && [ -s "$folder/err" ] && [ ! -e "$folder/none" ]
  judge "git_history.sh $wrong"
done
echo 'no commit' | workloads/applications/dag/git_history.sh - "$folder/commits" > "$folder/out" 2> "$folder/err"
[ $? -eq 2 ] && grep -q 'line 1' "$folder/err" && [ "$(head -n 1 "$folder/commits")" = "# nodes 4 arcs 4" ]
judge "git_history.sh leaves a file as it was when refused"

refused dag "file=$folder/nowhere" "nowhere: No such file or directory"
refused dag "file=$folder" "is a folder"
mkfifo "$folder/pipe"
for workload in dag knapsack; do
  refused "$workload" file=/dev/zero "/dev/zero: is a device, a pipe or a socket, a file is wanted"
  refused "$workload" "file=$folder/pipe" "a file is wanted"
done
for most in 3 4 5 6 8; do
  (ulimit -n "$most" && exec timeout 10 "$deque" --run dag "file=$folder/edges") > "$folder/out" 2> "$folder/err"
  case $? in
    0) grep -q "run_time" "$folder/out" ;;
    3) grep -q "Too many open files" "$folder/err" ;;
    *) grep -q "shared libraries" "$folder/err" ;;
  esac
  judge "dag with $most descriptors"
done
: > "$folder/empty" && refused dag "file=$folder/empty" "empty:1: the file is empty"
printf '# nodes 9 arcs 3\n0 1\n1 2\n' > "$folder/short" && refused dag "file=$folder/short" "short:3: the file ends after 2 of 3"
printf '0 1\n1 2\n2 0\n' > "$folder/cycle" && refused dag "file=$folder/cycle" "closes a cycle"
printf '0 1\n1 1\n' > "$folder/loop" && refused dag "file=$folder/loop" "loop:2: an arc from node 1 to itself"
printf '# nodes 2 arcs 1\n0 2\n' > "$folder/range" && refused dag "file=$folder/range" "range:2: node 2 is out of range"
deep="$folder$(printf "/a b,c;d=e%%f%.0s" {1..60})"
mkdir -p "$deep" && cp "$folder/edges" "$deep/edges" && answers dag "file=$deep/edges" threads=2
refused dag "file=$deep/nowhere" "nowhere: No such file or directory"
cp "$folder/loop" "$deep/" && refused dag "file=$deep/loop" "loop:2: an arc from node 1 to itself"
build/stealbench run dag --deque=chase_lev "--file=$(value "$deep/edges")" --threads=2 --invocations=1 --unsound \
  --minimum-time=0.001 "--results=$folder/deep" --csv=- > "$folder/out" 2> "$folder/err" &&
  grep -q 'a%20b%2Cc%3Bd%3De%25f' "$folder/out"
judge "the driver takes a file of any path"
refused dag degree=1 "degree=1: from 2 to 1024"
refused knapsack "file=$folder/nowhere" "nowhere: No such file or directory"
printf 'x\nn 2\nc 5\n1,2,3,0\n2,2,-3,0\n' > "$folder/negative"
refused knapsack "file=$folder/negative" "negative:5: a weight of -3"
printf 'x\nn 2\nc 5\n1,2,3,0\n' > "$folder/cut" && refused knapsack "file=$folder/cut" "cut:4: the file ends after 1 of 2"

# Through the driver: the same exit code, and no run.
build/stealbench run dag --deque=chase_lev "--file=$(value "$folder/cycle")" "--results=$folder/results" > "$folder/out" 2> "$folder/err"
[ $? -eq 2 ] && grep -q 'closes a cycle' "$folder/err" && [ -z "$(ls "$folder/results")" ]
judge "the driver refuses a cycle"

# A real run is published with its timeline, whose many marks are drawn as an image.
build/stealbench run bag --deque=chase_lev --tasks=20000 --mean=100 --first=each --threads=2 --timeline=1 --invocations=1 --name=drawn "--results=$folder/results" \
  > "$folder/out" 2> "$folder/err" &&
  /usr/bin/python3 -m plots.draw "$folder/results/drawn" > "$folder/out" 2> "$folder/err" &&
  /usr/bin/python3 -m plots.pages.publish "$folder/results/drawn" --to "$folder/site" > "$folder/out" 2> "$folder/err" &&
  grep -q 'data:image/png;base64' "$folder/site/index.html"
judge "a real run is published"

# A file that states a wrong optimum is caught.
printf 'x\nn 1\nc 5\nz 3\n1,2,3,1\n' > "$folder/stated"
"$deque" --run knapsack "file=$folder/stated" > "$folder/out" 2> "$folder/err"
[ $? -eq 1 ] && grep -q '2, but 3 is stated' "$folder/err"
judge "a wrong optimum"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
