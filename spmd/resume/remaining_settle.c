/* Finds what is left of a run, once its output has been read: only from its ledger, its states and
 * its losses. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "planner/base/array.h"
#include "spmd/layout/layout.h"
#include "spmd/resume/remaining.h"

/* ---- states of a reduction ----------------------------------------------------------------- */

static struct layout_partial *slot_at(const struct remaining *remaining, int worker, int which,
                                      size_t slot_size)
{
    char *slot = remaining->partial + (size_t)(2 * worker + which) * slot_size;
    return (struct layout_partial *)(void *)slot;
}

static bool slot_is_whole(const struct layout_partial *slot, const struct job *job)
{
    return slot->sequence > 0 && slot->first >= 0 && slot->count > 0 &&
           slot->first <= job->setup.tasks - slot->count &&
           slot->digest == layout_slot_digest(slot, slot + 1, job->state_size);
}

static bool package_is_done(const struct remaining *remaining, const struct layout_partial *slot)
{
    for (int64_t k = 0; k < slot->count; k++)
        if (remaining->ledger[slot->first + k] == 0)
            return false;
    return true;
}

/* Keeps at most one slot of the worker: that of the valid state. NULL: it has none. */
static const struct layout_partial *slot_choose(struct remaining *remaining, const struct job *job,
                                                int worker)
{
    const size_t slot_size = layout_slot_size(job->state_size);
    struct layout_partial *chosen = NULL;
    for (int which = 0; which < 2; which++) {
        struct layout_partial *slot = slot_at(remaining, worker, which, slot_size);
        struct layout_partial *other = slot_at(remaining, worker, 1 - which, slot_size);
        const bool newest = !slot_is_whole(other, job) || slot->sequence > other->sequence;
        if (!slot_is_whole(slot, job) || !newest)
            continue;
        chosen = slot;
        if (package_is_done(remaining, slot))
            break;
        memset(remaining->ledger + slot->first, 0, (size_t)slot->count);
        chosen = slot_is_whole(other, job) ? other : NULL;
        break;
    }
    for (int which = 0; which < 2; which++)
        if (slot_at(remaining, worker, which, slot_size) != chosen)
            memset(slot_at(remaining, worker, which, slot_size), 0, slot_size);
    return chosen;
}

static int64_t ledger_count(const struct remaining *remaining, int64_t tasks, int mark)
{
    int64_t count = 0;
    for (int64_t k = 0; k < tasks; k++)
        count += remaining->ledger[k] == mark;
    return count;
}

/* A number of core tasks, and a sum by which sets of them are compared. */
struct task_sum {
    int64_t tasks;
    uint64_t members;
};

/* Those that must be in some worker's state by the ledger: all that are done, except those given
 * up. */
static struct task_sum expected_find(const struct remaining *remaining, int64_t tasks)
{
    struct task_sum expected = {0, 0};
    for (int64_t task = 0; task < tasks; task++)
        if (remaining->ledger[task] != 0) {
            expected.tasks++;
            expected.members += layout_members(task, 1);
        }
    for (int64_t k = 0; k < remaining->lost_count; k++)
        if (remaining->lost[k].given_up && remaining->ledger[remaining->lost[k].first] == 2) {
            expected.tasks--;
            expected.members -= layout_members(remaining->lost[k].first, 1);
        }
    return expected;
}

static bool states_merge(struct remaining *remaining, const struct job *job,
                         struct failure *failure)
{
    const int64_t tasks = job->setup.tasks;
    struct task_sum within = {0, 0};
    if (job->state_size == 0)
        return true;
    remaining->state = calloc(1, job->state_size);
    if (!remaining->state)
        return failure_memory(failure, "reading a run's output");
    job->task->reset(job->opened, remaining->state);
    for (int worker = 0; worker < remaining->slots; worker++) {
        const struct layout_partial *slot = slot_choose(remaining, job, worker);
        if (slot)
            job->task->merge(job->opened, remaining->state, slot + 1);
        within.tasks += slot ? slot->tasks : 0;
        within.members += slot ? slot->members : 0;
    }
    const struct task_sum expected = expected_find(remaining, tasks);
    if (within.tasks == expected.tasks && within.members == expected.members)
        return true;
    job->task->reset(job->opened, remaining->state);
    memset(remaining->ledger, 0, (size_t)tasks);
    memset(remaining->partial, 0, remaining->partial_size);
    return true;
}

/* ---- what is left -------------------------------------------------------------------------- */

static bool range_extend(struct remaining *remaining, size_t *capacity, int64_t task)
{
    struct task_range *last =
        remaining->range_count > 0 ? &remaining->ranges[remaining->range_count - 1] : NULL;
    if (last && last->first + last->count == task) {
        last->count++;
        return true;
    }
    struct task_range *ranges = array_reserve(remaining->ranges, capacity,
                                              (size_t)remaining->range_count + 1, sizeof *ranges);
    if (!ranges)
        return false;
    remaining->ranges = ranges;
    ranges[remaining->range_count++] = (struct task_range){task, 1};
    return true;
}

/* Failed core tasks are done again where that is possible; those given up are not, unless they are
 * done. */
