#!/usr/bin/env bash
# dag, knapsack, marking and quicksort, run as executables: known answers; and bad inputs, which must give a message with file
# and line, exit code 2, and leave nothing behind.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
deque=build/pool/chase_lev

# refused WORKLOAD SETTING TEXT: exit code 2, and standard error contains the text
refused() {
  timeout 10 "$deque" --run "$1" "$2" > "$scratch/out" 2> "$scratch/err"
  [ $? -eq 2 ] && grep -qF -- "$3" "$scratch/err" && ! grep -q "run_time" "$scratch/out"
  verdict "$1 $2: $3"
}

# Escapes a value for the driver's command line.
value() { printf '%s' "$1" | sed 's/%/%25/g; s/,/%2C/g'; }

# answers WORKLOAD SETTINGS...: exit code 0 and a time
answers() {
  "$deque" --run "$@" > "$scratch/out" 2> "$scratch/err" && grep -q "run_time" "$scratch/out"
  verdict "$*"
}

has() { # METRIC VALUE
  awk -F '\t' -v metric="$1" -v value="$2" '$4 == metric && $5 == value { found = 1 } END { exit !found }' "$scratch/out"
  verdict "$1 is $2"
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
for pool in volt worksteal; do
  answers dag nodes=20000 threads=3 "pool=$pool" steal_times=1
  answers bag tasks=3000 mean=100 threads=3 "pool=$pool" first=each cost=heavy
done
answers dag nodes=20000 threads=3 master=1 steal=half
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
    "--results=$scratch/settled" --csv=- > "$scratch/out" 2> "$scratch/err"
}
answers bag tasks=3000 mean=100 threads=3 steal=100
refused bag steal=101 "expected a whole number from 1 to 100 percent, or one|half"
settled --pool=volt && grep -q 'pool=volt.*room=256.*slot=1.*steal=half' "$scratch/out"
verdict "pool=volt is a ring of 256 with a slot"
settled --pool=volt --room=64 --slot=0 && grep -q 'room=64.*slot=0.*steal=half' "$scratch/out"
verdict "what is given beside pool=volt stands"
! settled --pool=vlt && grep -q 'expected one of general|volt|worksteal' "$scratch/err"
verdict "a pool that there is not"
answers knapsack instance=example threads=2
has optimum_by_dynamic_programming 15
for class in uncorrelated weakly strongly subset_sum inverse almost circle; do
  answers knapsack "instance=$class" items=60 width=8 threads=2
  answers knapsack "instance=$class" items=60 width=2 cut=layer threads=3
  answers knapsack "instance=$class" items=60 width=4 cuts=3 threads=3
done
# A known optimum leaves the same to prove, whoever does it and in whatever order.
for settings in threads=1 "threads=3 steal=half" "threads=3 room=2"; do
  # shellcheck disable=SC2086 # several words
  answers knapsack instance=almost items=60 width=16 known=optimum --repetitions=2 $settings
  awk -F '\t' '$4 == "subproblems" { print $5 }' "$scratch/out" >> "$scratch/proofs"
done
[ "$(wc -l < "$scratch/proofs")" -eq 6 ] && [ "$(sort -u "$scratch/proofs" | wc -l)" -eq 1 ] && [ "$(head -1 "$scratch/proofs")" -gt 100 ]
verdict "a known optimum leaves the same subproblems: $(tr '\n' ' ' < "$scratch/proofs")"

answers marking objects=20000 array=3000 chunk=7 threads=3 --repetitions=3
answers marking objects=20000 array=3000 window=1 garbage=0 threads=2 steal=half
answers marking objects=1 arrays=1 array=5000 chunk=1 threads=2
answers marking objects=20000 arrays=0 garbage=99 threads=2 waits=1
grep -q 'task_wait_p99' "$scratch/out"
verdict "waits are told"

for order in random sorted reversed few_distinct organ_pipe adversary; do
  for size in 0 1 2 3 33 20000; do
    answers quicksort "input=$order" "size=$size" threads=2 --repetitions=2
  done
done

printf '0 1\n0 2\n1 3\n2 3\n3 4\n' > "$scratch/edges"
answers dag "file=$scratch/edges" threads=2
has graph_nodes 5
has graph_depth 3
printf '%%%%MatrixMarket matrix coordinate pattern general\n4 4 3\n1 2\n2 3\n1 4\n' > "$scratch/matrix"
answers dag "file=$scratch/matrix"
has graph_arcs 3

# A small git history: two branches, merged.
(
  cd "$scratch" && git init -q history && cd history || exit 1
  commit() { git -c user.name=x -c user.email=x@example.org -c commit.gpgsign=false "$@"; }
  commit commit -q --allow-empty -m one && git checkout -q -b side && commit commit -q --allow-empty -m two &&
    git checkout -q - && commit commit -q --allow-empty -m three && commit merge -q -m four side
) > "$scratch/out" 2> "$scratch/err"
verdict "a git history"
workloads/applications/dag/git_history.sh "$scratch/history" "$scratch/commits" > "$scratch/out" 2> "$scratch/err"
verdict "git_history.sh"
[ "$(head -n 1 "$scratch/commits")" = "# nodes 4 arcs 4" ]
verdict "four commits, four arcs"
answers dag "file=$scratch/commits" threads=2
has graph_roots 1
has graph_depth 2
git -C "$scratch/history" rev-list --parents --all | workloads/applications/dag/git_history.sh - 2> "$scratch/err" |
  cmp - "$scratch/commits" > "$scratch/out"
