#!/usr/bin/env bash
# run.sh: the one way in. Sees that the driver can be built, builds it, and hands it the command line: it knows the verbs and
# their options (harness/driver/verbs/), asks for what else a verb needs, and carries it out.
set -u
export STEALBENCH_FROM=${STEALBENCH_FROM-$PWD} # whose files are meant
cd "$(dirname "$0")" || exit 3
export LC_ALL=C # scripts compute, and read what compilers say

# What says how to install things has to run where nothing is installed.
case "${1-} ${2-}" in
  "setup -h" | "setup --help") ;;
  setup\ *) exec setup/packages.sh "${@:2}" ;;
esac
setup/packages.sh --driver && setup/build.sh build/stealbench || exit
exec build/stealbench --whole "$@"