static void ledger_settle(struct remaining *remaining, const struct job *job)
{
    const int64_t tasks = job->setup.tasks;
    for (int64_t k = 0; k < tasks; k++)
        if (remaining->ledger[k] > 2 || (remaining->ledger[k] == 2 && job->state_size == 0))
            remaining->ledger[k] = 0;
    for (int64_t k = 0; k < remaining->lost_count; k++) {
        struct losses_row *row = &remaining->lost[k];
        if (row->given_up && remaining->ledger[row->first] == 1)
            row->given_up = 0; /* a worker that seemed lost on it has done it after all */
        else if (row->given_up)
            remaining->ledger[row->first] = 2;
    }
}

static bool suspect_add(struct remaining *remaining, size_t *capacity, int64_t task, int losses)
{
    struct suspect *suspects = array_reserve(
        remaining->suspects, capacity, (size_t)remaining->suspect_count + 1, sizeof *suspects);
    if (!suspects)
        return false;
    remaining->suspects = suspects;
    suspects[remaining->suspect_count++] = (struct suspect){{task, 1}, losses};
    return true;
}

/* Takes what is left of one row, in as many ranges as it consists of. */
static bool row_take(struct remaining *remaining, size_t *capacity, const struct losses_row *row,
                     uint8_t *taken)
{
    bool goes_on = false;
    for (int64_t task = row->first; task < row->first + row->count; task++) {
        const bool suspect = remaining->ledger[task] == 0 && !taken[task];
        if (suspect && goes_on)
            remaining->suspects[remaining->suspect_count - 1].range.count++;
        else if (suspect && !suspect_add(remaining, capacity, task, row->losses))
            return false;
        goes_on = suspect;
        taken[task] = taken[task] || suspect;
        remaining->suspect_tasks += suspect;
    }
    return true;
}

/* The last row with a core task counts: it has the fewest other core tasks, and the most losses. */
static bool suspects_make(struct remaining *remaining, uint8_t *taken)
{
    size_t capacity = 0;
    bool good = true;
    for (int64_t k = remaining->lost_count - 1; good && k >= 0; k--)
        good = row_take(remaining, &capacity, &remaining->lost[k], taken);
    return good;
}

static bool ranges_make(struct remaining *remaining, const struct job *job, struct failure *failure)
{
    const int64_t tasks = job->setup.tasks;
    size_t capacity = 0;
    uint8_t *taken = remaining->lost_count > 0 ? calloc((size_t)tasks, 1) : NULL;
    ledger_settle(remaining, job);
    bool good = (taken || remaining->lost_count == 0) && suspects_make(remaining, taken);
    for (int64_t k = 0; good && k < tasks; k++)
        if (remaining->ledger[k] == 0 && !(taken && taken[k]))
            good = range_extend(remaining, &capacity, k);
    free(taken);
    remaining->done = ledger_count(remaining, tasks, 1);
    remaining->failed = ledger_count(remaining, tasks, 2);
    remaining->left = tasks - remaining->done - remaining->failed;
    return good || failure_memory(failure, "finding out what is left of a run");
}

/* ---- whole --------------------------------------------------------------------------------- */

bool remaining_killed(const struct remaining *remaining)
{
    return remaining->last.outcome == PART_RUNNING && remaining->last.began_s > 0;
}

/* Finds what the last part has done, if it did not say how it ended, or said only that. */
static void last_settle(struct remaining *remaining, const char *path)
{
    struct run_part *last = &remaining->last;
    struct stat status;
    const bool killed = remaining_killed(remaining);
    if (!killed && last->outcome != PART_HALTED)
        return;
    last->tasks = remaining->done + remaining->failed - last->before;
    if (last->tasks < 0)
        last->tasks = 0;
    if (!killed)
        return;
    last->outcome = PART_KILLED;
    if (stat(path, &status) == 0)
        last->ended_s = (double)status.st_mtim.tv_sec + 1e-9 * (double)status.st_mtim.tv_nsec;
}

/* Marks core tasks, by number, whose results are not what was written. */
static void damage_mark(struct remaining *remaining, const struct task_range *range)
{
    for (int64_t task = range->first; task < range->first + range->count; task++)
        remaining->ledger[order_position(&remaining->job->order, task)] = 0;
}

bool remaining_settle(struct remaining *remaining, const char *path,
                      const struct intact_damage *damage, struct failure *failure)
{
    for (int64_t k = 0; k < damage->count; k++)
        damage_mark(remaining, &damage->ranges[k]);
    if (!states_merge(remaining, remaining->job, failure) ||
        !ranges_make(remaining, remaining->job, failure))
        return false;
    last_settle(remaining, path);
    remaining->complete = remaining->complete && remaining->outcome_holds;
    return true;
}

void remaining_release(struct remaining *remaining)
{
    free(remaining->ranges);
    free(remaining->suspects);
    free(remaining->lost);
    free(remaining->state);
    free(remaining->emitted);
    free(remaining->profile);
    free(remaining->input_sha256);
    free(remaining->ledger);
    free(remaining->partial);
    *remaining = (struct remaining){.complete = false};
}
