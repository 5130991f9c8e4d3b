/* Long traces are read in blocks: the report, and what is learned, are the same as from the trace
 * in one block. */
#include "planner/report/trace_blocks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/files/profile_json.h"
#include "planner/report/learn.h"
#include "planner/report/prediction.h"
#include "planner/report/report.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/runs.h"

/* What was passed on so far. */
struct seen {
    const struct trace_taker *to;
    size_t largest;   /* events of a block */
    int64_t packages; /* the number after the last one */
    int blocks;
};

static bool seen_take(void *self, const struct trace *block)
{
    struct seen *seen = self;
    seen->blocks++;
    seen->largest = block->count > seen->largest ? block->count : seen->largest;
    for (size_t k = 0; k < block->count; k++)
        if (block->events[k].package >= seen->packages)
            seen->packages = block->events[k].package + (block->events[k].package < INT64_MAX);
    return !seen->to || seen->to->take(seen->to->self, block);
}

/* A trace as it is stored: in the order of reports. */
struct stored {
    const struct trace *trace;
    size_t largest;
};

static bool stored_read(void *self, const struct trace_taker *taker, struct failure *failure)
{
    struct stored *stored = self;
    struct seen seen = {.to = taker};
    const struct trace_taker through = {seen_take, &seen};
    struct trace_blocks blocks;
    (void)failure;
    trace_blocks_init(&blocks, &through, false);
    bool good = true;
    for (size_t k = 0; good && k < stored->trace->count; k++)
        good = trace_blocks_add(&blocks, &stored->trace->events[k]);
    good = good && trace_blocks_end(&blocks);
    trace_blocks_release(&blocks);
    if (seen.largest > stored->largest)
        stored->largest = seen.largest;
    return good;
}

/* When each package is done, and when the master sends it: no more than so many ahead. */
struct times {
    double done_s, sent_s;
};

enum { AHEAD = 300 };

static const struct times *times_of_packages;

static double reported_s(const struct trace_event *event)
{
    const struct times *times = &times_of_packages[event->package];
    return event->rank == 0 ? times->sent_s : times->done_s;
}

static int by_report(const void *a, const void *b)
{
    const struct trace_event *x = a, *y = b;
    const double x_s = reported_s(x), y_s = reported_s(y);
    if (x_s != y_s)
        return x_s < y_s ? -1 : 1;
    if (x->package != y->package)
        return x->package < y->package ? -1 : 1;
    if (x->start_s != y->start_s)
        return x->start_s < y->start_s ? -1 : 1;
    return x->operation - y->operation;
}

/* A worker tells of a package when it is done with it, the master of its own part at once. */
static void trace_report(struct trace *trace, int64_t packages)
{
    struct times *times = calloc((size_t)packages, sizeof *times);
    double latest_s = 0;
    for (size_t k = 0; k < trace->count; k++)
        times[trace->events[k].package].done_s =
            fmax(times[trace->events[k].package].done_s, trace->events[k].end_s);
    for (int64_t k = 0; k < packages; k++) {
        latest_s = k < AHEAD ? 0 : fmax(latest_s, times[k - AHEAD].done_s);
        times[k].sent_s = latest_s;
    }
    times_of_packages = times;
    qsort(trace->events, trace->count, sizeof *trace->events, by_report);
    free(times);
}

/* A run that was longer than its plan says, of so many packages. */
static void long_sample(uint64_t seed, int64_t packages, struct run_record *record)
{
    struct failure failure = FAILURE_INIT;
    run_sample(seed, 0, record);
    const int64_t times = packages / plan_packages(&record->plan) + 1;
    for (size_t r = 0; r < record->plan.round_count; r++)
        record->plan.rounds[r].repeat *= times;
    record->plan.tasks *= (double)times;
    record->tasks = record->tasks_done = (int64_t)record->plan.tasks;
    trace_release(&record->trace);
    assert_true(prediction_make(record, &record->trace, NULL, &failure));
    for (size_t k = 0; k < record->trace.count; k++) {
        record->trace.events[k].start_s *= 1.3;
        record->trace.events[k].end_s *= 1.3;
    }
    trace_report(&record->trace, plan_packages(&record->plan));
}

static void json_compare(json_t *a, json_t *b, const char *where)
{
    const char *key;
    json_t *value;
    size_t index;
    if (json_is_number(a) && json_is_number(b)) {
        const double x = json_number_value(a), y = json_number_value(b);
        if (!(fabs(x - y) <= 1e-6 * fmax(fabs(x), 1e-3)))
            fail_msg("%s: %.12g and %.12g", where, x, y);
        return;
    }
    if (json_typeof(a) != json_typeof(b))
        fail_msg("%s: another kind of value", where);
    if (json_is_string(a))
        assert_string_equal(json_string_value(a), json_string_value(b));
    json_object_foreach(a, key, value)
    {
        json_compare(value, json_object_get(b, key), key);
    }
    json_array_foreach(a, index, value)
    {
        json_compare(value, json_array_get(b, index), where);
    }
}

