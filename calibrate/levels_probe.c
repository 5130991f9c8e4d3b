#include "calibrate/levels_probe.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/pages.h"
#include "spmd/job/engine.h"

/* Core tasks of a level: at least, and at most, where they are cheap. */
enum { SAMPLE_LEAST = 8, SAMPLE_MOST = 20000 };
/* A level's part of the budget that is left: those behind it are to have some, too. */
static const double level_share = 0.3;

/* What core tasks of a level have emitted, as it comes; owned. */
struct gathered {
    struct piece {
        int64_t task;
        size_t offset, size;
    } * pieces;
    char *bytes;
    size_t count, size, room;
};

static void gathered_release(struct gathered *gathered)
{
    free(gathered->pieces);
    free(gathered->bytes);
}

/* Room for one more piece, of so many bytes; false: out of memory. */
static bool gathered_grow(struct gathered *gathered, size_t size)
{
    const size_t wanted = gathered->size + size;
    if (wanted <= gathered->room && gathered->bytes)
        return true;
    char *bytes = realloc(gathered->bytes, 2 * wanted + 1);
    if (!bytes)
        return false;
    gathered->bytes = bytes;
    gathered->room = 2 * wanted + 1;
    return true;
}

/* The one core task's. */
static bool gathered_add(struct gathered *gathered, const struct package_results *results)
{
    const struct emissions *emissions = &results->emissions;
    struct piece *piece = &gathered->pieces[gathered->count++];
    *piece = (struct piece){package_task(results, 0), gathered->size, 0};
    if (!gathered_grow(gathered, emissions->size))
        return false;
    for (size_t k = 0; k < emissions->count; k++) {
        memcpy(gathered->bytes + gathered->size, emissions->bytes + emissions->items[k].offset,
               emissions->items[k].size);
        gathered->size += emissions->items[k].size;
        piece->size += emissions->items[k].size;
    }
    return true;
}

static int by_task(const void *a, const void *b)
{
    const struct piece *one = a, *other = b;
    return (one->task > other->task) - (one->task < other->task);
}

/* By core task, as `next` takes them: those that were not computed have left nothing. To be freed
 * (at and bytes); false: out of memory. */
static bool survivors_make(struct gathered *gathered, int64_t tasks, int64_t **at, char **bytes)
{
    size_t place = 0, piece = 0;
    *at = calloc((size_t)tasks + 1, sizeof **at);
    *bytes = malloc(gathered->size + 1);
    if (!*at || !*bytes)
        return false;
    qsort(gathered->pieces, gathered->count, sizeof *gathered->pieces, by_task);
    for (int64_t task = 0; task < tasks; task++) {
        if (piece < gathered->count && gathered->pieces[piece].task == task) {
            const struct piece *from = &gathered->pieces[piece++];
            if (from->size > 0)
                memcpy(*bytes + place, gathered->bytes + from->offset, from->size);
            place += from->size;
        }
        (*at)[task + 1] = (int64_t)place;
    }
    return true;
}

/* ---- a level's sample ---------------------------------------------------------------------- */

/* Others see that this rank lives. */
static bool look(void *self)
{
    const struct comm *const *comm = self;
    comm_look(*comm);
    return false;
}

/* Of a sample. Its first core task brings memory into place: its time counts where there is no
 * other. */
struct timing {
    int64_t tasks, timed;
    double seconds; /* of those that were timed */
};

struct computing {
    const struct levels_probe *probe;
    const struct job *job;
    struct engine *engine;
    char *package; /* owned */
};

static void timing_add(struct timing *timing, double seconds)
{
    timing->seconds = timing->tasks == 1 ? seconds : timing->seconds + seconds;
    timing->tasks++;
    timing->timed = timing->tasks > 1 ? timing->tasks - 1 : 1;
}

static bool task_compute(const struct computing *computing, int64_t position,
                         struct gathered *gathered, struct timing *timing, struct failure *failure)
{
    const struct comm *comm = computing->probe->comm;
    const struct engine_pulse pulse = {look, &comm};
    size_t size = 0;
    if (!job_pack(computing->job, computing->probe->input, position, 1, computing->package, &size,
                  failure))
        return false;
    const double start_s = clock_now();
    if (!engine_compute(computing->engine, position, 1, computing->package, size, pulse, failure))
        return false;
    timing_add(timing, clock_now() - start_s);
    return gathered_add(gathered, engine_results(computing->engine)) ||
           failure_memory(failure, "probing levels");
}

static int64_t divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t left = a % b;
        a = b;
        b = left;
    }
    return a;
}

/* Positions k * step, modulo all, are spread over the job however many there are. */
static int64_t step_of(int64_t tasks)
{
    static const double golden = 0.6180339887498949;
    int64_t step = (int64_t)((double)tasks * golden);
    while (step > 1 && divisor(step, tasks) > 1)
        step--;
    return step > 1 ? step : 1;
}

