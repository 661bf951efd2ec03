/* machine_test.c: the facts of machines, from trees of sample files, and what the doctor makes of them. */
#include "harness/driver/verbs/verbs.h"
#include "tests/harness/system_tree.h"
#include <math.h>

/* A bare machine, set up well. */
static void put_good_machine(void) {
    put("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nflags\t\t: fpu tsc\n");
    put("/proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
    put("/proc/sys/kernel/version", "#1 SMP Debian\n");
    put("/proc/sys/kernel/perf_event_paranoid", "1\n");
    put("/proc/self/status", "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-2,8\n");
    put("/proc/self/cgroup", "0::/user.slice/session.scope\n");
    put("/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
    put("/sys/fs/cgroup/user.slice/cpu.max", "max 100000\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "max\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    put("/sys/devices/system/cpu/smt/active", "0\n");
    put("/sys/devices/system/cpu/isolated", "\n");
    put("/sys/devices/system/cpu/nohz_full", "\n");
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "2000000\n");
    put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    put("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
}

/* These facts, as JSON, are among those read of the tree. */
static void facts_are(const char *due) {
    const json_t *machine = machine_read(root);
    json_t *expected = json_loads(due, 0, NULL), *value;
    const char *name;
    assert_non_null(expected);
    json_object_foreach(expected, name, value) {
        const json_t *is = json_object_get(machine, name);
        if (!json_equal(value, is))
            fail_msg("%s is %s", name, json_dumps(is, JSON_ENCODE_ANY));
    }
}

IN_A_TREE(a_good_machine) {
    put_good_machine();
    facts_are("{\"cpu\": \"Some CPU @ 2.00GHz\", \"kernel\": \"6.1.0-18-amd64 #1 SMP Debian\", \"turbo\": \"off\","
              "\"governor\": \"performance\", \"smt\": \"off\", \"transparent_huge_pages\": \"madvise\","
              "\"clock_source\": \"tsc\", \"virtualisation\": \"none\", \"processors_allowed\": \"0-2,8\","
              "\"isolated\": \"none\", \"cgroup_processors\": \"no limit\","
              "\"cgroup_memory_bytes\": \"no limit known\", \"throttling\": \"ok\"}");
    assert_string_equal(machine_paranoid(root), "1");
}

IN_A_TREE(a_container_on_a_virtual_machine) {
    put_good_machine();
    put("/proc/cpuinfo", "model name\t: Some CPU\nflags\t\t: fpu tsc hypervisor\n");
    put("/sys/class/dmi/id/product_name", "KVM\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    put("/sys/devices/system/cpu/smt/active", "1\n");
    put("/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
    put("/sys/fs/cgroup/user.slice/session.scope/cpu.max", "400000 100000\n");
    put("/sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
    /* the tightest of all levels holds */
    facts_are("{\"governor\": \"mixed\", \"turbo\": \"on\", \"smt\": \"on\", \"cgroup_processors\": 1.5,"
              "\"virtualisation\": \"a virtual machine (KVM)\", \"cgroup_memory_bytes\": 1073741824}");
}

IN_A_TREE(control_groups_of_version_one) {
    put("/proc/self/cgroup", "4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n1:name=systemd:/\n");
    put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "50000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us", "100000\n");
    /* inside a container only the top of this hierarchy is there */
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
    facts_are("{\"cgroup_processors\": 0.5, \"cgroup_memory_bytes\": 536870912}");
    put("/sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    facts_are("{\"cgroup_processors\": \"no limit\", \"cgroup_memory_bytes\": \"no limit known\"}");
}

IN_A_TREE(nothing_to_read_is_unknown) {
    struct processor_times times;
    struct process_time *processes;
    facts_are("{\"cpu\": \"unknown\", \"kernel\": \"unknown\", \"governor\": \"unknown\", \"turbo\": \"unknown\","
              "\"smt\": \"unknown\", \"transparent_huge_pages\": \"unknown\", \"clock_source\": \"unknown\","
              "\"virtualisation\": \"unknown\", \"processors_allowed\": \"unknown\","
              "\"cgroup_processors\": \"unknown\", \"memory_bytes\": 0}");
    assert_null(machine_paranoid(root));
    assert_false(machine_processor_times(&times, root));
    assert_int_equal(machine_process_times(&processes, root), 0);
}

IN_A_TREE(times_of_processors_and_processes) {
    struct processor_times times;
    struct process_time *processes;
    put("/proc/stat", "cpu  100 0 50 800 30 1 2 17 0 0\ncpu0 1 2 3\n");
    put("/proc/7/stat", "7 (a (very) odd) name) R 1 7 7 0 -1 4194304 1 0 0 0 120 30 0 0 20 0 1 0 9 1 1\n");
    put("/proc/8/stat", "nonsense\n");
    put("/proc/9/stat",
        "9 (kworker/3:1) I 2 0 0 0 -1 69238880 0 0 0 0 3 4 0 0 20 0 1 0 9 0 0 18446744073709551615 0 0 0 "
        "0 0 0 0 2147483647 0 0 0 0 17 3 0 0 0 0 0\n");
    assert_true(machine_processor_times(&times, root));
    assert_true(times.total == 1000 && times.stolen == 17 && times.idle == 830);
    assert_int_equal(machine_process_times(&processes, root), 2);
    assert_int_equal(processes[0].pid, 7);
    assert_string_equal(processes[0].name, "a (very) odd) name");
    assert_true(processes[0].ticks == 150 && !processes[0].of_kernel);
    assert_true(processes[1].of_kernel && processes[1].processor == 3 && processes[1].ticks == 7);
}

/* Of devices, on the processors asked for; what has no number is the processors' own. */
IN_A_TREE(interrupts_of_devices) {
    const char *busiest;
    assert_true(machine_interrupts("0-3", &busiest, root) < 0);
    put("/proc/interrupts", "            CPU0       CPU1       CPU2\n"
                            "  1:         10          0          7  IO-APIC   1-edge      i8042\n"
                            " 24:          1        500          0  PCI-MSI 512-edge      nvme0q1\n"
                            "LOC:     100000     100000     100000  Local timer interrupts\n"
                            "ERR:          3\n");
    assert_true(machine_interrupts("0,2", &busiest, root) == 18);
    assert_string_equal(busiest, "1 (i8042)");
    assert_true(machine_interrupts("0-2", &busiest, root) == 518);
    assert_string_equal(busiest, "24 (nvme0q1)");
    assert_true(machine_interrupts("5", &busiest, root) == 0);
    assert_string_equal(busiest, "none");
}

/* Two readings, as the driver takes them when it begins to measure. */
IN_A_TREE(busy_processors) {
    struct processor_times before, after;
    put("/proc/stat", "cpu  100 0 50 800 30 1 2 17 0 0\n");
    assert_true(machine_processor_times(&before, root));
    assert_true(machine_processors_busy(&before, &before, 4) < 0);
    put("/proc/stat", "cpu  110 0 55 850 30 1 2 52 0 0\n"); /* of 100 ticks 50 idle, 35 stolen */
    assert_true(machine_processor_times(&after, root));
    assert_true(machine_processors_busy(&before, &after, 4) == 2);
    assert_true(machine_processors_busy(&after, &before, 4) < 0);
}

IN_A_TREE(memory_there_is) {
    put_good_machine();
    assert_true(machine_memory(root) == 0);
    put("/proc/meminfo", "MemTotal:        2048 kB\nMemFree:  1 kB\n");
    assert_true(machine_memory(root) == 2048 << 10);
    facts_are("{\"memory_bytes\": 2097152}");
    put("/sys/fs/cgroup/user.slice/memory.max", "1048576\n");
    assert_true(machine_memory(root) == 1 << 20);
}

TEST(lists_of_processors) {
    assert_true(processor_list_has("0-1,4,6-7", 0) && processor_list_has("0-1,4,6-7", 4) &&
                processor_list_has("6-7", 7));
    assert_false(processor_list_has("0-1,4,6-7", 2) || processor_list_has("0-1,4,6-7", 5) || processor_list_has("", 0));
    assert_false(processor_list_has("none", 0) || processor_list_has("1", 11));
    assert_int_equal(processor_list_count("0"), 1);
    assert_int_equal(processor_list_count("0-3"), 4);
    assert_int_equal(processor_list_count("0-1,4,6-7"), 5);
    assert_int_equal(processor_list_count(""), 0);
    assert_int_equal(processor_list_count("x"), 0);
    assert_int_equal(processor_list_count("3-1"), 0);
    assert_int_equal(processor_list_count("1;2"), 0);
}

IN_A_TREE(instructions_that_a_build_needs) {
    assert_string_equal(machine_lacks("avx2", root), ""); /* nothing tells */
    put("/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu sse4_2 avx\n");
    assert_string_equal(machine_lacks("", root), "");
    assert_string_equal(machine_lacks("sse4_2 avx fpu", root), "");
    assert_string_equal(machine_lacks("sse4_2 avx2 fpu avx512f", root), "avx2 avx512f");
    put("/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd atomics\n");
    assert_string_equal(machine_lacks("atomics", root), "");
    assert_string_equal(machine_lacks("atomics sve", root), "sve");
}

/* The doctor has so many warnings, and says these; "-x": not x. */
static void doctor_says(const struct activity *activity, const char *counters, const char *papi, unsigned warnings,
                        struct words says) {
    static char text[16384];
    FILE *file = fmemopen(text, sizeof text, "w");
    assert_int_equal(doctor_report(file, root, activity, counters, papi), warnings);
    fclose(file);
    for (size_t i = 0; i < says.count; i++)
        if ((*says.at[i] == '-') == (strstr(text, says.at[i] + (*says.at[i] == '-')) != NULL))
            fail_msg("%s: %s", says.at[i], text);
}

IN_A_TREE(the_doctor_tells_of_heat_and_of_isolated_processors) {
    const struct activity activity = {.busy = "",
                                      .kernel_threads = "kcompactd0 (on 8, 3 %)",
                                      .distances = "",
                                      .interrupts = 4 * 1500,
                                      .interrupts_busiest = "24 (nvme0q1)",
                                      .undisturbed = {1, 1, 1, 1}};
    put_good_machine();
    put("/sys/devices/system/cpu/isolated", "4-5\n"); /* we have 0-2,8 */
    put("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "12\n");
    doctor_says(
        &activity, "available", "available", 4,
        words_of("warn     thermal throttling: 12 events since boot\n",
                 "warn     isolated processors: 4-5; without tick: none\n", "taskset -c 4-5 ./run.sh",
                 "warn     interrupts of devices: 6000 a second on our processors, most since boot: 24 (nvme0q1)\n",
                 "warn     kernel threads on our processors: kcompactd0 (on 8, 3 %)\n", NULL));
    put("/sys/devices/system/cpu/isolated", "2-5\n"); /* one of them is ours */
    doctor_says(&activity, "available", "available", 3, words_of("ok       isolated processors: 2-5", NULL));
}

IN_A_TREE(the_doctor_finds_nothing_on_a_good_machine) {
    const struct activity calm = {.busy = "", .kernel_threads = "", .distances = "", .undisturbed = {1, 1, 0.5, 0}};
    put_good_machine();
    doctor_says(&calm, "available", "available, without remote", 0,
                words_of("ok       governor: performance\n", "-warn", "-mend it", NULL));
}

IN_A_TREE(the_doctor_says_why_and_what_mends_it) {
    const struct activity busy = {.stolen = 0.12,
                                  .working = 0.9,
                                  .busy = "cc1 (pid 4, 90 %)",
                                  .kernel_threads = "",
                                  .distances = "",
                                  .undisturbed = {0.6, 0.5, 0.4, 0.1}};
    put_good_machine();
    put("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    put("/sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n");
    put("/sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n");
    put("/proc/sys/kernel/perf_event_paranoid", "4\n");
    /* governor, quota, load, busy process, windows, stolen time, paranoid, counters, PAPI */
    doctor_says(&busy, "Permission denied", "libpapi is not installed", 9,
                words_of("warn     governor: powersave\n", "cpupower frequency-set -g performance",
                         "1.50 processors' worth", "cc1 (pid 4, 90 %)", "12.00 %",
                         "warn     undisturbed windows: 60 % of 50 us, 50 % of 100 us, 40 % of 200 us, 10 % of 1 ms\n",
                         "warn     PAPI: libpapi is not installed\n", "sysctl kernel.perf_event_paranoid=2", NULL));
}

IN_A_TREE(the_doctor_does_not_guess) {
    const struct activity unknown = {
        .stolen = -1, .working = -1, .busy = "", .kernel_threads = "", .distances = "", .undisturbed = {-1}};
    doctor_says(&unknown, "available", "available", 0,
                words_of("unknown  governor: unknown\n", "unknown  time stolen by the host: unknown\n", NULL));
}

/* A silence that two windows share spoils both; silences of two threads in one window spoil it once. */
TEST(the_doctor_shares_windows) {
    static const struct silence silences[] = {{190000, 230000}, {1000000, 2000000}, {1100000, 1130000}};
    double shares[4];
    doctor_share_windows(silences, 3, 10000000, shares);
    assert_true(fabs(shares[0] - (1 - 23.0 / 200)) < 1e-9); /* 3, 4; 20 to 40 */
    assert_true(fabs(shares[1] - (1 - 13.0 / 100)) < 1e-9);
    assert_true(fabs(shares[2] - (1 - 8.0 / 50)) < 1e-9);
    assert_true(fabs(shares[3] - (1 - 3.0 / 10)) < 1e-9);
}

int main(void) { return unit_tests_run(NULL, NULL); }
