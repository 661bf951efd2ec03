#!/bin/sh
# A stand-in for a deque's executable: it speaks the driver's protocol and behaves as its name says. Tests copy it below
# build/deques/latency under these names.
#
#   steady*        three samples an invocation, at once        slow          the same, 0.2 s later
#   quiet          the same samples in each invocation
#   crashes        dies by a signal                            crashes_once  dies in invocation 0 only, crashes_late in all others
#   hangs          never ends, nor does its child              wrong         ends with exit code 1, a child does not
#   stuck          never ends, alone                            refuses       ends with exit code 2: bad input
#   garbles        prints what is no sample                    torn          ends in the middle of a line
#   silent         ends well without a sample                  floods        prints without end
#   denied         ends with exit code 3                       unsupported   says that it cannot serve this
#   busy           finds no quiet moment, each time            busy_once     the second time only
#   distributes    prints a histogram too, 0.1 s later
#   fails_stamp    its check stress fails                      hangs_stamp   its check stress is killed from outside
#   says_how       its check stress fails and says how to repeat it
#   is_reported    a sanitizer ends its check stress           reaches        its check conformance says how far it came
#   fails_both     both its checks fail                        needs_two      both end with exit code 3
#   sanitized      its thread build reports a known race       unsanitized    that build does not
#   gives_up_stamp its check stress comes to no verdict        (with a file *.mended beside it every check passes)
#   broken         does not describe itself                    liar          calls itself something else
#   never_answers  never ends when asked what it is            hoards         holds 200 MiB and never ends
#   heats          its processors are throttled each time       heats_once    the first time only
#   moves          its processors move in the second repetition, each time     moves_once    the first time only
#   modal          has a setting of its own, walk=full|skip; is in the group classic
#   aside          is in no group                              reference     a reference
#   apart          holds its workloads; visit only below visit/, checks only below checks/
#   published/*    is known to be wrong                        published/uncaught: no check notices
set -u
name=$0
case $name in
*/deques/*) id=${name##*/deques/} && id=${id#*/} ;;
*/address/*) id=${name##*/address/} ;;
*/lab/*) id=${name##*/lab/} ;;
*/mine/*) id=${name##*/mine/} ;;
*/visit/*) id=${name##*/visit/} ;;
*/visit.[0-9]/*) id=${name##*/visit.[0-9]/} ;;
*/checks/*) id=${name##*/checks/} ;;
*) id=${name##*/thread/} ;;
esac

describe() {
    sound=1 reference=0 mode=- values=- fault=- classic=0 aside=0
    case $id in
    broken) exit 7 ;;
    never_answers) exec sleep 1000 ;;
    liar) id=truth ;;
    modal) mode=walk values='full|skip' classic=1 ;;
    aside) aside=1 ;;
    reference) reference=1 ;;
    published/*) sound=0 fault='doubles items' ;;
    esac
    printf 'stealbench-describe\t2\n'
    printf 'deque\t%s\t%s\n' id "$id" title "Fake $id" source 'the tests' owner_order LIFO bound fixed thieves many \
        native - keeps_nothing 0 needs_self 0 sound $sound reference $reference delivery once \
        push_progress wait_free pop_progress lock_free steal_progress lock_free thieves_leave 0 \
        mode $mode mode_values "$values" fault "$fault" item_bytes 8 variant - \
        classic $classic aside $aside
    printf 'parameter\t*\tplacement\ttext\tcompact\t0\t0\t-\t-\twhere threads run\n'
    printf 'parameter\t*\tseed\tinteger\t1\t1\t4294967295\t-\t-\tstart of random choices\n'
    [ $mode = - ] || printf 'parameter\t*\twalk\tchoice\tfull\t0\t0\tfull|skip\t-\tits own setting\n'
    case $name in
    */checks/apart | */visit*/apart) ;;
    *)
        printf 'workload\tpush\t1\tlatency of pushing a batch\n'
        printf 'parameter\tpush\tbatch\tinteger\t1\t1\t1048576\t-\titems\titems pushed together\n'
        printf 'parameter\tpush\tmethod\tchoice\tcorrected\t0\t0\tcorrected|published\t-\thow it is timed\n'
        printf 'parameter\tpush\tcounters\tchoice\tnone\t0\t0\tnone|caches|pipeline|remote\t-\twhat is counted\n'
        printf 'workload\tfight\t1+thieves\tan owner and thieves\n'
        printf 'parameter\tfight\titem\tchoice\t8\t0\t0\t8|4\tbytes\tsize of an item\n'
        printf 'parameter\tfight\tthieves\tinteger\t0\t0\t128\t-\t-\tthieves\n'
        printf 'parameter\tfight\tmemory\tchoice\towner\t0\t0\towner|thief|interleaved\t-\twhere memory is\n'
        printf 'workload\tsort\tthreads\tsorts\n'
        printf 'parameter\tsort\tthreads\tinteger\t1\t1\t1024\tall\tworkers\tworkers\n'
        printf 'workload\tsteal\t1\tlatency of stealing\n'
        printf 'parameter\tsteal\tpercent\tinteger\t50\t1\t100\t-\tpercent\tof the items to take\n'
        printf 'parameter\tsteal\tcounters\tchoice\tnone\t0\t0\tnone|caches|pipeline|remote\t-\twhat is counted\n'
        ;;
    esac
    case $name in
    */checks/apart | */latency/apart | */mine/apart) ;;
    *)
        printf 'workload\tvisit\t1\tto a folder\n'
        printf 'parameter\tvisit\tpath\ttext\tnone\t0\t0\t-\t-\tthe folder\n'
        ;;
    esac
    case $name in
    */visit*/apart | */latency/apart | */mine/apart) ;;
    */thread/unsanitized | */thread/sanitized) printf 'check\tknown_fault\t0\ta race\n' ;;
    *) printf 'check\tconformance\t1\tagainst a model\ncheck\tstress\t1\tevery item exactly once\n' ;;
    esac
}

