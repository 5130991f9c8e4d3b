/* The host in memory that tests of core tasks use, and the types of numbers. */
#include "tests/checks.h"

#include <inttypes.h>

#include "kernel/type.h"
#include "tests/kernel/memory_job.h"

#undef fail /* cmocka's macro: hosts have a function of that name */

/* A core task for these tests: adds up a row of an image, in every way results can be left. */
struct sums {
    struct scow_input input;
    double factor;
};

static const struct scow_parameter sum_parameters[] = {
    {.name = "factor", .kind = SCOW_NUMBER, .initial = 1, .least = 1, .greatest = 9},
    {.name = NULL}};

static const struct scow_field sum_fields[] = {{.name = "sum", .type = SCOW_F64, .count = 1},
                                               {.name = NULL}};

static int sum_describe(const struct scow_host *host, const struct scow_value *values,
                        const struct scow_input *input, int64_t *tasks)
{
    *tasks = input->extent[0] * input->extent[1];
    if (input->extent[2] > 100)
        return host->fail(host, "rows of %" PRId64 ": give shorter ones", input->extent[2]);
    return host->share(host, &values[0].number, sizeof values[0].number);
}

static int sum_open(const struct scow_host *host, const struct scow_setup *setup, void **job)
{
    struct sums *sums = malloc(sizeof *sums);
    if (!sums)
        return host->fail(host, "out of memory: give less to do");
    sums->input = setup->input;
    memcpy(&sums->factor, setup->shared, sizeof sums->factor);
    *job = sums;
    return SCOW_OK;
}

static void sum_results(const void *job, struct scow_results *results)
{
    (void)job;
    results->fields = sum_fields;
    results->record_size = sizeof(double);
    results->state_size = sizeof(double);
    results->emits = true;
}

static size_t sum_package_size_most(const void *job, int64_t count)
{
    const struct sums *sums = job;
    return (size_t)(count * sums->input.extent[2]) * scow_type_size(sums->input.type);
}

static int sum_pack(const struct scow_host *host, const void *job, int64_t first, int64_t count,
                    void *package, size_t *size)
{
    const struct sums *sums = job;
    const int64_t *extent = sums->input.extent;
    const size_t row = (size_t)extent[2] * scow_type_size(sums->input.type);
    *size = (size_t)count * row;
    for (int64_t k = 0; k < count; k++) {
        const int64_t task = first + k;
        char *to = (char *)package + (size_t)k * row;
        if (host->read_image(host, task / extent[1], task % extent[1], 0, 1, extent[2], to))
            return SCOW_FAILED;
    }
    return SCOW_OK;
}

static int sum_compute(const struct scow_host *host, const void *job,
                       const struct scow_batch *batch)
{
    const struct sums *sums = job;
    const uint16_t *pixels = batch->package;
    double *records = batch->records, *state = batch->state;
    for (int64_t k = 0; k < batch->count; k++) {
        const int64_t task = batch->first + k, row = task - batch->package_first;
        double sum = 0;
        for (int64_t x = 0; x < sums->input.extent[2]; x++)
            sum += sums->factor * pixels[row * sums->input.extent[2] + x];
        records[k] = sum;
        *state += sum;
        host->emit(host, task, "a", 1);
        host->emit(host, task, "bc", 2);
        if (task == 1)
            host->reject(host, task, "the second");
        if (host->pulse(host))
            return SCOW_STOPPED;
    }
    return SCOW_OK;
}

static void sum_reset(const void *job, void *state)
{
    (void)job;
    *(double *)state = 0;
}

static void sum_merge(const void *job, void *state, const void *part)
{
    (void)job;
    *(double *)state += *(const double *)part;
}

static const struct scow_task sum_task = {SCOW_TASK,
                                          .name = "sum",
                                          .parameters = sum_parameters,
                                          .input = SCOW_INPUT_IMAGE,
                                          .describe = sum_describe,
                                          .open = sum_open,
                                          .close = free,
                                          .results = sum_results,
                                          .package_size_most = sum_package_size_most,
                                          .pack = sum_pack,
                                          .compute = sum_compute,
                                          .reset = sum_reset,
                                          .merge = sum_merge};

static const uint16_t pixels[] = {1, 2, 3, 10, 20, 30, 100, 200, 300, 1000, 2000, 3000};

static void host_init(struct memory_host *host)
{
    memory_host_init(host);
    host->input = (struct scow_input){
        .kind = SCOW_INPUT_IMAGE, .type = SCOW_U16, .extent = {2, 2, 3}, .name = "rows"};
    host->pixels = pixels;
}

static void a_job_leaves_all_kinds_of_results(void **state)
{
    (void)state;
    for (int64_t batch = 0; batch <= 3; batch++) {
        struct memory_host host;
        struct memory_job job;
        struct memory_outcome outcome;
        host_init(&host);
        memory_job_init(&job, &sum_task, &host);
        memory_job_number(&job, "factor", 2);
        assert_true(memory_job_open(&job));
        assert_int_equal(job.setup.tasks, 4);
        assert_int_equal(memory_job_compute(&job, 1, 3, batch, 1, &outcome), SCOW_OK);
        const double *sums = (const double *)(const void *)outcome.records;
        assert_true(sums[0] == 120 && sums[1] == 1200 && sums[2] == 12000);
        assert_true(*(const double *)outcome.state == 13320);
        assert_string_equal(memory_notes_find(&host.emitted, 3)->bytes, "abc");
        assert_string_equal(memory_notes_find(&host.rejected, 1)->bytes, "the second");
        assert_null(memory_notes_find(&host.rejected, 2));
        assert_null(memory_notes_find(&host.emitted, 0));
        assert_int_equal(host.pulses, 3);
        memory_outcome_release(&outcome);
        memory_job_close(&job);
        memory_host_release(&host);
    }
}

