#include "tests/faults/searches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spmd/layout/layout.h"
#include "spmd/resume/levels_kept.h"
#include "spmd/resume/survivors.h"
#include "spmd/run/levels.h"
#include "tests/faults/checks.h"
#include "tests/faults/disk.h"
#include "tests/faults/task.h"
#include "tests/faults/world.h"

/* The output of a completed level. */
struct kept {
    char *bytes; /* owned by the world, as its room */
    size_t size, room;
    int64_t tasks, before_tasks, times;
    struct run_part last;
};

static struct searches {
    struct kept kept; /* of the last completed level */
    int kept_level;   /* its number; 0: none is completed */
    bool over, failed;
} searches;

void searches_draw(void)
{
    struct dice own = {world.dice.state ^ 0x6c6576656cu};
    const struct kept room = searches.kept;
    searches = (struct searches){.kept = {.bytes = room.bytes, .room = room.room}};
    habits.depth = 2 + (int)dice_below(&own, 4);
    habits.level = 1;
    habits.failing = 0;
    trial.search = true;
    trial.job = task_job_search(trial.tasks, trial.job->values.write_behind);
    trial.job->order = (struct order){.tasks = trial.tasks, .stride = 1};
}

void searches_release(void)
{
    trial.search = false;
    habits.depth = habits.level = 0;
}

bool searches_are_over(void)
{
    return searches.over;
}

bool searches_have_failed(void)
{
    return searches.failed;
}

void searches_run(const struct execution *execution, struct comm *comm, struct liveness *liveness,
                  struct run_outcome *outcome, struct failure *failure)
{
    const struct levels_setup setup = {
        .comm = comm, .liveness = liveness, .assembly_s = 5 * trial.patience_s};
    levels_run(execution, &setup, outcome, failure);
}

/* ---- what is emitted ----------------------------------------------------------------------- */

char *searches_base(void)
{
    char base[64];
    snprintf(base, sizeof base, DISK_EMITTED, habits.level, 0);
    *strrchr(base, '.') = '\0';
    return strdup(base);
}

struct emitted *searches_emitted(void)
{
    struct failure failure = FAILURE_INIT;
    char *base = trial.search ? searches_base() : NULL;
    struct emitted *emitted = base ? emitted_open(base, DISK_PATH, &failure) : NULL;
    free(base);
    return emitted;
}

void searches_made(const struct job *job, const struct output_info *info)
{
    const char *before = info->level_before;
    char expected[64];
    snprintf(expected, sizeof expected, "simulated.level%d.h5", habits.level - 1);
    if (job->setup.level != habits.level || job->setup.tasks != trial.tasks)
        world_wrong("level %" PRId64 " is made with %" PRId64
                    " core tasks, and should be level %d with %" PRId64,
                    job->setup.level, job->setup.tasks, habits.level, trial.tasks);
    if (habits.level == 1 ? before != NULL : !before || strcmp(before, expected) != 0)
        world_wrong("the output of level %d says that %s is before it", habits.level,
                    before ? before : "nothing");
}

/* No other level can follow. */
void searches_sealed(int64_t failed)
{
    if (failed > 0)
        searches.over = searches.failed = true;
}

/* ---- outputs that are done, in place of spmd/resume/levels_kept.c ------------------------------
 */

/* The file of a level becomes the output again. */
static void restore(void)
{
    const struct kept *kept = &searches.kept;
    world_say("level %d is the output again", searches.kept_level);
    habits.level = searches.kept_level;
    searches.kept_level = 0;
    trial_level(kept->tasks);
    trial.before_tasks = kept->before_tasks;
    disk_replace(kept->bytes, kept->size);
    trial.sealed = true;
    trial.times = kept->times;
    trial.last = kept->last;
}

/* The first level is as its task describes it. */
static void level_describe(struct description *level)
{
    uint64_t sum = 0;
    for (int64_t k = 0; k < trial.before_tasks; k++)
        sum += task_hash(habits.level - 1, k);
    *level = (struct description){.tasks = trial.tasks,
                                  .level = habits.level,
                                  .shared = malloc(sizeof sum),
                                  .shared_size = sizeof sum};
    if (!level->shared)
        abort();
    memcpy(level->shared, &sum, sizeof sum);
}

