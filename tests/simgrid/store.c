/* The store without HDF5 and without MPI-IO: results are dropped, and it is counted how often each
 * core task was written. When it is closed, the counts of all ranks are added; a file that is
 * sealed must have each core task once. Writing takes the time that the core task says. */
#include "spmd/output/store.h"
#include "planner/base/file_lock.h"
#include "spmd/layout/emitted.h"
#include "spmd/layout/task_digest.h"
#include "spmd/output/trace_writer.h"
#include "spmd/resume/levels_kept.h"
#include "spmd/resume/remaining.h"
#include "spmd/resume/survivors.h"

#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "tests/simgrid/store.h"
#include "tests/simgrid/task.h"

struct store {
    const struct comm *comm;
    const struct job *job;
    int64_t tasks;
    double staged_s, end_s; /* behind: what is staged will take; when what was begun is written */
    bool trial;             /* probes write what they like, as often as they like */
    uint8_t *done;          /* owned; how often this rank has written each task */
};

bool outputfile_create(const char *path, const struct job *job, const struct output_info *info,
                       struct output_places *places, struct failure *failure)
{
    (void)path, (void)job, (void)info, (void)failure;
    *places = (struct output_places){0};
    return true;
}

bool outputfile_seal(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    (void)path, (void)outcome, (void)failure;
    return true;
}

/* ---- the trace of the run at hand, which stays in memory ------------------------------------- */

static struct trace kept;

const struct trace *store_trace(void)
{
    return &kept;
}

void trace_writer_begin(struct trace_writer *writer, const char *output, const char *command,
                        const struct trace_part *part)
{
    (void)output, (void)command, (void)part;
    *writer = (struct trace_writer){.file = -1};
    kept.count = 0;
}

/* The trace of another master is not kept: its file says so. */
enum { NOT_KEPT = -2 };

void trace_writer_beside(struct trace_writer *writer, const char *output, int number,
                         const char *command, const struct trace_part *part)
{
    (void)output, (void)number, (void)command, (void)part;
    *writer = (struct trace_writer){.file = NOT_KEPT};
}

void trace_writer_add(struct trace_writer *writer, const struct trace_event *event)
{
    if (writer->file == NOT_KEPT)
        return;
    if (!trace_add(&kept, event))
        abort();
}

void trace_writer_correct(struct trace_writer *writer, const struct trace_correction *corrections,
                          int count)
{
    for (int k = 0; writer->file != NOT_KEPT && k < count; k++)
        kept.events[corrections[k].number] = corrections[k].event;
}

void trace_writer_tick(struct trace_writer *writer, double now_s)
{
    (void)writer, (void)now_s;
}

bool trace_writer_end(struct trace_writer *writer)
{
    (void)writer;
    return true;
}

void trace_writer_remove(const char *output)
{
    (void)output;
}

/* ---- results -------------------------------------------------------------------------------- */

static void store_free(struct store **store)
{
    if (*store)
        free((*store)->done);
    free(*store);
    *store = NULL;
}

struct store *store_open(const struct store_setup *setup, const struct output_places *places,
                         const struct comm *comm, const struct job *job, struct failure *failure)
{
    struct store *store = calloc(1, sizeof *store);
    (void)places;
    if (store) {
        store->comm = comm;
        store->job = job;
        store->tasks = job->setup.tasks;
        store->trial = setup->temporary;
        store->done = calloc((size_t)store->tasks, 1);
    }
    if (!store || !store->done)
        failure_memory(failure, "opening the store");
    if (failure->code == FAILURE_NONE)
        return store;
    store_free(&store);
    return NULL;
}

struct store *store_open_together(const struct store_setup *setup,
                                  const struct output_places *places, const struct comm *comm,
                                  const struct job *job, struct failure *failure)
{
    struct store *store = store_open(setup, places, comm, job, failure);
    if (!comm_agree(comm, failure))
        store_free(&store);
    return store;
}

static void tasks_count(struct store *store, const struct package_results *results)
{
    for (int64_t k = 0; k < results->count; k++)
        store->done[results->first + k]++;
}

static double cost_of_output(const struct store *store, int64_t tasks)
{
    const struct scow_value *values = store->job->values.items;
    return values[TASK_OUTPUT_LATENCY].number + values[TASK_OUTPUT_RATE].number * (double)tasks;
}

bool store_write(struct store *store, const struct package_results *results,
                 struct failure *failure)
{
    const double cost_s = cost_of_output(store, results->count);
    (void)failure;
    tasks_count(store, results);
    if (cost_s > 0)
        clock_nap(cost_s);
    return true;
}

/* ---- behind ---------------------------------------------------------------------------------- */

double store_memory(const struct job *job, int64_t most)
{
    (void)job, (void)most;
    return 0;
}

bool store_reserve(struct store *store, int64_t most, struct failure *failure)
{
    (void)store, (void)most;
    return failure->code == FAILURE_NONE;
}

bool store_stage(struct store *store, const struct package_results *results,
                 struct failure *failure)
{
    (void)failure;
    tasks_count(store, results);
    store->staged_s = cost_of_output(store, results->count);
    return true;
}

void store_begin(struct store *store)
{
    store->end_s = clock_now() + store->staged_s;
}

bool store_await(struct store *store, double most_s, double *end_s, struct failure *failure)
{
    const double left_s = store->end_s - clock_now();
    (void)failure;
    if (left_s > 0 && most_s > 0)
        clock_nap(fmin(left_s, most_s));
    *end_s = store->end_s + store->comm->offset_s;
    return clock_now() >= store->end_s;
}

bool store_normalize(struct store *store, int64_t first, int64_t count,
                     const struct summary *summary, int threads, struct failure *failure)
{
    (void)store, (void)first, (void)count, (void)summary, (void)threads, (void)failure;
    return true;
}

