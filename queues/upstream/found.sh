#!/usr/bin/env bash
# Which originals can be built here? Called by upstream.mk, each time make runs, with CXX, CPPFLAGS, BUILD and
# UPSTREAM_FROM (folders with originals, joined by :, that are searched first) in the environment. Prints, in one line, the ids of those that can, and what builds the Rust ones (rustc=..., cargo=...,
# clang=..., lld=..., crate=PATH of one in UPSTREAM_FROM). Of those that cannot, BUILD/FLAVOUR/upstream/not_built.txt says why, a line each (name, tab,
# reason), for the driver to repeat; an executable from a time when they could goes.
#
# An original is here once: as a line of this table. Headers are alternatives.
set -u
CXX=${CXX:-g++} CPPFLAGS=${CPPFLAGS:-} BUILD=${BUILD:-build} UPSTREAM_FROM=${UPSTREAM_FROM:-}

cxx_originals() {
  cat <<'ORIGINALS'
eigen_runqueue      unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h|eigen3/unsupported/Eigen/CXX11/src/ThreadPool/RunQueue.h  Debian: libeigen3-dev
taskflow_bounded    taskflow/core/wsq.hpp                 Taskflow 4.1 or later: --from=FOLDER
taskflow_unbounded  taskflow/core/wsq.hpp                 Taskflow 4.1 or later: --from=FOLDER
libvsync_chase_lev  vsync/queue/chaselev.h&vsync/atomic.h libvsync 4.3 or later: --from=FOLDER
stdexec_bwos_lifo   exec/detail/bwos_lifo_queue.hpp       stdexec: --from=FOLDER
libfork_deque       libfork/core/ext/deque.hpp            libfork 3.8: --from=FOLDER
parlaylib_abp       parlay/internal/work_stealing_deque.h parlaylib: --from=FOLDER
toomanycooks        tmc/detail/qu_chase_lev64.hpp         TooManyCooks of June 2026 or later: --from=FOLDER
ORIGINALS
}
rust_originals=(crossbeam_lifo crossbeam_fifo)
registry=/usr/share/cargo/registry

flavours=(deques address thread lab)
declare -A absent=()
found=()

# A link from/N to each folder of UPSTREAM_FROM, so that no blank in its path reaches make, and from/flags with the
# compiler's options. The file changes, and with it what includes an original, when the folders do.
place=$BUILD/upstream/from
link_folders() {
  local folder below folders=() n=0 flags=''
  IFS=: read -r -a folders <<< "$UPSTREAM_FROM"
  [ "$UPSTREAM_FROM" != "$(cat "$place/folders" 2> /dev/null)" ] || [ ! -e "$place/flags" ] || return 0
  rm -rf "$place" && mkdir -p "$place"
  for folder in ${folders[@]+"${folders[@]}"}; do
    ln -s "$(cd "$folder" && pwd)" "$place/$((++n))"
    for below in '' /include /vatomic/include; do [ ! -d "$folder$below" ] || flags+="-isystem $place/$n$below "; done
  done
  printf '%s' "$flags" > "$place/flags" # no newline, which would end a command of make
  echo "$UPSTREAM_FROM" > "$place/folders"
}

say_absent() { absent[$1]+="$2"$'\t'"$3"$'\n'; }

# What of "a|b" (one of them) or "a&b" (all of them) the compiler does not find; nothing when it has what is needed.
missing_header() {
  local header condition=''
  for header in ${1//[|&]/ }; do
    condition+="${condition:+ $(case "$1" in *'&'*) echo '&&' ;; *) echo '||' ;; esac) }__has_include(<$header>)"
  done
  # shellcheck disable=SC2086
  printf '#if !(%s)\n#error\n#endif\n' "$condition" | $CXX -std=c++20 $from $CPPFLAGS -E -x c++ - >/dev/null 2>&1 && return
  echo "${1//&/ or }"
}

probe_cxx() {
  local name headers hint missing
  while read -r name headers hint; do
    missing=$(missing_header "$headers")
    if [ -n "$missing" ]; then
      say_absent deques "$name" "${missing##*|} not found; $hint"
    else
      found+=("$name")
    fi
  done < <(cxx_originals)
}

llvm_of_rustc() { "$1" -vV 2>/dev/null | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p'; }
llvm_of_clang() { "$1" --version 2>/dev/null | sed -n '1s/.*version \([0-9]*\).*/\1/p'; }
llvm_of_lld() { "$1" --version 2>/dev/null | sed -n '1s/.*LLD \([0-9]*\).*/\1/p'; }

# The Rust compiler's operations are inlined into loops that clang compiled, so their LLVMs have to be the same.
probe_rust() {
  local rustc cargo clang lld llvm name crate why="rustc and cargo not found; Debian: rustc cargo"
  for crate in "$place"/[0-9]*/crossbeam-deque/Cargo.toml; do
    if [ ! -e "$crate" ] || ! rustc=$(type -p rustc) || ! cargo=$(type -p cargo); then continue; fi
    # To be checked, not timed: its operations are calls.
    found+=("${rust_originals[@]}") tools=(rustc="$rustc" cargo="$cargo" crate="${crate%/Cargo.toml}")
    return
  done
  [ -n "$(compgen -G "$registry/crossbeam-deque-*")" ] || why="crossbeam-deque not found; Debian: librust-crossbeam-deque-dev"
  for rustc in $(type -ap rustc) /usr/bin/rustc; do
    [ -n "$(compgen -G "$registry/crossbeam-deque-*")" ] || break
    cargo=$(dirname "$rustc")/cargo llvm=$(llvm_of_rustc "$rustc")
    if [ ! -x "$cargo" ] || [ -z "$llvm" ]; then continue; fi
    why="clang and lld of LLVM $llvm, as $rustc has, not found; Debian: clang lld"
    for clang in clang-"$llvm" clang; do
      for lld in ld.lld-"$llvm" ld.lld; do
        [ "$(llvm_of_clang "$clang")/$(llvm_of_lld "$lld")" = "$llvm/$llvm" ] || continue
        found+=("${rust_originals[@]}")
        tools=(rustc="$rustc" cargo="$cargo" clang="$clang" lld="${lld#ld.}")
        return
      done
    done
  done
  for name in "${rust_originals[@]}"; do say_absent deques "$name" "$why"; done
}

write_absent() {
  local flavour
  for flavour in "${flavours[@]}"; do
    mkdir -p "$BUILD/$flavour/upstream"
    printf '%s' "${absent[$flavour]:-}" > "$BUILD/$flavour/upstream/not_built.txt"
    cut -f 1 "$BUILD/$flavour/upstream/not_built.txt" | while read -r name; do rm -f "$BUILD/$flavour/upstream/$name"; done
  done
  cut -f 1 "$BUILD/deques/upstream/not_built.txt" | while read -r name; do
    rm -f "$BUILD"/{pool,checks,pool_checks}/upstream/"$name"
  done
}

tools=()
link_folders
from=$(cat "$place/flags")
probe_cxx
probe_rust
absent[address]=${absent[deques]:-} absent[thread]=${absent[deques]:-} absent[lab]=${absent[deques]:-}
for name in ${found[@]+"${found[@]}"}; do
  case "$name" in
    toomanycooks) say_absent lab "$name" "it accesses one word by two widths, which C11 and so the lab do not know" ;;
    crossbeam_*)
      say_absent lab "$name" "the lab sees no access that Rust's compiler made"
      say_absent thread "$name" "stable rustc does not instrument for ThreadSanitizer" ;;
  esac
done
write_absent
echo ${found[@]+"${found[@]/#/upstream/}"} ${tools[@]+"${tools[@]}"}