check() {
    [ ! -e "$name.mended" ] || exit 0
    case $1-$id in
    known_fault-sanitized) echo 'WARNING: ThreadSanitizer: data race (pid=1)' >&2 && exit 1 ;;
    conformance-reaches) echo 'passed conformance of reaches: held 17; 20 steps, seed 1' ;;
    stress-fails_stamp) echo 'item 17 came out twice' && exit 1 ;;
    stress-says_how)
        printf '  tried: a duel; seed 7; step 3\n  repeat: %s --check stress --seed=7 --rounds=1\n' "$0"
        echo 'FAILED stress of says_how: item 17 came out twice' && exit 1
        ;;
    stress-is_reported)
        echo 'passed stress of is_reported: and then'
        printf '%s\n' 'starting' ======== 'WARNING: ThreadSanitizer: data race (pid=1)' '    #0 deque_push queues/x.h:12' \
            'SUMMARY: ThreadSanitizer: data race queues/x.h:12 in deque_push' 'Shadow bytes' >&2
        exit 1
        ;;
    *-fails_both) echo "FAILED $1 of fails_both: wrong" && exit 1 ;;
    *-needs_two) echo 'only one processor' && exit 3 ;;
    stress-hangs_stamp) kill -9 $$ ;;
    stress-gives_up_stamp) echo 'no verdict: the machine was too busy' && exit 5 ;;
    conformance-published/uncaught | stress-published/uncaught) exit 0 ;;
    stress-published/*) echo 'item 3 was lost' && exit 1 ;;
    *) exit 0 ;;
    esac
}

sample() { printf 'sample\towner\t%s\tpush_latency\t%s\tns\tok\t%s\n' "$1" "$2" "$3"; }

run() {
    invocation=0
    for argument; do
        case $argument in
        --invocation=*) invocation=${argument#*=} ;;
        path=*) [ -d "${argument#*=}" ] || exit 2 ;;
        esac
    done
    case $name in
    */visit/* | */visit.*) printf 'placement\t%s\n' "${name%/*}" ;; # where it lies; the driver says which variant
    *) printf 'placement\towner:0\n' ;;
    esac
    case $id in
    crashes) kill -SEGV $$ ;;
    crashes_once) [ "$invocation" -gt 0 ] || kill -ABRT $$ ;;
    crashes_late) [ "$invocation" -eq 0 ] || kill -ABRT $$ ;;
    hangs) echo 'waiting for a lock' >&2 && sleep 1000 & sleep 1000 ;;
    stuck) exec sleep 1000 ;;
    wrong) sleep 1000 & sample 0 1.5 '' && printf '%s\n' 'the first of seven' 2 3 4 5 6 '3 items are missing' >&2 && exit 1 ;;
    garbles) sample 0 1.5 '' && echo 'sample owner zero' && exit 0 ;;
    torn) printf 'sample\towner\t0\tpush_lat' && exit 0 ;;
    silent) exit 0 ;;
    floods) exec yes 'sample of nothing whatever, again and again and again and again and again and again' ;;
    refuses) echo 'graph.txt:3: no such node' >&2 && exit 2 ;;
    denied) echo 'only one processor' >&2 && exit 3 ;;
    busy | busy_once)
        echo >> "$name.attempts"
        case $id-$(wc -l < "$name.attempts") in busy-* | busy_once-2) printf 'sample\towner\t0\tpush_latency\t\tns\tbusy\t\n' && exit 0 ;; esac
        ;;
    unsupported) printf 'sample\tprocess\t0\tpush\t\t\tunsupported\t\n' && exit 0 ;;
    heats | heats_once)
        throttled=$STEALBENCH_SYSTEM_ROOT/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
        [ "$id-$(cat "$throttled")" = heats_once-1 ] || echo $(($(cat "$throttled") + 1)) > "$throttled"
        ;;
    moves | moves_once)
        echo >> "$name.attempts"
        printf 'distance\t27\ndistance\t28.5\ndistance\t%s\n' "$([ "$id-$(wc -l < "$name.attempts")" = moves_once-2 ] && echo 29 || echo 105)"
        ;;
    slow) sleep 0.2 ;;
    quiet) invocation=0 ;;
    hoards) exec /usr/bin/python3 -c 'import time; held = b"x" * (200 << 20); time.sleep(1000)' ;;
    distributes) sleep 0.1 && printf 'histogram\tthief\t0\tsteal_latency\t%s\t%s\t%s\tns\n' 10 12 3 20.5 30 "$((invocation + 1))" ;;
    esac
    printf 'memory\t12345678\n'
    sample 0 "1.$invocation" ''
    sample 1 "2.$invocation" emulated
    sample 2 "3.$invocation" ''
}

case ${1-} in
--describe) describe ;;
--check) check "$2" ;;
--run) run "$@" ;;
*) exit 2 ;;
esac
