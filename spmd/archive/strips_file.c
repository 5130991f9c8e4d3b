#include "spmd/archive/strips_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/base/file_lock.h"
#include "planner/files/strips_json.h"
#include "spmd/archive/archive_file.h"
#include "spmd/layout/contents.h"
#include "spmd/layout/grid_slots.h"
#include "spmd/layout/layout.h"

/* ---- reading ------------------------------------------------------------------------------- */

static bool none_refuse(const char *path, struct failure *failure)
{
    return failure_set(failure, FAILURE_STOPPED,
                       file_lock_held(path)
                           ? "%s: a run writes to it, and has kept no grid yet: look again later"
                           : "%s: no grid is kept yet: run the same again with --resume",
                       path);
}

/* Reads what was measured up to the grid that was kept last. */
static bool measured_parse(hid_t file, const char *path, const struct strips_plan *plan,
                           struct strips_outcome *outcome, struct failure *failure)
{
    struct grid_slots slots;
    if (!grid_slots_read(file, &slots))
        return archive_not_ours(path, "grid", failure);
    const int newest = grid_slots_newest(&slots);
    if (newest < 0)
        return none_refuse(path, failure);
    char *text = grid_slot_measured(file, &slots, newest);
    const bool good = text ? strips_outcome_parse(outcome, text, strlen(text), path, failure)
                           : archive_not_ours(path, "strips", failure);
    free(text);
    return good &&
           (outcome->strip_count == plan->strip_count || archive_not_ours(path, "strips", failure));
}

static bool texts_parse(hid_t file, const char *path, const char *planned, struct strips_plan *plan,
                        struct strips_outcome *outcome, struct failure *failure)
{
    if (!strips_parse(plan, planned, strlen(planned), path, failure))
        return false;
    if (measured_parse(file, path, plan, outcome, failure)) {
        outcome->running = file_lock_held(path);
        return true;
    }
    strips_plan_release(plan);
    strips_outcome_release(outcome);
    return false;
}

/* To be closed; negative: it is not such a file. */
static hid_t file_open(const char *path)
{
    layout_quiet();
    return access(path, R_OK) == 0 ? H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT) : -1;
}

bool strips_file_read(const char *path, struct strips_plan *plan, struct strips_outcome *outcome,
                      struct failure *failure)
{
    *plan = (struct strips_plan){.kernel = NULL};
    *outcome = (struct strips_outcome){.strips = NULL};
    const hid_t file = file_open(path);
    if (file < 0)
        return true;
    char *planned = contents_text(file, LAYOUT_PLAN);
    const bool good = !planned || !strips_is(planned, strlen(planned)) ||
                      texts_parse(file, path, planned, plan, outcome, failure);
    free(planned);
    H5Fclose(file);
    return good;
}

/* ---- checking ------------------------------------------------------------------------------ */

static bool damage_refuse(const char *path, struct grid_slots *slots, int slot,
                          struct failure *failure)
{
    const int64_t damaged = slots->kept[slot].iterations;
    slots->kept[slot].iterations = 0;
    const int before = grid_slots_newest(slots);
    if (before >= 0)
        return failure_set(failure, FAILURE_STOPPED,
                           "%s: its grid after %" PRId64
                           " iterations is not what was written: scow "
                           "run --resume goes on with the one before, after %" PRId64,
                           path, damaged, slots->kept[before].iterations);
    return failure_set(failure, FAILURE_STOPPED,
                       "%s: its grid after %" PRId64 " iterations is not what was written, and "
                       "there is no other: remove it, and run again",
                       path, damaged);
}

/* Is the grid as it was written? */
static bool grid_check(hid_t file, const char *path, const struct strips_plan *plan,
                       struct text *note, struct failure *failure)
{
    static const struct grid_look nobody = {NULL, NULL};
    const int64_t shape[] = {plan->job.rows, plan->job.columns};
    struct grid_slots slots;
    bool memory = false;
    const int newest = grid_slots_read(file, &slots) ? grid_slots_newest(&slots) : -1;
    if (newest < 0)
        return archive_not_ours(path, "grid", failure);
    if (!grid_slot_holds(file, &slots, newest, shape, nobody, &memory))
        return memory ? failure_memory(failure, "comparing the grid")
                      : damage_refuse(path, &slots, newest, failure);
    text_add(note, slots.old ? "digests     not compared: it has none, as older versions did not "
                               "write them\n"
                             : "digests     agree with the grid\n");
    return true;
}

/* Fails unless the run of strips has ended. */
static bool ended_check(const char *path, const struct strips_plan *plan,
                        const struct strips_outcome *outcome, struct failure *failure)
{
    return outcome->complete ||
           failure_set(failure, FAILURE_STOPPED,
                       "%s: %" PRId64 " of %" PRId64
                       " iterations are done: run the same again with --resume",
                       path, outcome->iterations, plan->job.iterations);
}

static bool contents_check(const char *path, bool trust, const struct strips_plan *plan,
                           struct text *note, struct failure *failure)
{
    if (trust) {
        text_add(note, "digests     not compared: as asked (--trust)\n");
        return true;
    }
    const hid_t file = file_open(path);
    const bool good = file >= 0 ? grid_check(file, path, plan, note, failure)
                                : archive_not_ours(path, "grid", failure);
    if (file >= 0)
        H5Fclose(file);
    return good;
}

bool strips_file_check(const char *path, bool trust, struct text *note, struct failure *failure)
{
    struct strips_plan plan;
    struct strips_outcome outcome;
    if (!strips_file_read(path, &plan, &outcome, failure))
        return false;
    const bool good =
        outcome.running
            ? failure_set(failure, FAILURE_MISMATCH,
                          "%s: a run that writes to it is still alive: wait for it", path)
            : contents_check(path, trust, &plan, note, failure) &&
                  ended_check(path, &plan, &outcome, failure);
    strips_plan_release(&plan);
    strips_outcome_release(&outcome);
    return good;
}
