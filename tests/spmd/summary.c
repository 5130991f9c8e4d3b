/* Sums over results: they do not depend on the order. */
#include "spmd/job/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define XXH_STATIC_LINKING_ONLY /* its states on the stack */
#include <xxhash.h>

#include "tests/spmd/census.h"

/* 2 x 2 tiles, the lower two of them as large as can be. */
enum {
    ROWS = 25,
    COLUMNS = 26,
    EDGE = 13,
    LESS = (EDGE - 1) * EDGE,
    TASKS = 4,
    CELLS = EDGE * EDGE
};

static struct job job;

static int job_begin(void **state)
{
    (void)state;
    const struct census census = {CENSUS_GRID, SCOW_F32, {1, ROWS, COLUMNS}, {1, EDGE, EDGE}};
    census_open(&job, &census_host, &census);
    return 0;
}

static int job_end(void **state)
{
    (void)state;
    job_close(&job);
    return 0;
}

static void fill(float *values)
{
    for (int i = 0; i < TASKS * CELLS; i++)
        values[i] = sinf((float)i);
}

/* Results of tasks [first, first + count) of a grid, all done. */
static void add(struct summary *summary, int64_t first, int64_t count, float *values)
{
    unsigned char ledger[TASKS] = {1, 1, 1, 1};
    struct failure failure = FAILURE_INIT;
    const struct package_results results = {
        .first = first, .count = count, .grid = (char *)values, .ledger = ledger};
    assert_true(summary_add(summary, &job, &results, &failure));
}

static void a_summary_does_not_depend_on_order_or_grouping(void **state)
{
    (void)state;
    float values[TASKS * CELLS];
    fill(values);
    struct summary whole, first, second;
    summary_init(&whole);
    summary_init(&first);
    summary_init(&second);
    add(&whole, 0, TASKS, values);
    add(&second, 3, 1, values + 3 * CELLS);
    add(&second, 0, 1, values);
    add(&first, 1, 2, values + CELLS);
    summary_merge(&first, &second);
    assert_true(whole.checksum == first.checksum);
    assert_true(whole.minimum == first.minimum);
    assert_true(whole.maximum == first.maximum);
    assert_int_equal(first.tasks, TASKS);
    assert_int_equal(first.failed, 0);
    assert_int_equal(first.values, ROWS * COLUMNS);
    assert_int_equal(first.not_numbers, 0);
}

/* Of the values that are in the grid, as the output's readers can do it, too. */
static void a_checksum_is_what_is_said_of_it(void **state)
{
    (void)state;
    float values[TASKS * CELLS];
    struct summary summary;
    uint64_t expected = 0;
    static const size_t cells[TASKS] = {LESS, LESS, CELLS, CELLS};
    fill(values);
    summary_init(&summary);
    add(&summary, 0, TASKS, values);
    for (size_t task = 0; task < TASKS; task++)
        expected += XXH3_64bits_withSeed(values + task * CELLS, cells[task] * sizeof(float), task);
    assert_true(summary.checksum == expected);
}

static void a_checksum_notices_values_and_their_places(void **state)
{
    (void)state;
    float values[TASKS * CELLS];
    fill(values);
    struct summary one, other, moved;
    summary_init(&one);
    summary_init(&other);
    summary_init(&moved);
    add(&one, 0, 1, values);
    add(&moved, 1, 1, values);
    values[17] = nextafterf(values[17], 2);
    add(&other, 0, 1, values);
    assert_true(one.checksum != other.checksum);
    assert_true(one.checksum != moved.checksum);
}

static void extremes_leave_out_what_is_no_number(void **state)
{
    (void)state;
    float values[CELLS];
    struct summary summary;
    summary_init(&summary);
    assert_true(isinf(summary.minimum));
    assert_true(isinf(summary.maximum) && summary.maximum < 0);
    for (int i = 0; i < CELLS; i++)
        values[i] = NAN;
    values[5] = -3;
    values[80] = 4.5F;
    add(&summary, 2, 1, values);
    assert_true(summary.minimum == -3);
    assert_true(summary.maximum == 4.5);
    assert_int_equal(summary.not_numbers, CELLS - 2);
    assert_int_equal(summary.values, CELLS);
}

/* Values that lie beyond the edge of a smaller tile do not count. */
static void only_what_is_in_the_grid_counts(void **state)
{
    (void)state;
    float values[CELLS], spoilt[CELLS];
    struct summary one, other;
    for (int i = 0; i < CELLS; i++) {
        values[i] = (float)i;
        spoilt[i] = i < LESS ? (float)i : NAN;
    }
    summary_init(&one);
    summary_init(&other);
    add(&one, 0, 1, values);
    add(&other, 0, 1, spoilt);
    assert_true(one.checksum == other.checksum);
    assert_true(other.maximum == LESS - 1);
    assert_int_equal(other.not_numbers, 0);
    assert_int_equal(other.values, LESS);
}

