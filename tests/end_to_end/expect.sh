# expect.sh: runs commands and checks their exit codes and output. To be sourced.
# shellcheck shell=bash
passed=0 failed=0

# How a command is run; a script may redefine it.
# shellcheck disable=SC2317 # expect calls it
around() { "$@"; }

# expect NAME CODE WORDS COMMAND...: the command exits with that code and its output contains these words
expect() {
  local name=$1 code=$2 words=$3 said status
  shift 3
  said=$(around "$@" 2>&1)
  status=$?
  if [ "$status" -eq "$code" ] && grep -qF -- "$words" <<< "$said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: exit %s instead of %s, expected "%s":\n%s\n' "$name" "$status" "$code" "$words" "$said"
  fi
}
