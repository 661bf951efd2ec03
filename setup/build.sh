#!/usr/bin/env bash
# build.sh TARGET... [NAME=VALUE...]: make, for a person: what fails is confined to the deques that it is about, which are
# then left out and said. Exit: 0; 3 when something else could not be built.
#
#   setup/build.sh --for VERB ARGUMENT...    what `stealbench VERB ARGUMENT...` needs; prints the folder of the run that it
#                                            would make, if it makes one
set -u
cd "$(dirname "$0")/.." || exit 3
export LC_ALL=C # what compilers say is read

# make; what fails is confined to the deques that it is about, which are then left out.
build() {
  local log
  if ! { mkdir -p build && [ -w build ]; } 2>/dev/null; then
    echo "cannot write into $PWD/build: clone or copy the suite to a folder that you may write to" >&2
    exit 3
  fi
  [ -e build/obj ] || rm -f build/obj # a link to a node's scratch that is gone (cluster/build.sh)
  log=$(mktemp) || exit 3
  if ! make -k --output-sync=target -j"$(nproc)" "$@" > "$log" 2>&1 && ! leave_out_failed "$log"; then
    grep -E "$build_errors" "$log" | awk '!said[$0]++' | head -n 20 >&2
    echo "the build failed; whole output: $log" >&2
    exit 3
  fi
  rm -f "$log" build/{deques,lab}/not_built.txt
  [ -z "$failed_deques" ] || tee build/{deques,lab}/not_built.txt <<< "${failed_deques%$'\n'}" > /dev/null
  forget_removed_deques
}
build_errors='[Ee]rror:|undefined reference|multiple definition|cannot find|not found|^lab: |\*\*\* [^[]|No space'

# The deques whose targets make could not build, by its output: names each with the first that was said of it, and puts
# that where the driver finds it. Fails when something else could not be built, or no deque at all.
failed_deques='' flavours=(deques pool checks pool_checks items4 simulated address thread lab)
leave_out_failed() { # LOG
  local target id why flavour
  while IFS=$'\t' read -r target why; do
    case $target in
      build/lab/deques/*.o) id=${target#build/lab/deques/} && id=${id%.o} ;;
      build/obj/*/*.o) # FLAVOUR/ID/SOURCE.o, and an id may have a folder
        id=${target#build/obj/*/}
        while [[ $id == */* ]] && [ ! -e "queues/$id.h" ]; do id=${id%/*}; done
        ;;
      *) id=${target#build/*/} ;;
    esac
    [ -e "queues/$id.h" ] || return 1
    grep -q "^$id"$'\t' <<< "$failed_deques" && continue
    failed_deques+="$id"$'\t'"$why"$'\n'
    printf '%s cannot be built and is left out: %s\n' "$id" "$why" >&2
    for flavour in "${flavours[@]}"; do rm -f "build/$flavour/$id"; done
  done < <(awk -v errors="$build_errors" '
    /^make.*\*\*\* / { sub(/^[^[]*\[[^ ]* /, ""); sub(/\] Error .*/, ""); print $0 "\t" why; why = ""; next }
    $0 ~ errors && why == "" { why = $0 }' "$1")
  [ -n "$failed_deques" ] && [ -n "$(find build/deques -type f -perm -u+x)" ]
}

# Executables are found by looking, so those of a header that is gone have to go too.
forget_removed_deques() {
  local flavour executable
  for flavour in "${flavours[@]}"; do
    [ -d "build/$flavour" ] || continue
    find "build/$flavour" -type f -perm -u+x | while read -r executable; do
      [ -e "queues/${executable#build/"$flavour"/}.h" ] || rm -f "$executable"
    done
  done
}


# The sanitizer builds of the deques among the arguments, or of all when none is named.
build_gate_of() {
  local argument deques=()
  for argument; do
    [ -e "queues/$argument.h" ] && deques+=("$argument")
  done
  build gate_builds ${deques[0]:+"DEQUE_IDS=${deques[*]}"}
}

[ "${1-}" != --quiet ] || shift
[ "${1-}" = --for ] || { build "$@" && exit; }
shift
build all
case $1 in
  run | suite)
    needs=$(build/stealbench "$@" --needs) || exit
    mapfile -t targets < <(sed -n 's/^make\t//p' <<< "$needs")
    [ ${#targets[@]} -eq 0 ] || make -k -s -j"$(nproc)" "${targets[@]}" 2>&1 | grep -E "$build_errors|: not with items" >&2
    sed -n 's/^run\t//p' <<< "$needs" ;;
  check) build_gate_of "${@:2}" ;;
esac
exit 0
