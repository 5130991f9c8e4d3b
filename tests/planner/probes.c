/* The table of a calibration's timings: it is read as it was written, and nothing else is
 * accepted. */
#include <stdio.h>

#include "planner/base/random.h"
#include "planner/files/probes.h"
#include "planner/report/probe_columns.h"
#include "tests/checks.h"

#define HEADING "setting\trank\toperation\tpass\tcold\twaited\tfirst_task\ttasks\tseconds\n"

static struct sample sample_random(uint64_t *state)
{
    return (struct sample){.setting = (int)(random_bits(state) % 5),
                           .rank = (int)(random_bits(state) % 1000),
                           .operation =
                               (enum operation)(random_bits(state) % (OPERATION_ANSWER + 1)),
                           .pass = (int)(random_bits(state) % 40),
                           .cold = random_bits(state) % 2 == 0,
                           .waited = random_bits(state) % 2 == 0,
                           .first = (int64_t)(random_bits(state) >> 12),
                           .tasks = (int64_t)(1 + random_bits(state) % 100000),
                           .seconds = random_uniform(state) * 100};
}

/* `count` of them; to be released. */
static struct samples samples_random(uint64_t seed, int count)
{
    struct samples samples = {0};
    uint64_t state = seed;
    for (int i = 0; i < count; i++) {
        const struct sample sample = sample_random(&state);
        assert_true(samples_add(&samples, &sample));
    }
    return samples;
}

static void same_check(const struct sample *a, const struct sample *b)
{
    assert_int_equal(a->setting, b->setting);
    assert_int_equal(a->rank, b->rank);
    assert_int_equal(a->operation, b->operation);
    assert_int_equal(a->pass, b->pass);
    assert_int_equal(a->cold, b->cold);
    assert_int_equal(a->waited, b->waited);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->tasks, b->tasks);
    /* Nine digits are written. */
    assert_true(a->seconds - b->seconds < 1e-8 * a->seconds + 1e-300 &&
                b->seconds - a->seconds < 1e-8 * a->seconds + 1e-300);
}

static void written_is_read_again(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct samples samples = samples_random(seed, (int)(seed * 7 - 7)), read = {0};
        struct failure failure = FAILURE_INIT;
        char *text = probes_print(&samples);
        assert_non_null(text);
        assert_true(probes_parse(&read, text, "probes.tsv", &failure));
        assert_int_equal(read.count, samples.count);
        for (int64_t i = 0; i < read.count; i++)
            same_check(&samples.items[i], &read.items[i]);
        free(text);
        samples_release(&samples);
        samples_release(&read);
    }
}

static void nothing_else_is_read(void **state)
{
    static const char *const lines[] = {
        "0\t1\tcompute\t0\t0\t0\t0\t4\n",         /* a field is missing */
        "0\t1\tcompute\t0\t0\t0\t0\t4\t0.5",      /* the line's end */
        "0\t1\tcompute\t0\t0\t0\t0\t4\t0.5\t1\n", /* one too many */
        "0\t1\tcomputing\t0\t0\t0\t0\t4\t0.5\n",  /* no operation */
        "0\t1\tcompute\t0\t2\t0\t0\t4\t0.5\n",    /* neither cold nor warm */
        "-1\t1\tcompute\t0\t0\t0\t0\t4\t0.5\n",
        "0\t1\tcompute\t0\t0\t0\t0\t4\tnan\n",
        "0\t1\tcompute\t0\t0\t0\t0\t4\t1e999\n",
        "0\t\t\t\t\t\t\t\t\n",
        "0\t4294967296\tcompute\t0\t0\t0\t0\t4\t1\n",
        "0\t",
        "\n"};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(lines); k++) {
        struct samples read = {0};
        struct failure failure = FAILURE_INIT;
        char text[400];
        snprintf(text, sizeof text, HEADING "0\t1\tcompute\t0\t0\t0\t0\t4\t0.5\n%s", lines[k]);
        assert_false(probes_parse(&read, text, "probes.tsv", &failure));
        assert_failure(failure, FAILURE_MISMATCH,
                       "probes.tsv: line 3: is no timing: calibrate again with --probes");
        assert_null(read.items);
    }
}

static void other_files_are_refused(void **state)
{
    struct samples read = {0};
    struct failure failure = FAILURE_INIT;
    (void)state;
    assert_false(probes_parse(&read, "{}", "profile.json", &failure));
    assert_failure(failure, FAILURE_MISMATCH,
                   "profile.json: is no table of probes: give the file that 'scow calibrate "
                   "--probes' wrote");
}

/* How many numbers stand in the column of that name. */
static int64_t column_count(const char *json, const char *name)
{
    char key[40];
    snprintf(key, sizeof key, "\"%s\": [", name);
    const char *at = strstr(json, key);
    assert_non_null(at);
    at += strlen(key);
    int64_t count = *at != ']';
    for (; *at != ']'; at++)
        count += *at == ',';
    return count;
}

static void columns_are_equally_long(void **state)
{
    static const char *const names[] = {"setting", "operation", "rank",     "cold",
                                        "waited",  "tasks",     "length_ns"};
    (void)state;
    for (int64_t most = 1; most <= 1000; most *= 10) {
        struct samples samples = samples_random((uint64_t)most, 500);
        struct text text = TEXT_INIT;
        char words[80];
        const int64_t drawn = samples.count < most ? samples.count : most;
        probe_columns_add(&text, &samples, most);
        for (size_t k = 0; k < COUNT_OF(names); k++)
            assert_int_equal(column_count(text.bytes, names[k]), drawn);
        snprintf(words, sizeof words, "\"timings\": %d,\n\"drawn\": %d", (int)samples.count,
                 (int)drawn);
        assert_non_null(strstr(text.bytes, words));
        text_release(&text);
        samples_release(&samples);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_is_read_again),
        cmocka_unit_test(nothing_else_is_read),
        cmocka_unit_test(other_files_are_refused),
        cmocka_unit_test(columns_are_equally_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
