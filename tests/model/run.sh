#!/bin/bash
# Explores every execution of small clients with the model checker GenMC, and compares with what table.txt expects;
# then plants the mistakes of mutations.txt, which must be found.
#
#   tests/model/run.sh [--brief] [DEQUE...]    all deques, or those named (chase_lev, as_published/volt)
#
# --brief leaves out what is expected to be right under SC and TSO: RC11 allows whatever they do.
# GENMC names the program; without it, genmc is looked for on PATH. Prints a line a row: deque, client, memory model,
# verdict, complete executions, seconds; then "N passed, N failed".
# Exit: 0 all as expected, 1 not, 2 no such deque, 3 GenMC is not installed, 4 interrupted.
set -u
cd "$(dirname "$0")/../.." || exit 3
export LC_ALL=C

genmc=${GENMC:-genmc}
if ! command -v "$genmc" > /dev/null; then
    echo "genmc is not installed: model checks not run"
    exit 3
fi

row_seconds=60    # a row that takes longer has failed
endless_seconds=5 # how long a row that must not end may try

passed=0
failed=0

edited=$(mktemp -d) || exit 3 # headers with a mistake planted
trap 'rm -rf "$edited"' EXIT
trap 'exit 4' INT TERM
mkdir -p "$edited/queues/as_published"
cp queues/deque.h "$edited/queues/"

brief=
[[ ${1:-} != --brief ]] || { brief=1 && shift; }

known_deques() {
    local header
    for header in queues/*.h queues/as_published/*.h; do
        header=${header#queues/}
        [[ $header == deque.h ]] || echo "${header%.h}"
    done
}

# The rows that hold for one deque, without their first column: in table.txt its own, or else the general ones and those
# on top; then its mutations.
rows_of() {
    awk -v deque="$1" '
        function names(list, name,    n, i, part) {
            n = split(list, part, ",")
            for (i = 1; i <= n; i++)
                if (part[i] == name)
                    return 1
            return 0
        }
        /^#/ || NF == 0 { next }
        { row = $0; sub(/^[^ ]+ +/, "", row) }
        FILENAME ~ /mutations/ { if (names($1, deque)) mutated = mutated row "\n"; next }
        names($1, deque) { own = own row "\n" }
        names($1, "*") || names($1, "+" deque) { general = general row "\n" }
        END { printf "%s%s", own != "" ? own : general, mutated }
    ' tests/model/table.txt tests/model/mutations.txt
}

# What GenMC's output says, in the words of table.txt.
verdict_of() {
    case $1 in
        *"No errors were detected"*) echo ok ;;
        *"Error: Safety violation"*) echo assertion ;;
        *"Error: Non-atomic race"*) echo race ;;
        *"Error: Attempt to read from uninitialized"*) echo unset ;;
        *"Error: Attempt to access non-allocated"*) echo unallocated ;;
        *"Error: Attempt to access freed"*) echo freed ;;
        *) echo broken ;;
    esac
}

# plant DEQUE EDIT: a copy of the deque's header with the mistake in it; fails when the edit changes nothing.
plant() {
    sed "$2" "queues/$1.h" > "$edited/queues/$1.h" && ! cmp -s "queues/$1.h" "$edited/queues/$1.h"
}

# run_row DEQUE FILE CLIENT MODEL EXPECTED OPTIONS...
run_row() {
    local deque=$1 file=$2 client=$3 model=$4 expected=$5 option
    shift 5
    local checker=("--$model" --disable-estimation) compiler=() name=$deque verdict=
    for option in "$@"; do
        case $option in
            edit=*)
                name="$deque, edited"
                compiler+=("-I$edited")
                plant "$deque" "${option#edit=}" || verdict=unchanged
                ;;
            -D*) compiler+=("$option") ;;
            *) checker+=("$option") ;;
        esac
    done
    # GenMC hands the compiler's flags to a shell, hence the second layer of quotes.
    compiler+=(-std=gnu11 -I. "-DDEQUE_HEADER=\\\"queues/$deque.h\\\"" "-DCLIENT=$client" "-DCLIENT_$client")

    local limit=$row_seconds start=$EPOCHREALTIME output status executions seconds note=
    [[ $expected != endless ]] || limit=$endless_seconds
    output=$(timeout "$limit" "$genmc" "${checker[@]}" -- "${compiler[@]}" "tests/model/$file.c" 2>&1)
    status=$?
    seconds=$(awk -v from="$start" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }')
    executions=$(sed -n 's/^Number of complete executions explored: *//p' <<< "$output")
    if ((status == 124)); then
        verdict=endless
    elif [[ -z $verdict ]]; then
        verdict=$(verdict_of "$output")
    fi

    if [[ $verdict == "$expected" ]]; then
        ((passed += 1))
    else
        ((failed += 1))
        note="  FAILED: expected $expected"
    fi
    printf '%-26s %-20s %-4s %-11s %6s %5s%s\n' "$name" "$client" "$model" "$verdict" "${executions:--}" "$seconds" \
        "$note"
    [[ -z $note ]] || echo "    genmc ${checker[*]} -- ${compiler[*]} tests/model/$file.c  $*"
}

# Every client of every row, under every model of that row.
run_deque() {
    local deque=$1 file clients models expected options client model
    while read -r file clients models expected options; do
        for client in ${clients//,/ }; do
            for model in ${models//,/ }; do
                [[ $brief && $expected == ok && $model =~ ^(sc|tso)$ && $options != *edit=* ]] && continue
                # shellcheck disable=SC2086 # options are words
                run_row "$deque" "$file" "$client" "$model" "$expected" $options < /dev/null
            done
        done
    done < <(rows_of "$deque")
}

mapfile -t known < <(known_deques)
for deque in "$@"; do
    if [[ " ${known[*]} " != *" $deque "* ]]; then
        echo "no such deque: $deque (there are: ${known[*]})" >&2
        exit 2
    fi
done
(($# > 0)) || set -- "${known[@]}"
for deque in "$@"; do
    run_deque "$deque"
done
echo "$passed passed, $failed failed"
((failed == 0))
