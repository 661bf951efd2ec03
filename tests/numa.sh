#!/bin/bash
# numa.sh: tests two sockets with memory of their own on any machine, in a guest under qemu. It uses no hardware support, so it
# needs no rights. Nothing is timed. The guest has Debian's cloud kernel and an initramfs with our executables, their libraries
# and busybox.
#
#   placed   8 processors: 2 sockets of 2 cores of 2 threads. Does the kernel say that threads and memory are where they were
#            asked to be (numa/placed.c)? Are the cells of a suite (numa/placed.suite) where their parameters say?
#   many     128 processors: 2 sockets of 32 cores of 2 threads. Does every workload work on all of them?
#
#   tests/numa.sh [placed|many ...]            default: both
#
# The kernel is the package linux-image-cloud-amd64, downloaded and unpacked below build/, not installed, or the file that
# NUMA_KERNEL names. Ends on "N passed, N failed". Exit: 0 all passed, 1 not, 3 something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C
emulator=${NUMA_EMULATOR:-qemu-system-x86_64}
folder=build/numa

missing() {
  echo "numa: $1; nothing was tried (Debian: qemu-system-x86 busybox-static cpio, and a network for linux-image-cloud-amd64)"
  exit 3
}
[ "$(uname -m)" = x86_64 ] || missing "the guest is an x86-64, and this machine cannot build for it"
for tool in "$emulator" busybox cpio; do
  command -v "$tool" > /dev/null || missing "$tool is not installed"
done
busybox=$(command -v busybox)
# The guest has no libraries except those packed for it.
! ldd "$busybox" > /dev/null 2>&1 || missing "$busybox is not a static one"
mkdir -p "$folder/kernel"

# Sets $kernel: the one that was named, or unpacked before, or Debian's newest.
find_kernel() {
  local package log
  kernel=${NUMA_KERNEL-}
  [ -z "$kernel" ] || { [ -r "$kernel" ] || missing "NUMA_KERNEL=$kernel cannot be read"; return 0; }
  kernel=$(find "$folder/kernel" -name 'vmlinuz-*' | head -n 1)
  [ -z "$kernel" ] || return 0
  command -v apt-get > /dev/null || missing "no kernel: NUMA_KERNEL names one (a vmlinuz)"
  package=$(apt-cache depends linux-image-cloud-amd64 2> /dev/null | sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\).*/\1/p' | head -n 1)
  [ -n "$package" ] || missing "apt-get knows no linux-image-cloud-amd64"
  rm -rf "$folder/kernel" && mkdir -p "$folder/kernel"
  log=$folder/kernel.log
  (cd "$folder/kernel" && timeout 300 apt-get download "$package") > "$log" 2>&1 || missing "$package cannot be downloaded: $(tail -n 1 "$log")"
  dpkg-deb --fsys-tarfile "$folder/kernel/$package"*.deb | tar -x -C "$folder/kernel" --wildcards './boot/vmlinuz-*'
  rm -f "$folder/kernel"/*.deb
  kernel=$(find "$folder/kernel" -name 'vmlinuz-*' | head -n 1)
  [ -n "$kernel" ] || missing "$package holds no kernel"
}

# Builds for a processor that the emulator has; it knows no AVX-512.
build() {
  local log=$folder/build.log
  make -j"$(nproc)" BUILD="$folder" OPTIMISE="-O2 -march=x86-64-v2" CPPFLAGS="${CPPFLAGS-} -DDESCRIBE_TIMEOUT=300.0" "$folder"/{stealbench,placed} \
    deques/chase_lev "$folder"/lab/chase_lev "$folder"/deques/latency/locked > "$log" 2>&1 || {
    grep -E 'error:|\*\*\*' "$log" | head -n 10
    echo "FAILED build: what runs in the guest cannot be built; whole output: $log"
    echo "0 passed, 1 failed"
    exit 1
  }
  # The deque's checks run here, where they take seconds; the guest gets the stamp.
  "$folder/stealbench" run push --deque=chase_lev --invocations=1 --repetitions=1 --minimum-time=0.001 --quiet \
    --name=stamp --results="$work" > "$folder/stamp.log" 2>&1 || missing "chase_lev has no stamp: $(tail -n 1 "$folder/stamp.log")"
}

# Packs the guest's root: executables where they look for each other, libraries where this system has them.
pack() {
  local root=$work/root program library
  mkdir -p "$root"/{bin,stealbench/build}
  cp tests/numa/init.sh "$root/init"
  cp "$busybox" "$root/bin/busybox"
  cp tests/numa/placed.suite "$folder/placed" "$root/stealbench/"
  for program in "$folder"/{stealbench,build.json,stamps,{deques/*,checks,stress,pool_checks,lab}/chase_lev,deques/latency/locked}; do
    mkdir -p "$root/stealbench/build/$(dirname "${program#"$folder"/}")"
    cp -r "$program" "$root/stealbench/build/${program#"$folder"/}"
  done
  find "$root/stealbench" -type f -perm -u+x -exec ldd {} + 2> /dev/null | grep -oE '/[^ ]+\.so[^ ]*' | grep -v ':$' | sort -u |
    while read -r library; do
      mkdir -p "$root$(dirname "$library")"
      cp -L "$library" "$root$library"
    done
  strip "$root/stealbench"/build/deques/*/* 2> /dev/null || true
  (cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) > "$work/initramfs.gz"
}

