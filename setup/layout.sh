#!/bin/sh
# layout.sh NUMBER OBJECT... > SCRIPT: the linker script of one layout of an executable.
#
# The place of every function with a section of its own (-ffunction-sections) depends only on NUMBER and the function's name:
# its order, a gap before it, and its offset from a cache line. So two builds that differ in one function have all others at
# the same offsets. Over four consecutive numbers each function has each offset once (0, 16, 32, 48 bytes). Cold parts stay
# where the linker puts them. For GNU ld (INSERT adds to the linker's own script) and lld.
set -eu
number=$1
shift
for file; do # of a library's members nothing is placed
    shift
    case $file in *.a) ;; *) set -- "$@" "$file" ;; esac
done
echo 'SECTIONS { .text_layout : ALIGN(4096) SUBALIGN(16) {'
objdump -h "$@" | awk -v number="$number" '
  BEGIN { for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i }
  function hash(seed, text, i, sum) { # twice over the text, so that its last letters count in all digits
    sum = 7 + 8191 * seed
    for (i = 0; i < 2 * length(text); i++) sum = (257 * sum + code[substr(text, i % length(text) + 1, 1)]) % 1000003
    return sum
  }
  /: +file format / { file = $0; sub(/: +file format.*/, "", file) }
  $2 ~ /^\.text\./ && $2 !~ /^\.text\.(unlikely|startup|exit|hot)\./ && $3 !~ /^0+$/ {
    name = file $2
    sub(/.*\//, "", name)
    order = hash(number, name)
    first = hash(1000 + int(number / 4), name)
    printf "%07d %s\t    . = ALIGN(64) + %d; \"%s\"(%s)\n", order, name,
      64 * (order % 5) + 16 * ((first + number * (first % 2 ? 3 : 1)) % 4), file, $2
  }' | LC_ALL=C sort | cut -f 2
echo '} } INSERT BEFORE .text;'
