/* The output file, in place of spmd/output/outputfile.c and spmd/resume/remaining.c: bytes, and
 * what their attributes would say (struct trial). It is checked that ranks write and seal as the
 * real ones do. */
#include <stdlib.h>
#include <string.h>

#include "spmd/layout/layout.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/trace_writer.h"
#include "spmd/resume/remaining.h"
#include "tests/faults/checks.h"
#include "tests/faults/disk.h"
#include "tests/faults/searches.h"
#include "tests/faults/world.h"

/* ---- while a run goes on ------------------------------------------------------------------------
 */

static void part_end(enum part_outcome outcome)
{
    trial.running = false;
    trial.last.outcome = (int32_t)outcome;
}

bool outputfile_seal(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    (void)failure;
    world_say("the run is sealed");
    closed_check();
    world_sleep(world.weather.write_s, false);
    ledger_check();
    totals_check(outcome->summary, outcome->outcome);
    digests_check();
    trace_whole_check(outcome);
    if (!trial.plan) /* a failure that is reported */
        trace_writer_remove(path);
    trial.sealed = true;
    if (trial.search)
        searches_sealed(outcome->summary->failed);
    part_end(PART_COMPLETE);
    return true;
}

bool outputfile_stop(const char *path, const struct output_outcome *outcome,
                     struct failure *failure)
{
    (void)failure;
    world_say("the run has stopped: %s", outcome->ended ? outcome->ended : "");
    world_sleep(world.weather.write_s, false);
    closed_check();
    trace_whole_check(outcome);
    trace_writer_remove(path);
    trial.counts->stopped++;
    part_end(PART_STOPPED);
    return true;
}

void outputfile_halt(const char *path, const char *why)
{
    (void)path;
    world_say("the run is %s", why);
    closed_check();
    world_sleep(world.weather.write_s, false);
    part_end(PART_HALTED);
}

void outputfile_distrust(const char *path)
{
    (void)path;
    world_wrong("the output is not trusted");
}

/* The part that runs now. */
static void part_begin(int64_t times, const struct run_part *part)
{
    trial.times = times;
    trial.part = (struct trace_part){times, part->began_s};
    trial.last = *part;
    trial.running = true;
    trial.unmended = false;
}

/* As the real file, it exists only when it has all that it needs. */
bool outputfile_create(const char *path, const struct job *job, const struct output_info *info,
                       struct output_places *places, struct failure *failure)
{
    world_sleep(world.weather.write_s, false);
    if (dice_hit(&world.dice, world.weather.unwritten))
        return failure_set(failure, FAILURE_FAILED, "%s: cannot be made", path);
    world_say("the output is made");
    if (trial.search)
        searches_made(job, info);
    disk_make();
    *places = trial.places;
    part_begin(0, &info->part);
    return true;
}

bool outputfile_reopen(const char *path, const struct job *job, int32_t times,
                       const struct run_part *last, const struct run_part *next,
                       const struct part_info *info)
{
    (void)path, (void)job, (void)last, (void)info;
    world_sleep(world.weather.write_s, false);
    if (dice_hit(&world.dice, world.weather.unwritten))
        return false;
    world_say("the output is gone on with for the %d. time", (int)times);
    part_begin(times, next);
    return true;
}

/* ---- what is left
 * --------------------------------------------------------------------------------
 */

static void *copied(const void *from, size_t size)
{
    void *copy = malloc(size + 1);
    return copy ? memcpy(copy, from, size) : NULL;
}

/* With several masters there are gaps. */
static int64_t rows_take(struct losses_row *rows)
{
    const struct losses_row *all =
        (const struct losses_row *)(const void *)(disk_bytes() + trial.places.lost);
    int64_t count = 0;
    for (int k = 0; k < LOSSES_MOST; k++)
        if (all[k].count > 0)
            rows[count++] = all[k];
    return count;
}

void output_remaining(struct remaining *remaining, const struct job *job)
{
    const char *bytes = disk_bytes();
    *remaining = (struct remaining){.job = job, .places = trial.places, .slots = SLOTS};
    if (job->state_size > 0) {
        remaining->partial_size = 2 * (size_t)SLOTS * layout_slot_size(job->state_size);
        remaining->partial = copied(bytes + trial.places.partial, remaining->partial_size);
    }
    remaining->ledger = copied(bytes + trial.places.ledger, (size_t)trial.tasks);
    remaining->lost = calloc(LOSSES_MOST + RANKS_MOST, sizeof *remaining->lost);
    if (!remaining->ledger || !remaining->lost)
        abort();
    for (int64_t k = 0; k < trial.tasks; k++)
        remaining->ledger[k] = ledger()[task_at(k)];
    struct losses_known known = {
        .rows = remaining->lost,
        .count = rows_take(remaining->lost),
        .in_flight =
            (const struct losses_in_flight *)(const void *)(bytes + trial.places.in_flight),
        .in_flight_count = trial.running ? RANKS_MOST : 0,
        .ledger = remaining->ledger,
        .tasks = trial.tasks};
    losses_resolve(&known);
    remaining->lost_count = known.count;
}

bool remaining_read(struct remaining *remaining, const char *path,
                    const struct remaining_wanted *wanted, struct failure *failure)
{
    (void)path, (void)failure;
    output_remaining(remaining, wanted->job);
    remaining->resumed = (int32_t)trial.times;
    remaining->last = trial.last;
    remaining->complete = remaining->outcome_holds = trial.sealed;
    remaining->emitted = trial.search ? searches_base() : NULL;
    return true;
}
