/* Traces of runs: they are read from the file beside the output, and from the output, as they were
 * written; a long one takes little space; and of a damaged file the beginning is read. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/random.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/entries.h"
#include "spmd/layout/layout.h"
#include "spmd/output/trace_writer.h"
#include "tests/checks.h"

static const char name[] = "traces.h5", beside[] = "traces.h5.trace", trace_name[] = "/trace";
static const struct trace_part part = {2, 1.5e9};
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

/* Writes the trace as a run does. */
static void trace_put(const struct trace *trace)
{
    struct trace_writer writer;
    trace_writer_begin(&writer, name, "scow run", &part);
    for (size_t k = 0; k < trace->count; k++) {
        trace_writer_add(&writer, &trace->events[k]);
        trace_writer_tick(&writer, trace->events[k].end_s);
    }
    assert_true(trace_writer_end(&writer));
}

static struct trace_reader reader_of(const struct trace_part *which)
{
    struct failure failure = FAILURE_INIT;
    struct trace_reader reader;
    assert_true(trace_reader_open(&reader, name, which, &failure));
    return reader;
}

/* Its events are the first ones of the trace; how many. */
static int64_t reader_check(struct trace_reader *reader, const struct trace *trace, int64_t most)
{
    struct trace_event *events = calloc((size_t)most, sizeof *events);
    int64_t at = 0;
    assert_non_null(events);
    for (int64_t count; (count = trace_reader_next(reader, events, most)) > 0; at += count)
        for (int64_t k = 0; k < count; k++)
            if (at + k >= (int64_t)trace->count || !is_same(&events[k], &trace->events[at + k]))
                fail_msg("event %d is another one", (int)(at + k));
    assert_int_equal(at, reader->count);
    free(events);
    return at;
}

/* Into an output, where so many events were announced. */
static void trace_import(hid_t file, const struct trace *trace, int64_t announced)
{
    trace_put(trace);
    struct trace_reader reader = reader_of(&part);
    assert_int_equal(reader.count, trace->count);
    assert_false(reader.torn);
    assert_true(entry_trace(file, trace_name, announced) &&
                entry_trace_write(file, trace_name, &reader));
    trace_reader_close(&reader);
    assert_int_equal(unlink(beside), 0);
}

/* Announced as so many events, written into a file, and read again; bytes of a package. */
static double there_and_back(const struct trace *trace, int64_t announced)
{
    hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = layout_trace_type();
    size_t count = 0;
    assert_true(file >= 0);
    trace_import(file, trace, announced);
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
    static const int64_t packages[] = {1200, 30000};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(packages); k++) {
        struct trace trace = trace_make(packages[k], k + 1);
        const int64_t events = (int64_t)trace.count;
        const double bytes = there_and_back(&trace, k == 0 ? events + 7 : 1);
        printf("%d packages: %.1f bytes of each\n", (int)packages[k], bytes);
        assert_true(bytes < BYTES_MOST);
        trace_release(&trace);
    }
}

static void they_are_read_in_any_pieces(void **state)
{
    static const int64_t pieces[] = {1, 1000, TRACE_FILE_BLOCK_MOST, 100000};
    struct trace trace = trace_make(2000, 3);
    (void)state;
    trace_put(&trace);
    struct trace_reader reader = reader_of(&part);
    for (size_t k = 0; k < COUNT_OF(pieces); k++) {
        assert_int_equal(reader_check(&reader, &trace, pieces[k]), trace.count);
        trace_reader_rewind(&reader);
    }
    trace_reader_close(&reader);
    trace_release(&trace);
    assert_int_equal(unlink(beside), 0);
}

