#!/usr/bin/env bash
# check.sh PART LINES: the tests of a part, PART/tests/*_test.py, *_test.c and *.sh, and that its page has at most 600 words and
# its code at most so many lines; ends on "N passed, N failed". PART/check calls it.
set -u
cd "$(dirname "$0")/.." || exit 3
passed=0 failed=0
at_most() { # MOST NUMBER WHAT
  if [ "$2" -le "$1" ]; then passed=$((passed + 1)); else failed=$((failed + 1)) && echo "FAILED extras/$part has $2 $3, $1 at most"; fi
}
part=$1
at_most 600 "$(wc -w < "extras/$part/README.md")" words
at_most "$2" "$(find "extras/$part" -name __pycache__ -prune -o -type f ! -name '*.md' ! -name '*.tsv' ! -name '*.csv' -exec cat {} + | wc -l)" lines
for test in extras/"$part"/tests/*_test.py extras/"$part"/tests/*_test.c extras/"$part"/tests/*.sh; do
  [ -e "$test" ] || continue
  name=${test##*/}
  case $test in
    *.py) command=(/usr/bin/python3 -m "$(tr / . <<< "${test%.py}")") ;;
    *.c) command=(sh -c "make -s build/tests/${name%.c} && build/tests/${name%.c}") ;;
    *) command=("$test") ;;
  esac
  said=$("${command[@]}" 2>&1)
  status=$?
  printf '%s\n' "$said"
  read -r good bad < <(awk '/^[0-9]+ passed, [0-9]+ failed$/ { good += $1; bad += $3 } /^\[  PASSED  \]/ { good += $4 } /^\[  FAILED  \] [0-9]+ test/ { bad += $4 }
    END { print good + 0, bad + 0 }' <<< "$said")
  [ $((status == 0)) -eq $((good > 0 && bad == 0)) ] || bad=$((bad + 1))
  passed=$((passed + good)) failed=$((failed + bad))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
