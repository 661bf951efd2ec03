#!/usr/bin/env bash
# ./run.sh on systems other than Debian: it finds out what is missing by looking, and prints that system's package names.
# Libraries in a folder of the user's are found through PREFIX.
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

around() { PATH="$tools" OS_RELEASE="$scratch/release" "$@"; }
system() { printf 'ID=%s\nID_LIKE="%s"\n' "$1" "${2-}" > "$scratch/release"; }

system fedora
expect "Fedora's names" 3 "Run: sudo dnf install -y hwloc-devel" ./run.sh list deques
system rocky "rhel centos fedora"
expect "and its relatives'" 3 "Run: sudo dnf install -y hwloc-devel" ./run.sh list deques
system arch
expect "Arch's" 3 "Run: sudo pacman -S --needed --noconfirm hwloc" ./run.sh list deques
system plan9
expect "a system that nobody here knows: without root" 3 "-c conda-forge libhwloc" ./run.sh list deques
# shellcheck disable=SC2016 # for the script that this writes
{ grep '^debian()' setup/packages.sh && sed -n '/^found_here()/,/^}/p; /^missing_of()/,/^}/p' setup/packages.sh; echo 'echo "missing: $(missing_of "$@")"'; } > "$scratch/looks.sh"
expect "a folder of one's own" 0 "missing: " env PREFIX="$scratch/own" bash "$scratch/looks.sh" libhwloc-dev gcc
expect "has it" 1 "" grep -q libhwloc <(around env PREFIX="$scratch/own" bash "$scratch/looks.sh" libhwloc-dev gcc)
expect "and without it" 0 "missing: libhwloc-dev" bash "$scratch/looks.sh" libhwloc-dev gcc
expect "every system's command" 0 "spack -e $scratch/own add gcc gmake" ./run.sh setup --prefix="$scratch/own"
expect "what cannot be" 2 "usage: ./run.sh setup" ./run.sh setup --anything

# Every package in the lists has a row in setup/packages.tsv.
unnamed=$(sed -n '/^build_packages=/,/^aarch64_packages=/p' setup/packages.sh | grep -v '^original_packages\|^#\|^case' | tr '()' '  ' |
  sed 's/^[a-z_]*=//; s/check_packages+=.*//' | tr -s ' ' '\n' | grep -E '^[a-z]' |
  while read -r package; do grep -q "^$package"$'\t' setup/packages.tsv || echo "$package"; done | grep -v 'aarch64\|^libc6-dev-arm64\|^qemu')
expect "each package is in setup/packages.tsv" 0 "[]" echo "[$unnamed]"