verdict "git_history.sh from standard input"
for wrong in "$scratch/nowhere" "$scratch"; do
  workloads/applications/dag/git_history.sh "$wrong" "$scratch/none" > "$scratch/out" 2> "$scratch/err"
  [ $? -eq 2 ] && [ -s "$scratch/err" ] && [ ! -e "$scratch/none" ]
  verdict "git_history.sh $wrong"
done
echo 'no commit' | workloads/applications/dag/git_history.sh - "$scratch/commits" > "$scratch/out" 2> "$scratch/err"
[ $? -eq 2 ] && grep -q 'line 1' "$scratch/err" && [ "$(head -n 1 "$scratch/commits")" = "# nodes 4 arcs 4" ]
verdict "git_history.sh leaves a file as it was when refused"

refused dag "file=$scratch/nowhere" "nowhere: No such file or directory"
refused dag "file=$scratch" "is a folder"
mkfifo "$scratch/pipe"
for workload in dag knapsack; do
  refused "$workload" file=/dev/zero "/dev/zero: is a device, a pipe or a socket, not a file"
  refused "$workload" "file=$scratch/pipe" "not a file"
done
for most in 3 4 5 6 8; do
  (ulimit -n "$most" && exec timeout 10 "$deque" --run dag "file=$scratch/edges") > "$scratch/out" 2> "$scratch/err"
  case $? in
    0) grep -q "run_time" "$scratch/out" ;;
    3) grep -q "Too many open files" "$scratch/err" ;;
    *) grep -q "shared libraries" "$scratch/err" ;;
  esac
  verdict "dag with $most descriptors"
done
: > "$scratch/empty" && refused dag "file=$scratch/empty" "empty:1: the file is empty"
printf '# nodes 9 arcs 3\n0 1\n1 2\n' > "$scratch/short" && refused dag "file=$scratch/short" "short:3: the file ends after 2 of 3"
printf '0 1\n1 2\n2 0\n' > "$scratch/cycle" && refused dag "file=$scratch/cycle" "closes a cycle"
printf '0 1\n1 1\n' > "$scratch/loop" && refused dag "file=$scratch/loop" "loop:2: an arc from node 1 to itself"
printf '# nodes 2 arcs 1\n0 2\n' > "$scratch/range" && refused dag "file=$scratch/range" "range:2: node 2 is out of range"
deep="$scratch$(printf "/a b,c;d=e%%f%.0s" {1..60})"
mkdir -p "$deep" && cp "$scratch/edges" "$deep/edges" && answers dag "file=$deep/edges" threads=2
refused dag "file=$deep/nowhere" "nowhere: No such file or directory"
cp "$scratch/loop" "$deep/" && refused dag "file=$deep/loop" "loop:2: an arc from node 1 to itself"
build/stealbench run dag --deque=chase_lev "--file=$(value "$deep/edges")" --threads=2 --invocations=1 --unsound \
  --minimum-time=0.001 "--results=$scratch/deep" --csv=- > "$scratch/out" 2> "$scratch/err" &&
  grep -q 'a%20b%2Cc%3Bd%3De%25f' "$scratch/out"
verdict "the driver takes a file of any path"
refused dag degree=1 "degree=1: expected 2 to 1024"
refused knapsack "file=$scratch/nowhere" "nowhere: No such file or directory"
printf 'x\nn 2\nc 5\n1,2,3,0\n2,2,-3,0\n' > "$scratch/negative"
refused knapsack "file=$scratch/negative" "negative:5: a weight of -3"
printf 'x\nn 2\nc 5\n1,2,3,0\n' > "$scratch/cut" && refused knapsack "file=$scratch/cut" "cut:4: the file ends after 1 of 2"

# Through the driver: the same exit code, and no run.
build/stealbench run dag --deque=chase_lev "--file=$(value "$scratch/cycle")" "--results=$scratch/results" > "$scratch/out" 2> "$scratch/err"
[ $? -eq 2 ] && grep -q 'closes a cycle' "$scratch/err" && [ -z "$(ls "$scratch/results")" ]
verdict "the driver refuses a cycle"

# A real run is published with its timeline, whose many marks are drawn as an image.
build/stealbench run bag --deque=chase_lev --tasks=20000 --mean=100 --first=each --threads=2 --timeline=1 --invocations=1 --name=drawn "--results=$scratch/results" \
  > "$scratch/out" 2> "$scratch/err" &&
  /usr/bin/python3 -m plots.draw "$scratch/results/drawn" > "$scratch/out" 2> "$scratch/err" &&
  /usr/bin/python3 -m plots.pages.publish "$scratch/results/drawn" --to "$scratch/site" > "$scratch/out" 2> "$scratch/err" &&
  grep -q 'data:image/png;base64' "$scratch/site/figures/bag-timeline-1.svg"
verdict "a real run is published"

# A file that states a wrong optimum is caught.
printf 'x\nn 1\nc 5\nz 3\n1,2,3,1\n' > "$scratch/stated"
"$deque" --run knapsack "file=$scratch/stated" > "$scratch/out" 2> "$scratch/err"
[ $? -eq 1 ] && grep -q '2, but 3 is stated' "$scratch/err"
verdict "a wrong optimum"
