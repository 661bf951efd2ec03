#!/usr/bin/env bash
# ./run.sh on systems other than Debian: it finds out what is missing by looking, and prints names by which that is known. Libraries
# in a folder of the user's are found through PREFIX.
# shellcheck source=tests/end_to_end/expect.sh
. "$(dirname "$0")/expect.sh"
unset CC # so that the gcc below is asked
tools=$scratch/tools
mkdir "$tools"
ln -s /bin/* /usr/bin/* "$tools/" 2> /dev/null
rm -f "$tools"/dpkg* "$tools/gcc"

# A compiler that finds hwloc only below one folder.
cat > "$tools/gcc" << TOOL
#!/bin/sh
case "\$*" in *-I$scratch/own/include*) cat > /dev/null; exit 0 ;; esac
! grep -q 'hwloc.h'
TOOL
chmod +x "$tools/gcc"

around() { PATH="$tools" "$@"; }

expect "what is missing is named" 3 "Install: hwloc (by your packages" setup/packages.sh --driver
# shellcheck disable=SC2016 # for the script that this writes
{ grep '^debian()' setup/packages.sh && sed -n '/^found_here()/,/^}/p; /^missing_of()/,/^}/p' setup/packages.sh; echo 'echo "missing: $(missing_of "$@")"'; } > "$scratch/looks.sh"
expect "a folder of one's own" 0 "missing: " env PREFIX="$scratch/own" bash "$scratch/looks.sh" libhwloc-dev gcc
expect "has it" 1 "" grep -q libhwloc <(around env PREFIX="$scratch/own" bash "$scratch/looks.sh" libhwloc-dev gcc)
expect "and without it" 0 "missing: libhwloc-dev" bash "$scratch/looks.sh" libhwloc-dev gcc
expect "what cannot be" 2 "usage: ./run.sh setup" ./run.sh setup --anything

# Every package in the lists has a row in setup/packages.tsv.
unnamed=$(sed -n '/^build_packages=/,/^aarch64_packages=/p' setup/packages.sh | grep -v '^original_packages\|^#\|^case' | tr '()' '  ' |
  sed 's/^[a-z_]*=//; s/check_packages+=.*//' | tr -s ' ' '\n' | grep -E '^[a-z]' |
  while read -r package; do grep -q "^$package"$'\t' setup/packages.tsv || echo "$package"; done | grep -v 'aarch64\|^libc6-dev-arm64\|^qemu')
expect "each package is in setup/packages.tsv" 0 "[]" echo "[$unnamed]"
