# expect.sh: a command, what it should end with, and what it should say. To be sourced.
# shellcheck shell=bash
passed=0 failed=0

# How a command is run; who sources this may say otherwise.
# shellcheck disable=SC2317 # expect calls it
around() { "$@"; }

# expect NAME CODE WORDS COMMAND...: it ends with that code, and what it says holds these words
expect() {
  local name=$1 code=$2 words=$3 said status
  shift 3
  said=$(around "$@" 2>&1)
  status=$?
  if [ "$status" -eq "$code" ] && grep -qF -- "$words" <<< "$said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED %s: exit %s where %s was due, with "%s":\n%s\n' "$name" "$status" "$code" "$words" "$said"
  fi
}
