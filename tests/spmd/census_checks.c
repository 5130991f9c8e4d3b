#include "tests/spmd/census.h"

#include <inttypes.h>
#include <stdio.h>

#include "kernel/type.h"

/* ---- making ---- */

void census_values(struct values *values, const struct scow_task *task, const struct census *census)
{
    struct parameter_list list = {0};
    struct failure failure = FAILURE_INIT;
    const int64_t *extent = census->extent, *tile = census->tile;
    const double numbers[] = {census->parts,     census->type,      (double)extent[0],
                              (double)extent[1], (double)extent[2], (double)tile[0],
                              (double)tile[1],   (double)tile[2]};
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        assert_true(parameter_list_add(&list, task->parameters[i].name, NULL, numbers[i]));
    assert_true(values_read(values, task, &list, "census", false, &failure));
    parameter_list_release(&list);
}

void census_open(struct job *job, const struct scow_task *task, const struct census *census)
{
    struct values values;
    struct description description;
    struct failure failure = FAILURE_INIT;
    census_values(&values, task, census);
    struct input *input = input_open(SCOW_INPUT_NONE, NULL, &failure);
    assert_non_null(input);
    assert_true(job_describe(&description, task, &values, input, &failure));
    const bool good = job_open(job, task, &values, &description, NULL, &failure);
    assert_string_equal(failure.text, "");
    assert_true(good);
    description_release(&description);
    input_close(&input);
    values_release(&values);
}

void *census_package(const struct job *job, int64_t first, int64_t count, size_t *size)
{
    struct failure failure = FAILURE_INIT;
    const size_t room = job_package_most(job, count) + JOB_GUARD;
    void *package = aligned_alloc(64, (room / 64 + 1) * 64);
    assert_non_null(package);
    assert_true(job_pack(job, NULL, first, count, package, size, &failure));
    return package;
}

/* ---- checking ---- */

static void assert_tile(const struct job *job, int64_t task, const char *tile)
{
    int64_t start[3], count[3];
    size_t index = 0;
    const int type = job->results.grid_type;
    job->task->place(job->opened, task, start, count);
    for (int64_t z = 0; z < count[0]; z++)
        for (int64_t y = 0; y < count[1]; y++)
            for (int64_t x = 0; x < count[2]; x++)
                assert_true(scow_type_value(type, tile, index++) ==
                            census_value(type, start[0] + z, start[1] + y, start[2] + x));
}

static void assert_record(const struct census_record *record, int64_t task)
{
    char name[32];
    snprintf(name, sizeof name, "task %" PRId64, task);
    assert_int_equal(record->number, task);
    assert_string_equal(record->name, name);
    for (int64_t i = 0; i < 3; i++)
        assert_true(record->squares[i] == (float)((task + i) * (task + i)));
}

/* All pieces of all tasks, in order. */
static void assert_emissions(const struct package_results *results)
{
    const struct emissions *emissions = &results->emissions;
    size_t at = 0;
    char text[CENSUS_PIECE_MOST];
    for (int64_t k = 0; k < results->count; k++) {
        const int64_t task = package_task(results, k);
        for (int piece = 0; piece < census_pieces(task); piece++, at++) {
            const size_t size = census_piece(task, piece, text);
            assert_true(at < emissions->count);
            assert_int_equal(emissions->items[at].task, task);
            assert_int_equal(emissions->items[at].size, size);
            assert_memory_equal(emissions->bytes + emissions->items[at].offset, text, size);
            assert_int_equal(emissions->items[at].at, k);
        }
    }
    assert_int_equal(at, emissions->count);
}

static void assert_state(const struct package_results *results)
{
    const struct census_state *state = (const struct census_state *)(const void *)results->state;
    uint64_t squares = 0;
    int64_t least = INT64_MAX, greatest = 0;
    for (int64_t k = 0; k < results->count; k++) {
        const int64_t task = package_task(results, k);
        squares += (uint64_t)task * (uint64_t)task;
        least = task < least ? task : least;
        greatest = task > greatest ? task : greatest;
    }
    assert_int_equal(state->tasks, results->count);
    assert_int_equal(state->least, least);
    assert_int_equal(state->greatest, greatest);
    assert_true(state->squares == squares);
}

static void assert_ledger(const struct package_results *results, bool rejects)
{
    int64_t rejected = 0, lowest = -1;
    char why[120];
    for (int64_t k = 0; k < results->count; k++) {
        const int64_t task = package_task(results, k);
        const bool failed = rejects && census_rejected(task);
        assert_int_equal(results->ledger[k], failed ? 2 : 1);
        lowest = failed && (lowest < 0 || task < lowest) ? task : lowest;
        if (!failed)
            continue;
        const struct emission *reason = &results->reasons.items[rejected++];
        census_rejection(task, why, sizeof why);
        assert_int_equal(reason->task, task);
        assert_int_equal(reason->size, strlen(why));
        assert_memory_equal(results->reasons.bytes + reason->offset, why, strlen(why));
    }
    assert_int_equal(results->reasons.count, rejected);
    assert_int_equal(results->rejected, rejected);
    if (rejected == 0)
        return;
    census_rejection(lowest, why, sizeof why);
    assert_int_equal(results->rejection.task, lowest);
    assert_string_equal(results->rejection.why, why);
}

void assert_census(const struct job *job, const struct package_results *results)
{
    const int parts = (int)job->values.items[0].number;
    for (int64_t k = 0; k < results->count; k++) {
        if (parts & CENSUS_GRID)
            assert_tile(job, package_task(results, k), results->grid + (size_t)k * job->tile_size);
        if (parts & CENSUS_RECORDS)
            assert_record((const struct census_record *)(const void *)results->records + k,
                          package_task(results, k));
    }
    if (parts & CENSUS_REDUCTION)
        assert_state(results);
    if (parts & CENSUS_EMITS)
        assert_emissions(results);
    assert_int_equal((parts & CENSUS_GRID) != 0, results->grid != NULL);
    assert_int_equal((parts & CENSUS_RECORDS) != 0, results->records != NULL);
    assert_int_equal((parts & CENSUS_REDUCTION) != 0, results->state != NULL);
    assert_ledger(results, (parts & CENSUS_REJECTS) != 0);
}
