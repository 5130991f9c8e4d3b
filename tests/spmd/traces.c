/* Traces in the output: what comes back is what was written, and a long one takes little room. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "planner/base/random.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"
#include "tests/checks.h"

static const char name[] = "traces.h5", trace_name[] = "/trace";
enum { EVENTS_PER_PACKAGE = OPERATION_OUTPUT + 2, BYTES_MOST = 100 };

/* Single tasks on two workers, in the order in which a master hears of them. */
static struct trace trace_make(int64_t packages, uint64_t seed)
{
    struct trace trace = {.count = 0};
    double at_s = 0;
    for (int64_t k = 0; k < packages; k++)
        for (int operation = 0; operation < EVENTS_PER_PACKAGE; operation++) {
            const double took_s = 1e-4 * random_uniform(&seed);
            const struct trace_event event = {operation < OPERATION_RECEIVE ? 0 : (int)(k % 2) + 1,
                                              operation,
                                              k / 2,
                                              k,
                                              k,
                                              1,
                                              at_s,
                                              at_s + took_s};
            assert_true(trace_add(&trace, &event));
            at_s += took_s;
        }
    return trace;
}

static bool is_same(const struct trace_event *a, const struct trace_event *b)
{
    return a->rank == b->rank && a->operation == b->operation && a->round == b->round &&
           a->package == b->package && a->first == b->first && a->tasks == b->tasks &&
           !(a->start_s < b->start_s || a->start_s > b->start_s) &&
           !(a->end_s < b->end_s || a->end_s > b->end_s);
}

static double stored_bytes(hid_t file)
{
    hid_t dataset = H5Dopen2(file, trace_name, H5P_DEFAULT);
    assert_true(dataset >= 0);
    const double bytes = (double)H5Dget_storage_size(dataset);
    H5Dclose(dataset);
    return bytes;
}

/* Announced as so many events, written into a file, and read again; bytes of a package. */
static double there_and_back(const struct trace *trace, int64_t announced)
{
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = layout_trace_type();
    size_t count = 0;
    assert_true(file >= 0 && entry_trace(file, trace_name, announced) &&
                entry_trace_write(file, trace_name, trace));
    const double bytes = stored_bytes(file);
    struct trace_event *read =
        contents_rows(file, trace_name, type, sizeof(struct trace_event), &count);
    assert_non_null(read);
    assert_true(count >= trace->count);
    for (size_t k = 0; k < trace->count; k++)
        if (!is_same(&read[k], &trace->events[k]))
            fail_msg("event %zu is another one", k);
    for (size_t k = trace->count; k < count; k++)
        assert_int_equal(read[k].tasks, 0);
    free(read);
    H5Tclose(type);
    assert_true(H5Fclose(file) >= 0);
    assert_int_equal(unlink(name), 0);
    return bytes / ((double)trace->count / EVENTS_PER_PACKAGE);
}

static void short_ones_stay_as_they_are(void **state)
{
    (void)state;
    struct trace trace = trace_make(100, 1);
    const int64_t events = (int64_t)trace.count;
    there_and_back(&trace, events + 7);
    there_and_back(&trace, 1);
    trace_release(&trace);
}

static void long_ones_take_little_room(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct trace trace = trace_make(30000, seed);
        const int64_t events = (int64_t)trace.count;
        const double bytes = there_and_back(&trace, seed == 1 ? events + 7 : 1);
        printf("seed %d: %.1f bytes a package\n", (int)seed, bytes);
        assert_true(bytes < BYTES_MOST);
        trace_release(&trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_ones_stay_as_they_are),
        cmocka_unit_test(long_ones_take_little_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
