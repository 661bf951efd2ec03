#!/usr/bin/env bash
# lint.sh: checks the format, the shell scripts and the Python of all files that git knows. Each version of clang-format formats
# differently, so any other than ours is skipped.
#
#   tests/lint.sh [--format]     --format rewrites the sources instead
#
# Ends on "N passed, N failed". CLANG_FORMAT names the program.
set -u
cd "$(dirname "$0")/.." || exit 3
formatter_version=14
passed=0 failed=0

git rev-parse > /dev/null 2>&1 || { echo "no git repository here: left out" && echo "0 passed, 0 failed" && exit 0; }
files() { git ls-files --cached --others --exclude-standard -- "$@"; } # PATTERN...

judge() { # WHAT COMMAND...
  local what=$1
  shift
  if "$@" < /dev/null; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED $what"
  fi
}

# Prints the clang-format of that version; fails if there is none.
formatter() {
  local program
  for program in ${CLANG_FORMAT:+"$CLANG_FORMAT"} "clang-format-$formatter_version" clang-format; do
    "$program" --version 2> /dev/null | grep -q "version $formatter_version\." && echo "$program" && return
  done
  return 1
}

mapfile -t sources < <(files '*.c' '*.h' '*.cc')
mapfile -t scripts < <(files '*.sh' .ci/run && files 'extras/*/run' 'extras/*/check' | xargs -r grep -l '^#!.*sh$')
program=$(formatter)
if [ "${1:-}" = --format ]; then
  [ -n "$program" ] || { echo "lint: no clang-format $formatter_version" >&2; exit 3; }
  exec "$program" -i "${sources[@]}"
fi

judge "there are sources and scripts" test "${#sources[@]}" -gt 0 -a "${#scripts[@]}" -gt 0
if [ -n "$program" ]; then
  # A deque that git does not know yet is a first try: its format is only a notice.
  while read -r header; do
    "$program" --dry-run -Werror "$header" 2> /dev/null || echo "notice: $header is not formatted as the others; make format"
    for i in "${!sources[@]}"; do [ "${sources[i]}" != "$header" ] || unset "sources[i]"; done
  done < <(git ls-files --others --exclude-standard -- 'queues/*.h' 2> /dev/null)
  judge "clang-format (make format mends it)" "$program" --dry-run -Werror "${sources[@]}"
else
  echo "no clang-format $formatter_version here ($(clang-format --version 2> /dev/null || echo none)): formatting left out"
fi
# The scripts are written for shellcheck 0.8 and later; older versions complain about other things.
version=$(shellcheck --version 2> /dev/null | sed -n 's/^version: //p')
if [ "$version" ] && [ "$(printf '%s\n' 0.8 "$version" | sort -V | head -n 1)" = 0.8 ]; then
  judge shellcheck shellcheck "${scripts[@]}"
else
  echo "no shellcheck from 0.8 on here (${version:-none}): left out"
fi
# RHEL 8 and its relatives have glibc 2.28. Newer functions are called through syscall().
newer_than_2_28() {
  ! grep -nE '\<(gettid|tgkill|getdents64|pthread_(mutex|cond|rwlock)_clock[a-z]+|sem_clockwait|sig(abbrev|descr)_np|strerror(name|desc)_np|mallinfo2|closefrom|close_range|execveat|epoll_pwait2|arc4random|pidfd_[a-z_]+|process_madvise|strlcpy|strlcat|pthread_attr_setsigmask_np|timespec_getres)\(' "$@"
}
mapfile -t own < <(printf '%s\n' "${sources[@]}" | grep -v '^queues/upstream/')
judge "no function that glibc 2.28 does not have" newer_than_2_28 "${own[@]}"
folders=(harness plots proof queues tests workloads)
[ ! -d extras ] || folders+=(extras)
judge "Python compiles" /usr/bin/python3 -m compileall -q "${folders[@]}"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