bool levels_kept_find(const char *output, bool resume, struct description *level,
                      struct failure *failure)
{
    (void)output, (void)resume, (void)failure;
    *level = (struct description){.tasks = 0};
    world_sleep(world.weather.write_s, false);
    if (!disk_is_there() && searches.kept_level > 0)
        restore();
    if (disk_is_there() && habits.level > 1)
        level_describe(level);
    return true;
}

/* Now and then power fails at this moment: nothing has been flushed since. */
static void power_fail(void)
{
    static const double often = 0.2;
    if (!world.weather.power || !dice_hit(&world.dice, often))
        return;
    world_say("the power fails behind level %d", habits.level);
    disk_lose_power();
    for (int rank = 0; rank < world.ranks; rank++)
        world_event(0, EVENT_KILL, rank, 0, NULL);
}

static void keep(void)
{
    struct kept *kept = &searches.kept;
    power_fail();
    if (trial.size > kept->room) {
        kept->bytes = world_realloc(kept->bytes, trial.size);
        kept->room = trial.size;
    }
    memcpy(kept->bytes, disk_bytes(), trial.size);
    kept->size = trial.size;
    kept->tasks = trial.tasks;
    kept->before_tasks = trial.before_tasks;
    kept->times = trial.times;
    kept->last = trial.last;
    searches.kept_level = habits.level;
}

bool levels_kept_add(const char *output, int64_t level, struct failure *failure)
{
    world_sleep(world.weather.write_s, false);
    if (dice_hit(&world.dice, world.weather.unwritten))
        return failure_set(failure, FAILURE_FAILED, "%s: cannot be renamed", output);
    if (!trial.sealed || level != habits.level)
        world_wrong("level %" PRId64 " is kept while level %d is%s sealed", level, habits.level,
                    trial.sealed ? "" : " not");
    const int64_t next = task_next(habits.level, trial.tasks), before = trial.tasks;
    world_say("level %" PRId64 " is kept, and %" PRId64 " core tasks follow", level, next);
    if (next == 0)
        world_wrong("another level is to follow the last one");
    keep();
    habits.level++;
    trial_level(next);
    trial.before_tasks = before;
    disk_replace(NULL, trial.size);
    world_sleep(world.weather.write_s, false);
    return true;
}

void levels_kept_end(const char *output)
{
    (void)output;
    world_sleep(world.weather.write_s, false);
    if (!trial.sealed || habits.level != habits.depth)
        world_wrong("the search ends with level %d of %d", habits.level, habits.depth);
    world_say("the search is over");
    searches.over = true;
}

/* ---- what they have left, in place of spmd/resume/survivors.c ----------------------------------
 */

bool survivors_read(struct survivors *survivors, const char *path, int64_t tasks,
                    struct failure *failure)
{
    const struct layout_emitted *rows =
        (const struct layout_emitted *)(const void *)(disk_bytes() + trial.places.emitted);
    struct emitted *emitted = searches_emitted();
    (void)path;
    *survivors = (struct survivors){.at = calloc((size_t)tasks + 1, sizeof *survivors->at)};
    survivors->bytes = malloc((size_t)tasks * sizeof(uint64_t) + 1);
    bool good = emitted && survivors->at && survivors->bytes;
    for (int64_t k = 0; good && k < tasks; k++) {
        const int64_t fit = rows[k].size <= (int64_t)sizeof(uint64_t) ? rows[k].size : 0;
        survivors->at[k + 1] = survivors->at[k] + fit;
        good = fit == 0 || emitted_read(emitted, &rows[k], 0, survivors->bytes + survivors->at[k],
                                        (size_t)fit, failure);
    }
    good = good && emitted_flush(emitted, rows, tasks, failure);
    emitted_close(&emitted);
    if (!good)
        world_wrong("what core tasks have left cannot be read: %s", failure->text);
    survivors->all = (struct scow_survivors){tasks, survivors->at, survivors->bytes};
    return good;
}

void survivors_release(struct survivors *survivors)
{
    free(survivors->at);
    free(survivors->bytes);
    *survivors = (struct survivors){.at = NULL};
}
