# measured.sh: for scripts that measure and then go on with the run. To be sourced, from the top of the tree.
# shellcheck shell=bash disable=SC2034 # run is for whoever sources this

# measured VERB ARGUMENT...: has the driver measure; the run's folder is then in $run, "" when there is none. Returns the
# driver's exit code. Nothing is shared with other runs that are made meanwhile.
run=''
measured() {
  local told status
  told=$(mktemp) || return 3
  "${BUILD:-build}/stealbench" "$@" --folder-to="$told"
  status=$?
  run=$(cat "$told")
  rm -f "$told"
  return "$status"
}