/* Corrects events that were written long ago, and some that are not written yet. */
static void corrections_are_put_in_place(void **state)
{
    enum { EACH = 500 };
    struct trace trace = trace_make(3000, 4);
    struct trace_writer writer;
    uint64_t seed = 4;
    (void)state;
    trace_writer_begin(&writer, name, "scow run", &part);
    for (size_t k = 0; k < trace.count; k++) {
        trace_writer_add(&writer, &trace.events[k]);
        if (k % EACH != EACH - 1)
            continue;
        struct trace_correction corrections[TRACE_CORRECTIONS_MOST];
        const double among = EACH - TRACE_CORRECTIONS_MOST;
        const size_t first = k + 1 - EACH + (size_t)(random_uniform(&seed) * among);
        for (int c = 0; c < TRACE_CORRECTIONS_MOST; c++) {
            struct trace_event *event = &trace.events[first + (size_t)c];
            event->end_s += 1;
            corrections[c] = (struct trace_correction){(int64_t)first + c, *event};
        }
        trace_writer_correct(&writer, corrections, TRACE_CORRECTIONS_MOST);
    }
    assert_true(trace_writer_end(&writer));
    struct trace_reader reader = reader_of(&part);
    assert_int_equal(reader_check(&reader, &trace, 77), trace.count);
    trace_reader_close(&reader);
    trace_release(&trace);
    assert_int_equal(unlink(beside), 0);
}

/* Cut anywhere: what is whole is read, and it says that something is missing. */
static void the_beginning_of_a_torn_one_is_read(void **state)
{
    struct trace trace = trace_make(1500, 5);
    struct stat status;
    uint64_t seed = 5;
    int64_t before = (int64_t)trace.count;
    (void)state;
    trace_put(&trace);
    assert_int_equal(stat(beside, &status), 0);
    for (off_t size = status.st_size; size > (off_t)sizeof(struct trace_file_head);) {
        size -= 1 + (off_t)(random_uniform(&seed) * 9000);
        if (size < (off_t)sizeof(struct trace_file_head))
            break;
        assert_int_equal(truncate(beside, size), 0);
        struct trace_reader reader = reader_of(&part);
        const int64_t count = reader_check(&reader, &trace, 1000);
        assert_true(count < before || (count == before && reader.torn));
        before = count;
        trace_reader_close(&reader);
    }
    trace_release(&trace);
    assert_int_equal(unlink(beside), 0);
}

static void byte_flip(off_t place)
{
    const int file = open(beside, O_RDWR);
    char byte = 0;
    assert_true(file >= 0 && pread(file, &byte, 1, place) == 1);
    byte ^= 0x10;
    assert_int_equal(pwrite(file, &byte, 1, place), 1);
    close(file);
}

/* One bit is another one: nothing that is wrong is read. */
static void damaged_ones_are_read_up_to_the_damage(void **state)
{
    struct trace trace = trace_make(1500, 6);
    struct failure failure = FAILURE_INIT;
    struct stat status;
    uint64_t seed = 6;
    (void)state;
    trace_put(&trace);
    assert_int_equal(stat(beside, &status), 0);
    for (int k = 0; k < 200; k++) {
        const off_t place = (off_t)(random_uniform(&seed) * (double)status.st_size);
        struct trace_reader reader;
        byte_flip(place);
        if (trace_reader_open(&reader, name, &part, &failure)) {
            assert_true(reader_check(&reader, &trace, 5000) < (int64_t)trace.count);
            assert_true(reader.torn);
            trace_reader_close(&reader);
        } else {
            assert_true(place < (off_t)sizeof(struct trace_file_head));
        }
        byte_flip(place);
    }
    trace_release(&trace);
    assert_int_equal(unlink(beside), 0);
}

static void those_of_other_parts_are_not_read(void **state)
{
    const struct trace_part others[] = {{1, 1.5e9}, {3, 1.5e9}, {2, 1.5e9 + 1}}, unknown = {2, 0};
    struct trace trace = trace_make(10, 7);
    struct failure failure = FAILURE_INIT;
    struct trace_reader reader;
    (void)state;
    trace_put(&trace);
    for (size_t k = 0; k < COUNT_OF(others); k++)
        assert_false(trace_reader_open(&reader, name, &others[k], &failure));
    reader = reader_of(&unknown);
    assert_int_equal(reader_check(&reader, &trace, 5), trace.count);
    trace_reader_close(&reader);
    assert_int_equal(unlink(beside), 0);
    assert_false(trace_reader_open(&reader, name, &part, &failure));
    assert_int_equal(failure.code, FAILURE_NONE);
    trace_release(&trace);
}