static void failures_and_stops_come_through(void **state)
{
    (void)state;
    struct memory_host host;
    struct memory_job job;
    struct memory_outcome outcome;
    host_init(&host);
    memory_job_init(&job, &sum_task, &host);
    host.input.extent[2] = 101;
    assert_false(memory_job_open(&job));
    assert_string_equal(host.failure, "rows of 101: give shorter ones");
    memory_job_close(&job);
    host.input.extent[2] = 3;
    assert_true(memory_job_open(&job));
    assert_string_equal(host.failure, "");
    host.reads_until_failure = 2;
    assert_int_equal(memory_job_compute(&job, 0, 4, 0, 1, &outcome), SCOW_FAILED);
    assert_string_equal(host.failure, "cannot read slice 1 from row 0 on: try again");
    assert_int_equal(host.reads, 3);
    memory_outcome_release(&outcome);
    host.reads_until_failure = -1;
    host.pulses_until_stop = 1;
    assert_int_equal(memory_job_compute(&job, 0, 4, 0, 1, &outcome), SCOW_STOPPED);
    assert_int_equal(host.pulses, 2);
    memory_outcome_release(&outcome);
    memory_job_close(&job);
    memory_host_release(&host);
}

static void the_first_sentence_counts(void **state)
{
    (void)state;
    struct memory_host host;
    memory_host_init(&host);
    assert_int_equal(host.host.fail(&host.host, "number %d", 1), SCOW_FAILED);
    assert_int_equal(host.host.fail(&host.host, "number %d", 2), SCOW_FAILED);
    assert_string_equal(host.failure, "number 1");
    memory_host_release(&host);
}

static void items_are_read(void **state)
{
    (void)state;
    static const struct scow_item items[] = {{"one", 3, NULL}, {"", 0, NULL}};
    struct memory_host host;
    struct scow_item item;
    memory_host_init(&host);
    host.input = (struct scow_input){.kind = SCOW_INPUT_LINES, .extent = {2, 1, 1}};
    host.items = items;
    assert_int_equal(host.host.read_item(&host.host, 1, &item), SCOW_OK);
    assert_int_equal(item.size, 0);
    assert_int_equal(host.host.read_item(&host.host, 0, &item), SCOW_OK);
    assert_string_equal(item.bytes, "one");
    memory_host_release(&host);
}

static void types_have_sizes_and_names(void **state)
{
    (void)state;
    static const struct {
        int type;
        size_t size;
        const char *name;
    } types[] = {{SCOW_U8, sizeof(uint8_t), "uint8"},
                 {SCOW_U16, sizeof(uint16_t), "uint16"},
                 {SCOW_U32, sizeof(uint32_t), "uint32"},
                 {SCOW_U64, sizeof(uint64_t), "uint64"},
                 {SCOW_I32, sizeof(int32_t), "int32"},
                 {SCOW_I64, sizeof(int64_t), "int64"},
                 {SCOW_F32, sizeof(float), "float32"},
                 {SCOW_F64, sizeof(double), "float64"},
                 {SCOW_TEXT_BYTES, 1, "text"},
                 {SCOW_NONE, 0, "none"},
                 {-1, 0, "none"},
                 {SCOW_TEXT_BYTES + 1, 0, "none"}};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        assert_int_equal(scow_type_size(types[i].type), types[i].size);
        assert_string_equal(scow_type_name(types[i].type), types[i].name);
    }
}

#define CHECK_VALUE(type, ctype, ...)                                                              \
    do {                                                                                           \
        const ctype values[] = {__VA_ARGS__};                                                      \
        for (size_t i = 0; i < COUNT_OF(values); i++)                                              \
            assert_true(scow_type_value(type, values, i) == (double)values[i]);                    \
    } while (0)

static void values_are_read_by_their_types(void **state)
{
    (void)state;
    CHECK_VALUE(SCOW_U8, uint8_t, 1, UINT8_MAX);
    CHECK_VALUE(SCOW_U16, uint16_t, 2, UINT16_MAX);
    CHECK_VALUE(SCOW_U32, uint32_t, 3, UINT32_MAX);
    CHECK_VALUE(SCOW_U64, uint64_t, 4, UINT64_MAX);
    CHECK_VALUE(SCOW_I32, int32_t, -5, INT32_MIN);
    CHECK_VALUE(SCOW_I64, int64_t, -6, INT64_MIN);
    CHECK_VALUE(SCOW_F32, float, -0.5F, 0x1p127F);
    CHECK_VALUE(SCOW_F64, double, 1e300, -0.25);
    assert_true(scow_type_value(SCOW_TEXT_BYTES, "a", 0) == 0);
    assert_true(scow_type_value(SCOW_NONE, "a", 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_leaves_all_kinds_of_results),
        cmocka_unit_test(failures_and_stops_come_through),
        cmocka_unit_test(the_first_sentence_counts),
        cmocka_unit_test(items_are_read),
        cmocka_unit_test(types_have_sizes_and_names),
        cmocka_unit_test(values_are_read_by_their_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
