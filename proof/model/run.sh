#!/bin/bash
# Explores every execution of small clients with the model checker GenMC, and compares with what table.txt expects. That it
# finds mistakes, proof/planted_faults/ shows.
#
#   proof/model/run.sh [--brief] [--write] [DEQUE...]    all deques, or those named (chase_lev, as_published/volt)
#
# A row that is right has to have reached what table.txt says, and its numbers must not have shrunk to a tenth of those
# kept in executions/DEQUE.txt: a client in which nothing happens any more passes everything. Of a new deque none are kept
# yet: a notice.
#
# --brief leaves out what is expected to be right under SC and TSO, for RC11 allows whatever they do, and takes of the
# other rows that are every fourth, of each deque others. --write keeps the numbers of this run. GENMC names the program;
# without it, genmc is looked for on PATH. Prints a line a row: deque, client, memory model, verdict, complete executions,
# seconds of processor time; then "N passed, N failed", and how many rows used up their processor time before GenMC had
# seen everything: that is no verdict.
#
# GenMC 0.10 ignores the order that a CAS has when it fails and takes that of success: it verifies what C11 does not. Rows
# with -DSPLIT_CAS (split_cas.h) have that read apart; beyond them the lab alone looks at it.
# Exit: 0 all as expected, 1 not, 2 no such deque, 3 GenMC is not installed, 4 interrupted, or a row without a verdict.
set -u
cd "$(dirname "$0")/../.." || exit 3
export LC_ALL=C

genmc=${GENMC:-genmc}
if ! command -v "$genmc" > /dev/null; then
    echo "genmc is not installed: model checks not run"
    exit 3
fi

row_seconds=${MODEL_ROW_SECONDS:-120} # of processor time; the longest row needs some 7
endless_turns=64                      # of a loop in a client of eight items: then it has no end

passed=0
failed=0
no_verdict=0

work=$(mktemp -d) || exit 3 # for what GenMC leaves
trap 'rm -rf "$work"' EXIT
trap 'exit 4' INT TERM

brief=
write=
while [[ ${1:-} == --* ]]; do
    case $1 in
        --brief) brief=1 ;;
        --write) write=1 ;;
        *) echo "no such option: $1 (there are: --brief --write)" >&2 && exit 2 ;;
    esac
    shift
done
if [[ $brief && $write ]]; then
    echo "--write keeps the numbers of all rows: not with --brief" >&2
    exit 2
fi

