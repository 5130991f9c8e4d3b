#include "spmd/job/results_check.h"

#include <string.h>

#include "kernel/type.h"

bool results_refuse(const struct job *job, const char *why, struct failure *failure)
{
    return failure_set(failure, FAILURE_MISMATCH, "kernel %s: %s: ask who made it", job->task->name,
                       why);
}

static bool grid_check(struct job *job, struct failure *failure)
{
    const struct scow_results *results = &job->results;
    const size_t size =
        results->grid_type == SCOW_TEXT_BYTES ? 0 : scow_type_size(results->grid_type);
    double cells = 1, tile = 1;
    if (results->grid_type == SCOW_NONE)
        return true;
    if (size == 0 || !job->task->place)
        return results_refuse(job, "its grid has no known type, or tasks have no place in it",
                              failure);
    for (int i = 0; i < 3; i++) {
        if (results->grid_tile[i] < 1 || results->grid_extent[i] < results->grid_tile[i])
            return results_refuse(job, "its grid's tiles are empty, or larger than the grid",
                                  failure);
        cells *= (double)results->grid_extent[i];
        tile *= (double)results->grid_tile[i];
    }
    if (cells * (double)size > (double)JOB_SIZE_MOST * 64 ||
        tile * (double)size > (double)JOB_SIZE_MOST)
        return failure_set(failure, FAILURE_MISMATCH,
                           "kernel %s: a grid of %.3g numbers in tiles of %.3g is more than can be "
                           "stored: choose other parameters",
                           job->task->name, cells, tile);
    job->tile_size = (size_t)tile * size;
    return true;
}

static bool field_is_good(const struct scow_field *field, size_t record_size)
{
    const size_t size = scow_type_size(field->type);
    return size > 0 && field->count >= 1 &&
           (size_t)field->offset + size * field->count <= record_size;
}

/* HDF5 takes neither; its own words for it would be of no help. */
static bool fields_collide(const struct scow_field *a, const struct scow_field *b)
{
    const size_t a_size = scow_type_size(a->type) * a->count;
    const size_t b_size = scow_type_size(b->type) * b->count;
    return strcmp(a->name, b->name) == 0 || ((size_t)a->offset < (size_t)b->offset + b_size &&
                                             (size_t)b->offset < (size_t)a->offset + a_size);
}

static bool fields_check(struct job *job, struct failure *failure)
{
    const struct scow_results *results = &job->results;
    for (const struct scow_field *field = results->fields; field->name; field++) {
        if (!field_is_good(field, results->record_size))
            return results_refuse(job, "a record's field is of no known type, or outside of it",
                                  failure);
        for (const struct scow_field *before = results->fields; before < field; before++)
            if (fields_collide(before, field))
                return results_refuse(job, "two fields of its records have one name, or one place",
                                      failure);
    }
    return true;
}

static bool records_check(struct job *job, struct failure *failure)
{
    const struct scow_results *results = &job->results;
    if (!results->fields)
        return true;
    if (results->record_size < 1 || results->record_size > (size_t)1 << 30 ||
        !results->fields[0].name)
        return results_refuse(job, "its records are empty, or larger than 1 GiB", failure);
    if (!fields_check(job, failure))
        return false;
    job->record_size = results->record_size;
    return true;
}

/* Beyond any memory, sums of sizes would not be what they seem. */
static bool memory_check(const struct job *job, struct failure *failure)
{
    const struct scow_task *task = job->task;
    return ((!task->package_size_most ||
             task->package_size_most(job->opened, 1) <= JOB_SIZE_MOST) &&
            (!task->workspace_size || task->workspace_size(job->opened, 1) <= JOB_SIZE_MOST)) ||
           results_refuse(job,
                          "a package of one core task, or the workspace, is larger than any "
                          "memory",
                          failure);
}

bool results_check(struct job *job, struct failure *failure)
{
    const struct scow_task *task = job->task;
    if (!grid_check(job, failure) || !records_check(job, failure))
        return false;
    if (job->results.state_size > (size_t)1 << 24)
        return results_refuse(job, "its reduction's state is larger than 16 MiB", failure);
    if (job->results.state_size > 0 && (!task->reset || !task->merge || !task->print))
        return results_refuse(job, "its reduction lacks reset, merge or print", failure);
    job->state_size = job->results.state_size;
    return memory_check(job, failure);
}
