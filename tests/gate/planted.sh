# planted.sh: what the scripts that plant faults share. To be sourced, from the top of the tree, with the names of the
# faults that are wanted, all when none is given. Sets compiler, work (a folder that goes at the end), jobs.
# shellcheck shell=bash disable=SC2034 # work and compiler are for whoever sources this
compiler=${CC:-gcc}
command -v "$compiler" >/dev/null || {
    echo "${0##*/}: no compiler $compiler; set CC" >&2
    exit 3
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/results"
wanted=("$@")
jobs=$(nproc)

report() { # name passed|failed text
    printf '%s\t%s\t%s\n' "$2" "$1" "$3" >"$work/results/${1//[^a-zA-Z0-9]/_}"
    printf '%-6s  %-62s %s\n' "$2" "$1" "$3"
}

is_wanted() { # name
    local word
    [ ${#wanted[@]} -eq 0 ] && return 0
    for word in "${wanted[@]}"; do
        case $1 in *"$word"*) return 0 ;; esac
    done
    return 1
}

# Runs a job beside others, as many as there are processors.
beside() {
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
        wait -n || true
    done
    "$@" &
}

# When all have ended: the closing line, and whether all is as it should be.
conclude() {
    local passed failed
    wait
    passed=$(cat "$work"/results/* 2>/dev/null | grep -c '^passed' || true)
    failed=$(cat "$work"/results/* 2>/dev/null | grep -c '^failed' || true)
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