known_deques() {
    local header
    for header in queues/*.h queues/as_published/*.h; do
        header=${header#queues/}
        [[ $header == deque.h ]] || echo "${header%.h}"
    done
}

# The rows that hold for one deque, without their first column: its own, or else the general ones and those on top.
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
        names($1, deque) { own = own row "\n" }
        names($1, "*") && !names($1, "-" deque) || names($1, "+" deque) { general = general row "\n" }
        END { printf "%s", own != "" ? own : general }
    ' proof/model/table.txt
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

# The numbers of a run that found no error, "executions=105 end=105 stolen=36 ...", of GenMC's output: how many complete
# executions there are, and how many of them printed each word.
numbers_of() {
    awk '
        /^Number of complete executions explored:/ { executions = $NF }
        /^reached / { count[$2]++ }
        END {
            printf "executions=%d", executions
            n = split("end stolen both late later lost beaten refused over several moved again spilled reused", word, " ")
            for (i = 1; i <= n; i++)
                if (count[word[i]])
                    printf " %s=%d", word[i], count[word[i]]
        }' <<< "$1"
}

# missing DEMANDED NUMBERS KEPT: what is wrong with a row's numbers, or nothing.
missing() {
    awk -v demanded="$1" -v numbers="$2" -v kept="$3" '
        function read(text, into,    n, i, part, pair) {
            n = split(text, part, " ")
            for (i = 1; i <= n; i++) {
                split(part[i], pair, "=")
                into[pair[1]] = pair[2]
            }
        }
        BEGIN {
            read(numbers, now)
            read(kept, before)
            n = split(demanded, word, ",")
            for (i = 1; i <= n; i++)
                if (word[i] != "-" && !now[word[i]])
                    printf "no execution reaches %s; ", word[i]
            for (name in before)
                if (10 * now[name] <= before[name])
                    printf "%s were %d and are %d; ", name, before[name], now[name]
            if (kept == "")
                printf "no numbers are kept of it (--write); "
        }'
}

# run_row DEQUE FILE CLIENT MODEL EXPECTED REACHED OPTIONS...
run_row() {
    local deque=$1 file=$2 client=$3 model=$4 expected=$5 reached=$6 option
    shift 6
    # Without its cache of instructions every execution prints what it reached.
    local checker=("--$model" --disable-estimation --disable-instruction-caching) compiler=() verdict=
    [[ $expected != endless ]] || checker+=("--unroll=$endless_turns")
    for option in "$@"; do
        case $option in
            -D*) compiler+=("$option") ;;
            cached) checker=("${checker[@]/--disable-instruction-caching/--disable-estimation}") ;;
            *) checker+=("$option") ;;
        esac
    done
    # GenMC hands the compiler's flags to a shell, hence the second layer of quotes. -MMD says where it leaves the code
    # that it made of the client, so that it can be taken away.
    compiler+=(-std=gnu11 -I. "-DDEQUE_HEADER=\\\"queues/$deque.h\\\"" "-DCLIENT=$client" "-DCLIENT_$client")

    local output numbers='' kept seconds note='' key line
    output=$( (
        ulimit -S -t "$row_seconds"
        TIMEFORMAT='seconds of processor time: %U'
        time "$genmc" "${checker[@]}" -- "${compiler[@]}" -MMD -MF "$work/left" "proof/model/$file.c" 2> "$work/said"
        (($? != 128 + 24)) || echo "out of time"
    ) 2>&1)
    output+=$'\n'$(< "$work/said")
    [[ ! -s $work/left ]] || rm -f "$(sed -n '1s/: .*//p' "$work/left")"
    seconds=$(sed -n 's/^seconds of processor time: //p' <<< "$output")
    if [[ $output == *"out of time"* ]]; then
        verdict="no verdict"
    else
        verdict=$(verdict_of "$output")
    fi
    numbers=$(numbers_of "$output")
    # An execution that does not come to its end within so many turns of a loop is taken for complete, but prints nothing.
    [[ $expected == endless && $verdict == ok && $numbers != *end=* ]] && verdict=endless

    if [[ $verdict == ok && $expected == ok ]]; then
        key="$file $client $model${*:+ $*}"
        line="$key: $numbers"
        echo "$line" >> "$work/numbers"
        kept=$(sed -n "s|^${key//[*.[]/.}: ||p" "proof/model/executions/$deque.txt" 2> /dev/null)
        # A new deque has none yet, which is said once (run_deque).
        [[ ! $write && -e proof/model/executions/$deque.txt ]] || kept=$numbers
        note=$(missing "end,$reached" "$numbers" "$kept")
    fi
    if [[ $verdict == "no verdict" ]]; then
        ((no_verdict += 1))
        note="  after $row_seconds s of processor time"
    elif [[ $verdict == "$expected" && -z $note ]]; then
        ((passed += 1))
    else
        ((failed += 1))
        [[ $verdict == "$expected" ]] || note="expected $expected"
        note="  FAILED: ${note%; }"
    fi
    numbers=${numbers#executions=}
    printf '%-26s %-20s %-4s %-11s %6s %6s%s\n' "$deque" "$client" "$model" "$verdict" "${numbers%% *}" "$seconds" "$note"
    [[ -z $note ]] || echo "    genmc ${checker[*]} -- ${compiler[*]} proof/model/$file.c  $*"
}

# Every client of every row, under every model of that row.
run_deque() {
    local deque=$1 file clients models expected reached options client model turn=${#1}
    : > "$work/numbers"
    while read -r file clients models expected reached options; do
        for client in ${clients//,/ }; do
            for model in ${models//,/ }; do
                if [[ $brief && $expected == ok ]]; then
                    [[ $model =~ ^(sc|tso)$ ]] || ((turn++ % 4)) && continue
                fi
                # shellcheck disable=SC2086 # options are words
                run_row "$deque" "$file" "$client" "$model" "$expected" "$reached" $options < /dev/null
            done
        done
    done < <(rows_of "$deque")
    if [[ ! $write && -s $work/numbers && ! -e proof/model/executions/$deque.txt ]]; then
        echo "notice: $deque is new: no numbers are kept of it yet; proof/model/run.sh --write $deque"
    fi
    if [[ $write && -s $work/numbers ]]; then
        mkdir -p "$(dirname "proof/model/executions/$deque")"
        sort -u "$work/numbers" > "proof/model/executions/$deque.txt"
    fi
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
((no_verdict == 0)) || echo "$no_verdict came to no verdict"
echo "$passed passed, $failed failed"
((failed == 0)) || exit 1
((no_verdict == 0)) || exit 4