/* The same run with its trace in one, and read in blocks. */
static struct trace blocks_take_over(struct run_record *record, struct stored *stored)
{
    const struct trace whole = record->trace;
    record->long_trace =
        (struct run_trace){.self = stored, .read = stored_read, .ranks = run_record_ranks(record)};
    record->trace = (struct trace){.count = 0};
    return whole;
}

static void reports_say_the_same(void **state)
{
    (void)state;
    for (uint64_t seed = 2; seed <= 1 + cases_of(1); seed++) {
        struct run_record record;
        struct stored stored = {.largest = 0};
        long_sample(seed, (int64_t)3 * TRACE_BLOCK_PACKAGES, &record);
        json_t *whole = run_report(&record);
        struct trace trace = blocks_take_over(&record, &stored);
        stored.trace = &trace;
        json_t *blocks = run_report(&record);
        printf("seed %d: %zu events, %zu in a block\n", (int)seed, trace.count, stored.largest);
        json_compare(whole, blocks, "report");
        /* Its memory: not what the run had. */
        assert_true(stored.largest <= (size_t)TRACE_BLOCK_PACKAGES * OPERATION_COUNT);
        assert_true(trace.count > 2 * stored.largest);
        json_decref(whole);
        json_decref(blocks);
        trace_release(&trace);
        run_record_release(&record);
    }
}

static json_t *learned(struct run_record *record)
{
    struct failure failure = FAILURE_INIT;
    if (!learn_costs(record, &failure))
        fail_msg("%s", failure.text);
    char *text = profile_print(&record->profile);
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    return json;
}

static void the_same_is_learned(void **state)
{
    struct run_record one, other;
    struct stored stored = {.largest = 0};
    (void)state;
    long_sample(7, (int64_t)2 * TRACE_BLOCK_PACKAGES, &one);
    long_sample(7, (int64_t)2 * TRACE_BLOCK_PACKAGES, &other);
    struct trace trace = blocks_take_over(&other, &stored);
    stored.trace = &trace;
    json_t *whole = learned(&one), *blocks = learned(&other);
    json_compare(whole, blocks, "profile");
    json_decref(whole);
    json_decref(blocks);
    trace_release(&trace);
    run_record_release(&one);
    run_record_release(&other);
}

/* Packages that nobody has begun leave a part that was stopped, and the others move up. */
static void packages_that_were_not_begun_are_left_out(void **state)
{
    enum { PACKAGES = 100000, EVERY = 7 };
    struct seen seen = {.to = NULL};
    const struct trace_taker taker = {seen_take, &seen};
    struct trace_blocks blocks;
    (void)state;
    trace_blocks_init(&blocks, &taker, true);
    for (int64_t k = 0; k < PACKAGES; k++) {
        struct trace_event event = {0, OPERATION_ENVELOPE, 0, k, k, 1, (double)k, (double)k + 1};
        assert_true(trace_blocks_add(&blocks, &event));
        event.rank = 1;
        event.operation = OPERATION_COMPUTE;
        assert_true(k % EVERY == 0 || trace_blocks_add(&blocks, &event));
    }
    assert_true(trace_blocks_end(&blocks));
    assert_int_equal(seen.packages, PACKAGES - (PACKAGES + EVERY - 1) / EVERY);
    trace_blocks_release(&blocks);
}

/* Numbers that no run has: they end. */
static void damaged_numbers_end(void **state)
{
    struct seen seen = {.to = NULL};
    const struct trace_taker taker = {seen_take, &seen};
    struct trace_blocks blocks;
    (void)state;
    trace_blocks_init(&blocks, &taker, false);
    const int64_t numbers[] = {0, INT64_MAX, 5, INT64_MIN, INT64_MAX - 1};
    for (size_t k = 0; k < COUNT_OF(numbers); k++) {
        const struct trace_event event = {1, OPERATION_COMPUTE, 0, numbers[k], 0, 1, 0, 1};
        assert_true(trace_blocks_add(&blocks, &event));
    }
    assert_true(trace_blocks_end(&blocks));
    assert_true(seen.blocks >= 2);
    trace_blocks_release(&blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_say_the_same),
        cmocka_unit_test(the_same_is_learned),
        cmocka_unit_test(packages_that_were_not_begun_are_left_out),
        cmocka_unit_test(damaged_numbers_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
