#include "spmd/job/summary.h"

#include <math.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY /* needed to have its states on the stack */
#include <xxhash.h>

#include "kernel/type.h"

/* Seeds are 2^61 apart, so that no core task's record has the same hash as another one's grid. */
enum part { PART_GRID, PART_RECORD, PART_OUTCOME };

static XXH64_hash_t seed_of(enum part part, int64_t task)
{
    return (XXH64_hash_t)task + ((XXH64_hash_t)part << 61);
}

void summary_init(struct summary *summary)
{
    *summary = (struct summary){.minimum = HUGE_VAL, .maximum = -HUGE_VAL};
}

static void value_add(struct summary *summary, double value)
{
    if (isnan(value)) {
        summary->not_numbers++;
        return;
    }
    if (value < summary->minimum)
        summary->minimum = value;
    if (value > summary->maximum)
        summary->maximum = value;
}

/* One loop for each type, so that each is vectorised. */
#define VALUES_ADD(type)                                                                           \
    for (int64_t i = 0; i < count; i++)                                                            \
    value_add(summary, (double)((const type *)values)[i])

static void values_add(struct summary *summary, enum scow_type type, const void *values,
                       int64_t count)
{
    switch (type) {
    case SCOW_U8:
        VALUES_ADD(uint8_t);
        break;
    case SCOW_U16:
        VALUES_ADD(uint16_t);
        break;
    case SCOW_U32:
        VALUES_ADD(uint32_t);
        break;
    case SCOW_U64:
        VALUES_ADD(uint64_t);
        break;
    case SCOW_I32:
        VALUES_ADD(int32_t);
        break;
    case SCOW_I64:
        VALUES_ADD(int64_t);
        break;
    case SCOW_F32:
        VALUES_ADD(float);
        break;
    case SCOW_F64:
        VALUES_ADD(double);
        break;
    case SCOW_NONE:
    case SCOW_TEXT_BYTES:
        break;
    }
    summary->values += count;
}

static bool grid_add(struct summary *summary, const struct job *job, int64_t task,
                     const char *values, struct failure *failure)
{
    const int type = job->results.grid_type;
    int64_t start[3], shape[3];
    if (!job_place(job, task, start, shape, failure))
        return false;
    const int64_t count = shape[0] * shape[1] * shape[2];
    values_add(summary, (enum scow_type)type, values, count);
    summary->checksum += XXH3_64bits_withSeed(values, (size_t)count * scow_type_size(type),
                                              seed_of(PART_GRID, task));
    return true;
}

static void record_add(struct summary *summary, const struct job *job, int64_t task,
                       const char *record)
{
    XXH3_state_t state;
    XXH3_64bits_reset_withSeed(&state, seed_of(PART_RECORD, task));
    for (const struct scow_field *field = job->results.fields; field->name; field++) {
        const size_t size = scow_type_size(field->type) * field->count;
        if (!(field->flags & SCOW_MEASURED))
            XXH3_64bits_update(&state, record + field->offset, size);
    }
    summary->checksum += XXH3_64bits_digest(&state);
}

static bool task_add(struct summary *summary, const struct job *job,
                     const struct package_results *results, int64_t k, struct failure *failure)
{
    const int64_t task = package_task(results, k);
    if (results->records)
        record_add(summary, job, task, results->records + (size_t)k * job->record_size);
    return !results->grid ||
           grid_add(summary, job, task, results->grid + (size_t)k * job->tile_size, failure);
}

/* The field with the memory that a core task used; NULL: there is none. */
static const struct scow_field *peak_find(const struct job *job)
{
    for (const struct scow_field *field = job->results.fields; field && field->name; field++)
        if (field->type == SCOW_I32 && strcmp(field->name, SUMMARY_PEAK) == 0)
            return field;
    return NULL;
}

static void peaks_add(struct summary *summary, const struct job *job,
                      const struct package_results *results)
{
    const struct scow_field *field = results->records ? peak_find(job) : NULL;
    for (int64_t k = 0; field && k < results->count; k++) {
        int32_t kib;
        memcpy(&kib, results->records + (size_t)k * job->record_size + field->offset, sizeof kib);
        if ((int64_t)kib * 1024 > summary->command_peak)
            summary->command_peak = (int64_t)kib * 1024;
    }
}

bool summary_add(struct summary *summary, const struct job *job,
                 const struct package_results *results, struct failure *failure)
{
    for (int64_t k = 0; k < results->count; k++) {
        if (results->ledger[k] != 1)
            summary->failed++;
        else if (!task_add(summary, job, results, k, failure))
            return false;
    }
    summary->tasks += results->count;
    peaks_add(summary, job, results);
    return true;
}

void summary_merge(struct summary *summary, const struct summary *other)
{
    if (other->minimum < summary->minimum)
        summary->minimum = other->minimum;
    if (other->maximum > summary->maximum)
        summary->maximum = other->maximum;
    summary->tasks += other->tasks;
    summary->failed += other->failed;
    summary->values += other->values;
    summary->not_numbers += other->not_numbers;
    summary->checksum += other->checksum;
    if (other->rank_peak > summary->rank_peak)
        summary->rank_peak = other->rank_peak;
    if (other->command_peak > summary->command_peak)
        summary->command_peak = other->command_peak;
    if (other->master_peak > summary->master_peak)
        summary->master_peak = other->master_peak;
}

void summary_add_outcome(struct summary *summary, const char *json)
{
    summary->checksum += XXH3_64bits_withSeed(json, strlen(json), seed_of(PART_OUTCOME, 0));
}
