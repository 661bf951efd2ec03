#!/usr/bin/env bash
# An installed stealbench works from any folder, builds and keeps results in the user's folder, and updates its copy there.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
prefix="$scratch/a b" elsewhere=$scratch/elsewhere
export STEALBENCH_HOME="$scratch/own home/stealbench"
mkdir "$elsewhere"
around() { (cd "$elsewhere" && timeout 300 "$@" < /dev/null); }
stealbench=$prefix/bin/stealbench

expect "make install" 0 "installed: $prefix/bin/stealbench" make -s -C "$PWD" install PREFIX="$prefix"
chmod -R a-w "$prefix/share/stealbench" # as if root had installed it
expect "a wrong verb" 2 "did you mean paper?" "$stealbench" papper
expect "which version" 0 "stealbench 0." "$stealbench" version
expect "a file where the caller is" 0 "" "$stealbench" export chase_lev --unchecked -o mine.h
expect "is there" 0 "chase_lev" cat mine.h
expect "and below a folder" 0 "" "$stealbench" export chase_lev --unchecked --output=below/mine.h
expect "that is there, too" 0 "" test -s below/mine.h
expect "it builds in the user's folder" 0 "" test -x "$STEALBENCH_HOME/build/stealbench"
mkdir "$elsewhere/runs" "$elsewhere/runs/mine"
expect "a run of the caller's is found" 3 "$elsewhere/runs/mine/manifest.json is not there" "$stealbench" report runs/mine
mkdir -p "$STEALBENCH_HOME/results/kept" && chmod u+w "$prefix/share/stealbench" "$prefix/share/stealbench/.installed"
echo changed > "$prefix/share/stealbench/.installed" && rm -f "$STEALBENCH_HOME/queues/abp.h"
expect "what is newer is copied" 2 "did you mean abp?" "$stealbench" check abq
expect "and results stay" 0 "" test -d "$STEALBENCH_HOME/results/kept"
expect "make help" 0 "make install" make -s -C "$PWD" help
expect "a package is made elsewhere" 0 "" make -s -C "$PWD" install DESTDIR="$scratch/package" PREFIX=/usr
expect "and looks where it will be" 0 "from=/usr/share/stealbench" cat "$scratch/package/usr/bin/stealbench"