/* Collective. At the master: the first core task that was not written exactly once. */
static void once_check(const struct store *store, struct failure *failure)
{
    uint8_t *all = calloc((size_t)store->tasks, 1);
    if (!all)
        failure_memory(failure, "counting what was written");
    if (comm_agree(store->comm, failure))
        MPI_Reduce(store->done, all, (int)store->tasks, MPI_UINT8_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int64_t k = 0; store->comm->rank == 0 && all && k < store->tasks; k++)
        if (all[k] != 1)
            failure_set(failure, FAILURE_FAILED, "core task %" PRId64 " was written %d times", k,
                        all[k]);
    free(all);
}

bool store_close(struct store **store, struct failure *failure)
{
    struct store *s = *store;
    if (!s)
        return true;
    if (comm_agree(s->comm, failure) && !s->trial)
        once_check(s, failure);
    const bool all = comm_agree(s->comm, failure);
    store_free(store);
    return all;
}

/* ---- no simulated run is stopped, killed or resumed ---------------------------------------- */

bool store_flush(struct store *store, struct failure *failure)
{
    (void)store;
    return failure->code == FAILURE_NONE;
}

/* ---- nor does anything in it fail ---------------------------------------------------------- */

bool store_end(struct store *store, struct failure *failure)
{
    (void)store;
    return failure->code == FAILURE_NONE;
}

void store_disown(struct store *store, int rank, const struct package *packages, int64_t count)
{
    (void)store, (void)rank, (void)packages, (void)count;
}

void store_disown_states(struct store *store, int rank, const struct package *packages,
                         int64_t count)
{
    store_disown(store, rank, packages, count);
}

/* Simulated core tasks have no reduction. */
size_t store_group_size(const struct job *job)
{
    return job->state_size;
}

void store_group_add(const struct job *job, char *sum, const struct package *package,
                     const void *state)
{
    (void)job, (void)sum, (void)package, (void)state;
}

bool store_group_read(struct store *store, const int *ranks, int count, char *sum)
{
    (void)store, (void)ranks, (void)count, (void)sum;
    return true;
}

void store_group_replace(struct store *store, const int *ranks, int count, char *sum)
{
    (void)store, (void)ranks, (void)count, (void)sum;
}

bool store_forget(struct store *store, struct failure *failure)
{
    return store_flush(store, failure);
}

int file_lock_together(const char *path)
{
    (void)path;
    return -1;
}

bool file_lock_place(int file, int place)
{
    (void)file, (void)place;
    return false;
}

bool file_lock_taken(int file, int place)
{
    return file_lock_place(file, place);
}

bool outputfile_stop(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    (void)outcome;
    return failure_set(failure, FAILURE_FAILED, "%s: simulated runs are not stopped", path);
}

void outputfile_discard(const char *path, int64_t process)
{
    (void)path;
    (void)process;
}

void outputfile_distrust(const char *path)
{
    (void)path;
}

void outputfile_halt(const char *path, const char *why)
{
    (void)path;
    (void)why;
}

int file_lock_first(const char *path, struct failure *failure)
{
    failure_set(failure, FAILURE_FAILED, "%s: simulated runs are not resumed", path);
    return -1;
}

bool remaining_read(struct remaining *remaining, const char *path,
                    const struct remaining_wanted *wanted, struct failure *failure)
{
    (void)remaining;
    (void)wanted;
    return failure_set(failure, FAILURE_FAILED, "%s: simulated runs are not resumed", path);
}

bool remaining_settle(struct remaining *remaining, const char *path,
                      const struct intact_damage *damage, struct failure *failure)
{
    (void)damage;
    return remaining_read(remaining, path, NULL, failure);
}

bool intact_compare(const struct intact_subject *subject, int64_t first, int64_t count,
                    struct intact_damage *damage, struct failure *failure)
{
    (void)damage;
    return remaining_read(NULL, subject->path, NULL, failure) && first + count > 0;
}

bool intact_damage_add(struct intact_damage *damage, struct task_range range)
{
    (void)range;
    return damage->count > 0;
}

void intact_damage_tell(const struct intact_damage *damage, struct text *text)
{
    (void)damage;
    (void)text;
}

void intact_damage_release(struct intact_damage *damage)
{
    (void)damage;
}

bool intact_picture(const struct intact_subject *subject, int64_t first, int64_t count,
                    double least, double greatest)
{
    (void)subject;
    return (double)(first + count) > least + greatest;
}

struct emitted *emitted_open(const char *base, const char *path, struct failure *failure)
{
    (void)base;
    remaining_read(NULL, path, NULL, failure);
    return NULL;
}

void emitted_close(struct emitted **emitted)
{
    *emitted = NULL;
}

uint64_t task_digest_given_up(int64_t task)
{
    return (uint64_t)task;
}

bool remaining_mend(const struct remaining *remaining, const char *path,
                    const struct part_info *info, struct failure *failure)
{
    (void)info;
    return remaining_read(NULL, path, NULL, failure) && remaining;
}

void remaining_release(struct remaining *remaining)
{
    (void)remaining;
}

bool remaining_sum(const char *path, const struct job *job, const struct output_places *places,
                   int64_t first, int64_t count, struct summary *summary, struct failure *failure)
{
    (void)job;
    (void)places;
    (void)summary;
    return remaining_read(NULL, path, NULL, failure) && first + count > 0;
}

/* Searches in levels are not run here. */
void levels_kept_end(const char *output)
{
    (void)output;
}

bool survivors_read(struct survivors *survivors, const char *path, int64_t tasks,
                    struct failure *failure)
{
    (void)survivors;
    (void)tasks;
    return remaining_read(NULL, path, NULL, failure);
}

void survivors_release(struct survivors *survivors)
{
    (void)survivors;
}
