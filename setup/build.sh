#!/usr/bin/env bash
# build.sh: setup/configure.py with progress, where a header that does not compile takes only its own deque with it.
#
#   setup/build.sh [--quiet] TARGET...   builds these of ninja's targets
#
# A deque that does not compile is left out and named with the compiler's first error, which build/*/not_built.txt keeps for
# the driver. Nothing is printed when there is nothing to do.
# Exit: 0; 3 if something other than a deque cannot be built.
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C # what compilers say is read
quiet=''
[ "${1-}" != --quiet ] || { quiet=1 && shift; }
[ $# -gt 0 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
if ! { mkdir -p build && [ -w build ]; } 2> /dev/null; then
  echo "cannot write into $PWD/build: clone or copy the suite to a folder that you may write to" >&2
  exit 3
fi
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
errors='[Ee]rror:|undefined reference|multiple definition|cannot find|not found|^lab: |^ninja: error|No space|the shell cannot read'
flavours=(described/deques described/pool deques pool checks pool_checks pool_layouts/{1,2,3,4,5,6,7} items4 address thread address_workloads
  thread_workloads lab callgrind)

# Turns ninja's output into progress: on a terminal one line that is rewritten, elsewhere a line every ten seconds.
show() {
  awk -v period="${PERIOD:-10}" -v quiet="$quiet" -v terminal="$([ -t 2 ] && echo 1)" -v width="$(tput cols 2> /dev/null || echo 80)" '
    function now() { "date +%s" | getline time; close("date +%s"); return time }
    BEGIN { last = now() }
    !quiet && /^building [0-9]+ of [0-9]+: / {
      done = 1
      sub(/: build\/(obj\/[^\/]*\/)?/, ": "); sub(/\.o$/, ""); sub(/\/\+[0-9]*/, "")
      if (terminal) printf "\r\033[K%s", substr($0, 1, width - 1) > "/dev/stderr"
      else if (now() - last >= period) { print > "/dev/stderr"; last = time }
    }
    END { if (terminal && done) printf "\r\033[K" > "/dev/stderr" }'
}

# Prints a line for each deque that could not be built: id, flavour, first error. Fails if something other than a deque
# could not be built.
failed_targets() {
  awk -v errors="$errors" '
    function tell() { if (target) print target "\t" why; target = why = "" }
    /^FAILED: / { tell(); target = $2; getline; next } # the command stands in the next line
    /^building / { tell() }
    target && why == "" && $0 ~ errors { why = $0 }
    END { tell() }' "$work/log" > "$work/said"
  local others='' target why flavour id
  while IFS=$'\t' read -r target why; do
    case $target in
      build/lab/deques/*.o) flavour=lab id=${target#build/lab/deques/} && id=${id%.o} ;;
      build/obj/*/+*/*.o) # FLAVOUR/ID/+VARIANT/SOURCE.o
        id=${target#build/obj/} && flavour=${id%%/*} && id=${id#*/} && id=${id%%/+*}
        ;;
      build/obj/described/*.program) flavour=described id=${target#build/obj/described/} && id=${id%.program} ;;
      build/described/*) flavour=described id=${target#build/described/*/} ;;
      *) id=${target#build/} && flavour=${id%%/*} && id=${id#*/} ;;
    esac
    [ -e "queues/$id.h" ] || { others=1 && continue; }
    printf '%s\t%s\t%s\n' "$id" "$flavour" "$why"
  done < "$work/said"
  [ ! "$others" ]
}

# Leaves out what failed: all executables of its deque, or only the one for items of 4 bytes.
leave_out_failed() {
  local id flavour why folder told='' others=''
  failed_targets > "$work/failed" || others=1
  while IFS=$'\t' read -r id flavour why; do
    if [ "$flavour" = items4 ]; then
      [[ $told == *" $id "* ]] || printf '%s: build/items4/%s failed, so cells that need it are unsupported: %s\n' "$id" "$id" "$why" >&2
      told+=" $id "
      rm -f "build/items4/$id"
      continue
    fi
    grep -qs "^$id"$'\t' "$work/absent" && continue
    printf '%s\t%s\n' "$id" "$why" >> "$work/absent"
    printf '%s cannot be built and is left out: %s\n' "$id" "$why" >&2
    for folder in "${flavours[@]}"; do rm -f "build/$folder/$id"; done
  done < "$work/failed"
  [ ! "$others" ] && [ -s "$work/failed" ]
}

build() { # TARGET...
  if ! NINJA_STATUS='building %f of %t: ' setup/configure.py -k0 "$@" 2>&1 | tee "$work/log" | show; [ "${PIPESTATUS[0]}" -ne 0 ]; then
    if ! leave_out_failed; then
      grep -E "$errors" "$work/log" | awk '!said[$0]++' | head -n 20 >&2
      cp "$work/log" build/failed.log
      echo "the build failed; whole output: build/failed.log" >&2
      exit 3
    fi
  fi
}

# Keeps the list of failed deques for the driver. What could not be described stays so until it is tried again.
# (queues/upstream/build.py has a list of its own.)
say_what_is_absent() { # TARGET...
  local folder
  for folder in described/deques deques lab; do
    [[ $folder != described/* || $* == *described* ]] || continue
    if [ -s "$work/absent" ]; then
      mkdir -p "build/$folder" && cp "$work/absent" "build/$folder/not_built.txt"
    else
      rm -f "build/$folder/not_built.txt"
    fi
  done
}

build "$@"
say_what_is_absent "$@"