static bool sample_compute(const struct computing *computing, double budget_s,
                           struct gathered *gathered, struct timing *timing,
                           struct failure *failure)
{
    const int64_t tasks = computing->job->setup.tasks, step = step_of(tasks);
    const int64_t most = tasks < SAMPLE_MOST ? tasks : SAMPLE_MOST;
    const double end_s = clock_now() + budget_s;
    int64_t position = 0;
    gathered->pieces = calloc((size_t)most + 1, sizeof *gathered->pieces);
    if (!gathered->pieces)
        return failure_memory(failure, "probing levels");
    for (int64_t k = 0; k < most && (k < SAMPLE_LEAST || clock_now() < end_s); k++) {
        if (!task_compute(computing, position, gathered, timing, failure))
            return false;
        position = position >= tasks - step ? position - (tasks - step) : position + step;
    }
    return true;
}

/* With an engine of its own. */
static bool level_compute(const struct levels_probe *probe, const struct job *job, double budget_s,
                          struct gathered *gathered, struct timing *timing, struct failure *failure)
{
    struct computing computing = {.probe = probe, .job = job};
    computing.package = pages_new(job_package_most(job, 1) + JOB_GUARD);
    computing.engine = computing.package ? engine_new(job, 1, probe->threads, 1, failure) : NULL;
    if (!computing.package)
        failure_memory(failure, "probing levels");
    const bool good =
        computing.engine && sample_compute(&computing, budget_s, gathered, timing, failure);
    engine_free(&computing.engine);
    free(computing.package);
    return good;
}

/* ---- one after the other ------------------------------------------------------------------- */

/* What the sample leads to; tasks negative: nobody can say, as where a search that prunes has lost
 * everything with what was not computed. False: out of memory. */
static bool next_find(const struct job *job, struct gathered *gathered, struct description *next)
{
    struct failure none = FAILURE_INIT;
    int64_t *at = NULL;
    char *bytes = NULL;
    const bool good = survivors_make(gathered, job->setup.tasks, &at, &bytes);
    const struct scow_survivors in = {job->setup.tasks, at, bytes};
    *next = (struct description){.tasks = -1};
    if (good && !job_next(job, &in, next, &none))
        next->tasks = -1;
    free(at);
    free(bytes);
    return good;
}

/* One level, and what the next one is made of. */
static bool level_probe(const struct levels_probe *probe, const struct job *job, double budget_s,
                        struct timing *timing, struct description *next, struct failure *failure)
{
    struct gathered gathered = {.count = 0};
    *next = (struct description){.tasks = -1};
    bool good = level_compute(probe, job, budget_s, &gathered, timing, failure);
    if (good && !next_find(job, &gathered, next))
        good = failure_memory(failure, "probing levels");
    gathered_release(&gathered);
    return good;
}

/* Behind those that are there. */
static void level_keep(struct profile_setting *setting, const struct timing *timing,
                       const struct timing *first, const struct description *next)
{
    const double task_s = timing->seconds / (double)timing->timed;
    const double first_s = first->seconds / (double)first->timed;
    setting->levels[setting->level_count++] =
        (struct level_sample){.tasks = timing->tasks,
                              .compute = first_s > 0 ? task_s / first_s : 1,
                              .next = (double)next->tasks / (double)timing->tasks};
}

bool levels_probe(const struct levels_probe *probe, struct profile_setting *setting,
                  struct failure *failure)
{
    struct timing first = {.tasks = 0};
    struct job made = {.task = NULL};
    struct description next = {.tasks = 1};
    double left_s = probe->budget_s;
    bool good = true;
    setting->levels = calloc(LEVELS_MOST, sizeof *setting->levels);
    if (!setting->levels)
        return failure_memory(failure, "probing levels");
    while (good && next.tasks > 0 && setting->level_count < LEVELS_MOST &&
           (setting->level_count == 0 || left_s > 0)) {
        const struct job *job = setting->level_count == 0 ? probe->job : &made;
        const double start_s = clock_now();
        struct timing timing = {.tasks = 0};
        description_release(&next);
        good = level_probe(probe, job, level_share * left_s, &timing, &next, failure);
        if (setting->level_count == 0)
            first = timing;
        if (good && next.tasks >= 0)
            level_keep(setting, &timing, &first, &next);
        job_close(&made);
        if (good && next.tasks > 0)
            good = job_open(&made, probe->job->task, &probe->job->values, &next,
                            probe->job->input_name, failure);
        left_s -= clock_now() - start_s;
    }
    description_release(&next);
    job_close(&made);
    return good;
}