# boot WHAT PROCESSORS CORES-A-SOCKET MEMORY-A-NODE SECONDS: writes the guest's output into $work/WHAT.
boot() {
  local what=$1 processors=$2 cores=$3 memory=$4 seconds=$5 half
  half=$((processors / 2))
  # One thread of the emulator runs all processors, switching at every pause and halt. With a thread each, 128 processors spin
  # against each other and got nowhere in 17 minutes. All share one time stamp counter then, a clock that needs no trap.
  timeout "$seconds" "$emulator" -machine q35 -accel tcg,thread=single -cpu max,vendor=GenuineIntel -m $((2 * memory))M \
    -smp "$processors,sockets=2,cores=$cores,threads=2" \
    -object "memory-backend-ram,id=a,size=${memory}M" -object "memory-backend-ram,id=b,size=${memory}M" \
    -numa "node,nodeid=0,memdev=a,cpus=0-$((half - 1))" -numa "node,nodeid=1,memdev=b,cpus=$half-$((processors - 1))" \
    -numa dist,src=0,dst=1,val=21 \
    -kernel "$kernel" -initrd "$work/initramfs.gz" -nodefaults -no-reboot -display none -serial stdio \
    -append "console=ttyS0 quiet nowatchdog mitigations=off run=$what numa_balancing=disable tsc=reliable lpj=4000000 no_timer_check apparmor=0 audit=0 panic=-1" < /dev/null > "$work/$what" 2>&1 || true
  tr -d '\r' < "$work/$what" > "$work/$what.text"
  grep -E '^(passed|FAILED) |^    ' "$work/$what.text" | sed -E "s/^(passed|FAILED) /\1 $what: /" || true
  grep -q '^guest: end' "$work/$what.text" || {
    tail -n 5 "$work/$what.text" | sed 's/^/    /'
    echo "FAILED $what: the guest did not come to its end (within $seconds s)"
  }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find_kernel
build
pack
boots=("$@")
[ ${#boots[@]} -gt 0 ] || boots=(placed many)
for what in "${boots[@]}"; do
  started=$SECONDS
  case $what in
    placed) boot placed 8 2 768 "${NUMA_SECONDS:-900}" ;;
    many) boot many 128 32 1536 "${NUMA_SECONDS:-2400}" ;;
    *) echo "numa: $what: expected placed or many" >&2 && exit 2 ;;
  esac
  echo "$what: $((SECONDS - started)) s"
done | tee "$work/all"
passed=$(grep -c '^passed ' "$work/all" || true)
failed=$(grep -c '^FAILED ' "$work/all" || true)
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