static void extremes_of_every_type(void **state)
{
    (void)state;
    for (int type = SCOW_U8; type <= SCOW_F64; type++) {
        const struct census census = {CENSUS_GRID, type, {1, 4, 4}, {1, 4, 4}};
        double least = HUGE_VAL, greatest = -HUGE_VAL;
        struct failure failure = FAILURE_INIT;
        struct summary summary;
        struct job typed;
        size_t size;
        for (int i = 0; i < 16; i++) {
            least = fmin(least, census_value(type, 0, i / 4, i % 4));
            greatest = fmax(greatest, census_value(type, 0, i / 4, i % 4));
        }
        census_open(&typed, &census_host, &census);
        struct engine *engine = engine_new(&typed, 1, 1, 1, &failure);
        void *package = census_package(&typed, 0, 1, &size);
        const struct engine_pulse none = {NULL, NULL};
        assert_true(engine_compute(engine, 0, 1, package, size, none, &failure));
        summary_init(&summary);
        assert_true(summary_add(&summary, &typed, engine_results(engine), &failure));
        assert_true(summary.minimum == least);
        assert_true(summary.maximum == greatest);
        free(package);
        engine_free(&engine);
        job_close(&typed);
    }
}

/* ---- records, emissions, outcomes ---- */

/* Record of task 6, and two pieces that it emitted. */
struct leftover {
    struct census_record record;
    struct emission items[2];
    char bytes[16];
    unsigned char ledger;
};

static struct leftover leftover(void)
{
    return (struct leftover){
        .record = {.number = 6, .squares = {1, 2, 3}, .name = "a name", .rank = 3},
        .items = {{6, 0, 4}, {6, 4, 3}},
        .bytes = "onetwothree",
        .ledger = 1,
    };
}

static struct summary summary_of(struct leftover *left)
{
    const struct census census = {CENSUS_RECORDS | CENSUS_EMITS, SCOW_F32, {1, 1, 50}, {1, 1, 1}};
    const struct package_results results = {
        .first = 6,
        .count = 1,
        .records = (char *)&left->record,
        .emissions = {left->items, 2, 2, left->bytes, 7, sizeof left->bytes},
        .ledger = &left->ledger,
    };
    struct summary summary;
    struct failure failure = FAILURE_INIT;
    struct job of_records;
    summary_init(&summary);
    census_open(&of_records, &census_host, &census);
    assert_true(summary_add(&summary, &of_records, &results, &failure));
    job_close(&of_records);
    return summary;
}

static void records_count(void **state)
{
    (void)state;
    struct leftover left = leftover(), other = leftover();
    const uint64_t checksum = summary_of(&left).checksum;
    assert_true(summary_of(&other).checksum == checksum);
    other.record.squares[1] = 2.5F;
    assert_true(summary_of(&other).checksum != checksum);
    other = leftover();
    other.record.name[11] = 'x';
    assert_true(summary_of(&other).checksum != checksum);
}

/* Emitted numbers may depend on time and place, so that the checksum leaves them out. */
static void emissions_do_not_count(void **state)
{
    (void)state;
    struct leftover left = leftover(), other = leftover();
    other.bytes[5] = 'W';
    assert_true(summary_of(&left).checksum == summary_of(&other).checksum);
}

static void what_is_measured_does_not_count(void **state)
{
    (void)state;
    struct leftover left = leftover(), other = leftover();
    other.record.rank = 4;
    assert_true(summary_of(&left).checksum == summary_of(&other).checksum);
}

static void failed_tasks_do_not_count(void **state)
{
    (void)state;
    struct leftover left = leftover();
    left.ledger = 2;
    const struct summary summary = summary_of(&left);
    assert_int_equal(summary.tasks, 1);
    assert_int_equal(summary.failed, 1);
    assert_true(summary.checksum == 0);
}

static void an_outcome_counts(void **state)
{
    (void)state;
    struct summary one, other;
    summary_init(&one);
    summary_init(&other);
    summary_add_outcome(&one, "{\"score\": 1}");
    summary_add_outcome(&other, "{\"score\": 2}");
    assert_true(one.checksum != 0);
    assert_true(one.checksum != other.checksum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_summary_does_not_depend_on_order_or_grouping),
        cmocka_unit_test(a_checksum_is_what_is_said_of_it),
        cmocka_unit_test(a_checksum_notices_values_and_their_places),
        cmocka_unit_test(extremes_leave_out_what_is_no_number),
        cmocka_unit_test(only_what_is_in_the_grid_counts),
        cmocka_unit_test(extremes_of_every_type),
        cmocka_unit_test(records_count),
        cmocka_unit_test(emissions_do_not_count),
        cmocka_unit_test(what_is_measured_does_not_count),
        cmocka_unit_test(failed_tasks_do_not_count),
        cmocka_unit_test(an_outcome_counts),
    };
    return cmocka_run_group_tests(tests, job_begin, job_end);
}
