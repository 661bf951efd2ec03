/* power_test.c: energy, throttling and frequency from trees that stand in for /sys. */
#include "harness/measuring/power/power.h"
#include "tests/harness/system_tree.h"
#include "tests/unit.h"

#define RAPL "/sys/class/powercap/intel-rapl:"
#define CPU "/sys/devices/system/cpu/cpu"

static void put_zone(const char *zone, const char *name, const char *energy) {
    char path[128];
    snprintf(path, sizeof path, RAPL "%s/name", zone);
    put(path, name);
    snprintf(path, sizeof path, RAPL "%s/energy_uj", zone);
    put(path, energy);
    snprintf(path, sizeof path, RAPL "%s/max_energy_range_uj", zone);
    put(path, "262143328850");
}

static enum power_status energy_since(const struct power_reading *before, enum power_domain domain, double *joules) {
    struct power_reading after;
    power_read(&after, root);
    return power_energy(before, &after, domain, joules);
}

IN_A_TREE(packages_add_up_and_their_parts_do_not) {
    struct power_reading before;
    double joules = -1;
    put_zone("0", "package-0", "1000000");
    put_zone("0:0", "core", "400000");
    put_zone("0:1", "dram", "100000");
    put_zone("1", "package-1", "2000000");
    put_zone("2", "psys", "9000000");
    power_read(&before, root);
    put_zone("0", "package-0", "3500000");
    put_zone("0:0", "core", "900000");
    put_zone("0:1", "dram", "350000");
    put_zone("1", "package-1", "2250000");
    put_zone("2", "psys", "19000000");
    assert_int_equal(energy_since(&before, POWER_PACKAGES, &joules), POWER_OK);
    assert_true(joules > 2.7499 && joules < 2.7501);
    assert_int_equal(energy_since(&before, POWER_MEMORY, &joules), POWER_OK);
    assert_true(joules > 0.2499 && joules < 0.2501);
}

IN_A_TREE(a_package_told_twice_counts_once) {
    struct power_reading before;
    double joules = -1;
    put_zone("0", "package-0", "1000000");
    put("/sys/class/powercap/intel-rapl-mmio:0/name", "package-0");
    put("/sys/class/powercap/intel-rapl-mmio:0/energy_uj", "1000000");
    power_read(&before, root);
    put_zone("0", "package-0", "2000000");
    put("/sys/class/powercap/intel-rapl-mmio:0/energy_uj", "2000000");
    assert_int_equal(energy_since(&before, POWER_PACKAGES, &joules), POWER_OK);
    assert_true(joules > 0.9999 && joules < 1.0001);
}

IN_A_TREE(a_counter_that_begins_anew_is_seen_through) {
    struct power_reading before;
    double joules = -1;
    put_zone("0", "package-0", "262143328000");
    put_zone("1", "package-1", "1000000");
    power_read(&before, root);
    put_zone("0", "package-0", "1999150");
    put_zone("1", "package-1", "1500000");
    assert_int_equal(energy_since(&before, POWER_PACKAGES, &joules), POWER_OK);
    assert_true(joules > 2.4999 && joules < 2.5001); /* 850 to the end, 1999150 from 0; and half a joule */
}

IN_A_TREE(one_that_goes_back_otherwise_has_no_value) {
    struct power_reading before;
    double joules = -1;
    put_zone("0", "package-0", "5000000");
    put("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "not a number");
    power_read(&before, root);
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "4000000");
    assert_int_equal(energy_since(&before, POWER_PACKAGES, &joules), POWER_DENIED);
    put_zone("1", "package-1", "1"); /* a socket that came meanwhile */
    put("/sys/class/powercap/intel-rapl:0/energy_uj", "6000000");
    assert_int_equal(energy_since(&before, POWER_PACKAGES, &joules), POWER_DENIED);
}

IN_A_TREE(without_permission_it_is_denied_though_another_package_may_be_read) {
    struct power_reading reading;
    double joules = -1;
    char path[128];
    const uid_t user = geteuid();
    put_zone("0", "package-0", "5000000");
    put_zone("1", "package-1", "5000000");
    snprintf(path, sizeof path, "%s" RAPL "1/energy_uj", root);
    assert_int_equal(chmod(path, 0), 0);
    if (user == 0)
        assert_int_equal(seteuid(65534), 0); /* nobody: root may read every file */
    power_read(&reading, root);
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(reading.energy[POWER_PACKAGES], POWER_DENIED);
    assert_int_equal(reading.energy[POWER_MEMORY], POWER_UNSUPPORTED);
    assert_int_equal(power_energy(&reading, &reading, POWER_PACKAGES, &joules), POWER_DENIED);
    assert_string_equal(power_status_word(POWER_DENIED), "denied");
}

IN_A_TREE(a_machine_that_tells_nothing_is_unsupported) {
    struct power_reading reading;
    double value = -1;
    power_read(&reading, root);
    assert_int_equal(power_energy(&reading, &reading, POWER_PACKAGES, &value), POWER_UNSUPPORTED);
    assert_int_equal(power_throttled(&reading, &reading, &value), POWER_UNSUPPORTED);
    assert_int_equal(power_frequency(root, 0, &value), POWER_UNSUPPORTED);
    assert_true(value < 0);
    assert_string_equal(power_status_word(POWER_UNSUPPORTED), "unsupported");
}

IN_A_TREE(throttling_is_counted_over_all_processors) {
    struct power_reading before, after;
    double events = -1;
    put(CPU "0/thermal_throttle/core_throttle_count", "7");
    put(CPU "0/thermal_throttle/package_throttle_count", "3");
    put(CPU "1/thermal_throttle/core_throttle_count", "1");
    put("/sys/devices/system/cpu/cpufreq/thermal_throttle/core_throttle_count", "100"); /* no processor */
    power_read(&before, root);
    put(CPU "0/thermal_throttle/package_throttle_count", "5");
    put(CPU "1/thermal_throttle/core_throttle_count", "2");
    power_read(&after, root);
    assert_int_equal(power_throttled(&before, &after, &events), POWER_OK);
    assert_true(events > 2.5 && events < 3.5);
    assert_int_equal(power_throttled(&before, &before, &events), POWER_OK);
    assert_true(events < 0.5);
    assert_int_equal(power_throttled(&after, &before, &events), POWER_DENIED);
    assert_true(power_throttle_events(&before, &after) > 2.5 && power_throttle_events(&before, &after) < 3.5);
    assert_true(power_throttle_events(&after, &before) == 0); /* not known */
}

IN_A_TREE(the_frequency_is_that_of_the_processor_asked_for) {
    double hertz = -1;
    put(CPU "0/cpufreq/scaling_cur_freq", "800000");
    put(CPU "3/cpufreq/scaling_cur_freq", "2900123");
    assert_int_equal(power_frequency(root, 3, &hertz), POWER_OK);
    assert_true(hertz > 2.9001e9 && hertz < 2.9002e9);
    assert_int_equal(power_frequency(root, 1, &hertz), POWER_UNSUPPORTED);
    put(CPU "1/cpufreq/scaling_cur_freq", "<unknown>");
    assert_int_equal(power_frequency(root, 1, &hertz), POWER_UNSUPPORTED);
    assert_int_equal(setenv(POWER_ROOT_VARIABLE, root, 1), 0);
    assert_int_equal(power_frequency(NULL, 0, &hertz), POWER_OK);
    unsetenv(POWER_ROOT_VARIABLE);
    assert_true(hertz > 7.9e8 && hertz < 8.1e8);
}

int main(void) { return unit_tests_run(NULL, NULL); }
