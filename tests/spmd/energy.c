/* Counters of energy, simulated by files. */
#include "spmd/run/energy.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/checks.h"

enum { PATH = 300 };
static char root[] = "/tmp/scow-energy-XXXXXX";

static void file_put(const char *domain, const char *file, const char *text)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s/%s", root, domain, file);
    FILE *opened = fopen(path, "w");
    assert_non_null(opened);
    assert_true(fputs(text, opened) >= 0 && fclose(opened) == 0);
}

static void domain_put(const char *domain, const char *name, const char *range, const char *now)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", root, domain);
    assert_int_equal(mkdir(path, 0700), 0);
    file_put(domain, "name", name);
    file_put(domain, "max_energy_range_uj", range);
    file_put(domain, "energy_uj", now);
}

static void domain_remove(const char *domain)
{
    static const char *const files[] = {"name", "max_energy_range_uj", "energy_uj"};
    char path[PATH];
    for (size_t k = 0; k < COUNT_OF(files); k++) {
        snprintf(path, sizeof path, "%s/%s/%s", root, domain, files[k]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/%s", root, domain);
    rmdir(path);
}

static const char *const domains[] = {"intel-rapl:0",      "intel-rapl:1",  "intel-rapl:0:0",
                                      "intel-rapl:0:1",    "intel-rapl:2",  "dtpm",
                                      "intel-rapl-mmio:0", "intel-rapl:1:0"};

static int root_make(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "/tmp/scow-energy-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int root_remove(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT_OF(domains); k++)
        domain_remove(domains[k]);
    return rmdir(root);
}

/* Two processors with their memory: neither cores, which are parts of one, nor the whole platform,
 * nor a second view of the same. */
static void packages_and_memory_are_counted_once(void **state)
{
    struct energy_meter meter;
    (void)state;
    domain_put("intel-rapl:0", "package-0\n", "262143328850\n", "1000000\n");
    domain_put("intel-rapl:1", "package-1\n", "262143328850\n", "5000000\n");
    domain_put("intel-rapl:0:0", "core\n", "262143328850\n", "0\n");
    domain_put("intel-rapl:0:1", "dram\n", "65712999613\n", "0\n");
    domain_put("intel-rapl:2", "psys\n", "262143328850\n", "0\n");
    domain_put("intel-rapl-mmio:0", "package-0\n", "262143328850\n", "0\n");
    energy_meter_begin(&meter, root);
    assert_int_equal(meter.count, 3);
    assert_true(meter.energy_j == 0);
    for (size_t k = 0; k < 5; k++)
        file_put(domains[k], "energy_uj", "6000000\n");
    energy_meter_advance(&meter);
    assert_true(fabs(meter.energy_j - (5 + 1 + 6)) < 1e-9);
    energy_meter_advance(&meter);
    assert_true(fabs(meter.energy_j - 12) < 1e-9);
}

static void counters_wrap_around_at_their_range(void **state)
{
    struct energy_meter meter;
    (void)state;
    domain_put("intel-rapl:0", "package-0\n", "10000000\n", "9000000\n");
    energy_meter_begin(&meter, root);
    file_put("intel-rapl:0", "energy_uj", "500000\n");
    energy_meter_advance(&meter);
    assert_true(fabs(meter.energy_j - 1.5) < 1e-9);
    file_put("intel-rapl:0", "energy_uj", "400000\n");
    energy_meter_advance(&meter);
    assert_true(fabs(meter.energy_j - 11.4) < 1e-9);
}

/* Without the right to read, or with nonsense in the file, nothing is known; nor where a counter
 * disappears on the way. */
static void what_cannot_be_read_is_not_known(void **state)
{
    struct energy_meter meter;
    (void)state;
    energy_meter_begin(&meter, "/nowhere");
    assert_int_equal(meter.count, 0);
    domain_put("intel-rapl:0", "package-0\n", "10000000\n", "no number\n");
    domain_put("intel-rapl:1", "package-1\n", "10000000\n", "-5\n");
    energy_meter_begin(&meter, root);
    assert_int_equal(meter.count, 0);
    file_put("intel-rapl:0", "energy_uj", "1\n");
    energy_meter_begin(&meter, root);
    assert_int_equal(meter.count, 1);
    domain_remove("intel-rapl:0");
    energy_meter_advance(&meter);
    assert_int_equal(meter.count, 0);
}

static void one_rank_of_a_node_watches(void **state)
{
    (void)state;
    domain_put("intel-rapl:0", "package-0\n", "10000000\n", "1000000\n");
    assert_int_equal(setenv(ENERGY_ROOT_VARIABLE, root, 1), 0);
    struct energy_watch *watch = energy_watch_begin(true);
    struct energy_watch *other = energy_watch_begin(false);
    file_put("intel-rapl:0", "energy_uj", "3500000\n");
    assert_true(fabs(energy_watch_read(watch) - 2.5) < 1e-9);
    assert_true(energy_watch_read(other) == 0);
    energy_watch_end(watch);
    energy_watch_end(other);
    domain_remove("intel-rapl:0");
    watch = energy_watch_begin(true);
    assert_true(isnan(energy_watch_read(watch)));
    energy_watch_end(watch);
    unsetenv(ENERGY_ROOT_VARIABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(packages_and_memory_are_counted_once, root_make,
                                        root_remove),
        cmocka_unit_test_setup_teardown(counters_wrap_around_at_their_range, root_make,
                                        root_remove),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_known, root_make, root_remove),
        cmocka_unit_test_setup_teardown(one_rank_of_a_node_watches, root_make, root_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
