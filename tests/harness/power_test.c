/* power_test.c: throttling and frequency from trees that stand in for /sys. */
#include "harness/measuring/power.h"
#include "tests/harness/system_tree.h"
#include "tests/unit.h"

#define CPU "/sys/devices/system/cpu/cpu"

IN_A_TREE(without_permission_it_is_denied_though_another_processor_may_be_read) {
    struct power_reading reading;
    double events = -1;
    char path[256];
    const uid_t user = geteuid();
    put(CPU "0/thermal_throttle/core_throttle_count", "7");
    put(CPU "1/thermal_throttle/core_throttle_count", "7");
    snprintf(path, sizeof path, "%s" CPU "0/thermal_throttle/core_throttle_count", root);
    assert_int_equal(chmod(path, 0), 0);
    if (user == 0)
        assert_int_equal(seteuid(65534), 0); /* nobody: root may read every file */
    power_read(&reading, root);
    assert_int_equal(seteuid(user), 0);
    assert_int_equal(power_throttled(&reading, &reading, &events), POWER_DENIED);
    assert_string_equal(power_status_word(POWER_DENIED), "denied");
}

IN_A_TREE(a_machine_that_tells_nothing_is_unsupported) {
    struct power_reading reading;
    double value = -1;
    power_read(&reading, root);
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
