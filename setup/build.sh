#!/usr/bin/env bash
# build.sh: setup/configure.py with progress, where a header that does not compile takes only its own deque with it.
#
#   setup/build.sh [--quiet] TARGET...                   builds these of ninja's targets
#   setup/build.sh [--quiet] --for VERB ARGUMENT...      builds what `stealbench VERB ARGUMENT...` needs, and prints the
#                                                        folder of the run that it would make, if it makes one
#
# A deque that does not compile is left out and named with the compiler's first error, which build/*/not_built.txt keeps for
# the driver. Nothing is printed when there is nothing to do.
# Exit: 0; 2 if the driver does not understand the arguments; 3 if something other than a deque cannot be built.
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C # what compilers say is read
quiet=''
[ "${1-}" != --quiet ] || { quiet=1 && shift; }
[ $# -gt 0 ] || { sed -n '2,9s/^# \{0,1\}//p' "$0" >&2 && exit 2; }
if ! { mkdir -p build && [ -w build ]; } 2> /dev/null; then
  echo "cannot write into $PWD/build: clone or copy the suite to a folder that you may write to" >&2
  exit 3
fi
[ -e build/obj ] || rm -f build/obj # a dangling link to a node's scratch folder (harness/cluster/build.sh)
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

build() { # TARGET... [DEQUE_IDS="ID..."]: groups of targets for these deques alone
  local word id words=() ids=''
  for word; do [[ $word != DEQUE_IDS=* ]] || ids=${word#*=}; done
  for word; do
    case $word in
      DEQUE_IDS=*) ;;
      gate_builds | lab) if [ "$ids" ]; then for id in $ids; do words+=("$word/$id"); done; else words+=("$word"); fi ;;
      *) words+=("$word") ;;
    esac
  done
  set -- "${words[@]}"
  if ! NINJA_STATUS='building %f of %t: ' setup/configure.py -k0 "$@" 2>&1 | tee "$work/log" | show; [ "${PIPESTATUS[0]}" -ne 0 ]; then
    if ! leave_out_failed; then
      grep -E "$errors" "$work/log" | awk '!said[$0]++' | head -n 20 >&2
      cp "$work/log" build/failed.log
      echo "the build failed; whole output: build/failed.log" >&2
      exit 3
    fi
  fi
}

# Keeps the list of failed deques for the driver. (queues/upstream/build.py has one of its own.)
say_what_is_absent() {
  local folder
  for folder in described/deques deques lab; do
    if [ -s "$work/absent" ]; then
      mkdir -p "build/$folder" && cp "$work/absent" "build/$folder/not_built.txt"
    else
      rm -f "build/$folder/not_built.txt"
    fi
  done
}

# Prints the descriptions that the plan needs: those of the deques that a run or a check names, else all.
descriptions_of() { # VERB WORD...
  local word ids=() id
  for word; do [[ $word != --deque=* ]] || IFS=, read -r -a ids <<< "${word#*=}"; done
  [ "$1" != check ] || for word in "${@:2}"; do [[ $word == -* ]] || ids+=("$word"); done
  if [[ $1 == @(run|check) ]] && [ ${#ids[@]} -gt 0 ]; then
    for id in "${ids[@]}"; do [ -e "queues/$id.h" ] || break; done
    [ ! -e "queues/$id.h" ] || { printf 'build/described/deques/%s\n' "${ids[@]}" && return; }
  fi
  echo described
}

# Building all deques of a suite takes a minute or more. So the first one is built alone, and one push on it is measured and
# printed, as a first number to look at.
first_number() {
  local id absent=0 target
  for target in "${targets[@]}"; do [ -e "$target" ] || absent=$((absent + 1)); done
  id=$(printf '%s\n' "${targets[@]}" | sed -n 's/^build\/lab\///p' | head -n 1)
  [ "$absent" -gt 3 ] && [ ! "$quiet" ] && [[ " ${targets[*]} " == *" build/deques/$id "* ]] || return 0
  build "build/deques/$id" "build/lab/$id"
  build/stealbench run push --deque="$id" --invocations=1 --repetitions=1 --quiet --results="$work" --name=first --csv=- |
    awk -F, '$9 == "push_latency" && $12 == "ok" {
      printf "first number: a push on %s takes %.3g ns (one invocation); building the other deques\n", $3, $10 > "/dev/stderr"
      exit
    }'
}

if [ "$1" != --for ]; then
  build "$@"
else
  shift
  build build/stealbench
  case " $* " in
    *' --help '* | *' -h '*) ;;
    ' run '* | ' suite '* | ' check '* | ' lab '*)
      mapfile -t targets < <(descriptions_of "$@")
      build "${targets[@]}"
      say_what_is_absent
      needs=$(build/stealbench "$@" --needs) || exit
      mapfile -t targets < <(sed -n 's/^make\t//p' <<< "$needs")
      [ "$1" != suite ] || first_number
      [ ${#targets[@]} -eq 0 ] || build "${targets[@]}"
      sed -n 's/^run\t//p' <<< "$needs" ;;
    ' list '*) build described ;;
  esac
fi
say_what_is_absent