static void text_put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_true(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

/* One after the other in the order of time, of which each master has every third part of so many
 * events; and all of their files go with the output's. */
static void several_masters_are_read_as_one(void **state)
{
    enum { MASTERS = 3, TURN = 100 };
    struct trace trace = trace_make(3000, 11);
    struct trace_writer writers[MASTERS];
    (void)state;
    text_put("t.h5.trace.1", "not a trace, and nobody's to remove");
    for (int k = 0; k < MASTERS; k++) {
        if (k == 1)
            assert_int_equal(unlink("t.h5.trace.1"), 0); /* it is still there */
        if (k == 0)
            trace_writer_begin(&writers[k], "t.h5", "scow run", &part);
        else
            trace_writer_beside(&writers[k], "t.h5", k, "scow run", &part);
    }
    for (size_t k = 0; k < trace.count; k++)
        trace_writer_add(&writers[k / TURN % MASTERS], &trace.events[k]);
    for (int k = 0; k < MASTERS; k++)
        assert_true(trace_writer_end(&writers[k]));
    struct trace_reader reader;
    struct failure failure = FAILURE_INIT;
    assert_true(trace_reader_open(&reader, "t.h5", &part, &failure));
    assert_int_equal(reader.count, trace.count);
    assert_false(reader.torn);
    struct trace_event *events = calloc(trace.count, sizeof *events);
    assert_non_null(events);
    for (int again = 0; again < 2; again++) {
        int64_t at = 0, sum = 0;
        for (int64_t count; (count = trace_reader_next(&reader, events + at, 777)) > 0; at += count)
            continue;
        assert_int_equal(at, trace.count);
        for (size_t k = 0; k < trace.count; k++)
            sum += events[k].package * EVENTS_PER_PACKAGE + events[k].operation;
        assert_int_equal(sum, trace.count * (trace.count - 1) / 2); /* each once */
        trace_reader_rewind(&reader);
    }
    free(events);
    trace_reader_close(&reader);
    trace_writer_remove("t.h5");
    assert_int_equal(access("t.h5.trace", F_OK), -1);
    assert_int_equal(access("t.h5.trace.1", F_OK), -1);
    assert_int_equal(access("t.h5.trace.2", F_OK), -1);
    trace_release(&trace);
}

static void text_check(const char *path, const char *text)
{
    char there[100] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fgets(there, sizeof there, file) && fclose(file) == 0);
    assert_string_equal(there, text);
}

/* Another program's file of that name is left alone; a trace, whole or not, is replaced. */
static void only_traces_are_replaced(void **state)
{
    static const char other[] = "a diary of mine, which is longer than the head of a trace";
    struct trace_writer writer;
    struct trace trace = trace_make(10, 8);
    (void)state;
    text_put("target", other);
    assert_int_equal(symlink("target", beside), 0);
    for (int k = 0; k < 2; k++) {
        trace_writer_begin(&writer, name, "scow run", &part);
        trace_writer_add(&writer, &trace.events[0]);
        assert_false(trace_writer_end(&writer));
        trace_writer_remove(name);
        text_check(beside, other);
        unlink(beside);
        text_put(beside, other);
    }
    text_put(beside, "scowt"); /* its writer was killed while it made it */
    trace_put(&trace);
    trace_put(&trace);
    struct trace_reader reader = reader_of(&part);
    assert_int_equal(reader_check(&reader, &trace, 5), trace.count);
    trace_reader_close(&reader);
    trace_writer_remove(name);
    assert_int_equal(access(beside, F_OK), -1);
    text_check("target", other);
    unlink("target");
    trace_release(&trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_ones_stay_as_they_are),
        cmocka_unit_test(long_ones_take_little_room),
        cmocka_unit_test(they_are_read_in_any_pieces),
        cmocka_unit_test(corrections_are_put_in_place),
        cmocka_unit_test(the_beginning_of_a_torn_one_is_read),
        cmocka_unit_test(damaged_ones_are_read_up_to_the_damage),
        cmocka_unit_test(those_of_other_parts_are_not_read),
        cmocka_unit_test(several_masters_are_read_as_one),
        cmocka_unit_test(only_traces_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
