#!/usr/bin/env bash
# run.sh: the one way in. Makes sure that the driver can be built, builds it, and passes it the command line. The driver
# (harness/driver/verbs/) knows the verbs and their options, and builds what else a verb needs.
set -u
export STEALBENCH_FROM=${STEALBENCH_FROM-$PWD} # relative paths start here
[[ $0 != */* ]] || cd "${0%/*}" || exit 3
export LC_ALL=C # scripts compute, and parse what compilers print

# setup runs without the driver, because nothing may be installed yet.
case "${1-} ${2-}" in
  "setup -h" | "setup --help") ;;
  setup\ *) exec setup/packages.sh "${@:2}" ;;
esac
# Nothing is asked of the compiler while no source of the driver is newer than the driver.
if [ ! -x build/stealbench ] || [ -n "$(find harness/driver harness/measuring results/metrics.csv -newer build/stealbench -print -quit)" ]; then
  setup/packages.sh --driver && setup/configure.py --leave-out build/stealbench && touch build/stealbench || exit
fi
exec build/stealbench --whole "$@"
