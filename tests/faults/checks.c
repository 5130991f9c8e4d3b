#include "tests/faults/checks.h"

#include <inttypes.h>
#include <string.h>

#include "spmd/layout/layout.h"
#include "spmd/layout/task_digest.h"
#include "spmd/output/losses.h"
#include "tests/faults/disk.h"
#include "tests/faults/searches.h"
#include "tests/faults/several.h"
#include "tests/faults/task.h"
#include "tests/faults/world.h"

uint8_t *ledger(void)
{
    return (uint8_t *)disk_bytes() + trial.places.ledger;
}

int64_t task_at(int64_t position)
{
    return order_task(&trial.job->order, position);
}

/* A core task that is given up is in the table. A worker that only seemed lost on it, and is late,
 * may still write its result, which does not count: the digest tells. */
static bool is_given_up(int64_t task)
{
    const uint64_t *digests = (const uint64_t *)(const void *)(disk_bytes() + trial.places.digests);
    const struct losses_row *row =
        (const struct losses_row *)(const void *)(disk_bytes() + trial.places.lost);
    /* With several masters the table has a row for each in turn. */
    for (int k = 0, empty = 0; k < LOSSES_MOST && empty < RANKS_MOST; k++) {
        empty = row[k].count > 0 ? 0 : empty + 1;
        if (empty == 0 && row[k].given_up && task_at(row[k].first) == task)
            return true;
    }
    /* The table is less safe than the ledger: a row that could not be written is missing. */
    return ledger()[task] == 2 && digests[task] == task_digest_given_up(task);
}

void closed_check(void)
{
    for (int rank = 0; rank < world.ranks; rank++)
        if (world_lives(rank) && !world.rank[rank].told_lost && disk_is_open(rank))
            world_wrong("the run is ended while rank %d has the output open", rank);
}

void ledger_check(void)
{
    const char *records = disk_bytes() + trial.places.records;
    for (int64_t task = 0; task < trial.tasks; task++) {
        struct record expected;
        task_record(task, &expected);
        if (ledger()[task] == 1 &&
            memcmp(records + task * (int64_t)sizeof expected, &expected, sizeof expected) != 0)
            world_wrong("the ledger calls core task %" PRId64 " done, and its result is not there",
                        task);
        if (ledger()[task] == 1 && task_fails(task))
            world_wrong("the ledger calls core task %" PRId64 " done, which fails", task);
    }
}

/* What core tasks that are done come to. */
struct totals {
    struct census_sum sum;
    struct summary summary;
};

static void totals_add(struct totals *totals, int64_t task)
{
    struct failure failure = FAILURE_INIT;
    struct record record;
    unsigned char mark = 1;
    task_record(task, &record);
    const struct package_results results = {
        .first = task, .count = 1, .records = (char *)&record, .ledger = &mark};
    task_sum_add(&totals->sum, task);
    summary_add(&totals->summary, trial.job, &results, &failure);
}

static void totals_merge(struct totals *totals, const struct totals *more)
{
    task_sum_merge(&totals->sum, &more->sum);
    summary_merge(&totals->summary, &more->summary);
}

static void totals_compare(const struct totals *totals, const struct summary *summary,
                           const char *outcome)
{
    uint64_t checksum = totals->summary.checksum;
    if (trial.job->state_size > 0) {
        struct summary expected = totals->summary;
        char text[256];
        task_sum_print(&totals->sum, text, sizeof text);
        summary_add_outcome(&expected, text);
        checksum = expected.checksum;
        if (strcmp(text, outcome ? outcome : "") != 0)
            world_wrong("the reduction comes to %s, not %s", outcome ? outcome : "nothing", text);
    }
    if (summary->checksum != checksum)
        world_wrong("the checksum is %016" PRIx64 ", not %016" PRIx64, summary->checksum, checksum);
}

/* What a group gave up that was lost itself, another one may have done: doubtful is what is given
 * up by the table, and done by the ledger. */
void totals_check(const struct summary *summary, const char *outcome)
{
    struct totals done = {.sum = {0}}, doubtful = {.sum = {0}};
    int64_t failed = 0, doubted = 0;
    summary_init(&done.summary);
    summary_init(&doubtful.summary);
    for (int64_t task = 0; task < trial.tasks; task++) {
        const int mark = ledger()[task];
        const bool given_up = is_given_up(task);
        if (mark != 1 && mark != 2 && !given_up)
            world_wrong("core task %" PRId64 " is not done, and the run is sealed", task);
        if (mark == 2 && !task_fails(task) && !given_up)
            world_wrong("core task %" PRId64 " has failed for no reason", task);
        if (mark == 1 && !given_up)
            totals_add(&done, task);
        else
            failed++;
        trial.counts->revived += given_up && mark != 2;
        if (given_up && mark == 1 && several_disowns()) {
            totals_add(&doubtful, task);
            doubted++;
        }
    }
    if (summary->tasks != trial.tasks || summary->failed > failed ||
        summary->failed < failed - doubted)
        world_wrong("%" PRId64 " core tasks are counted, %" PRId64
                    " of them failed; it should be %" PRId64 " and %" PRId64,
                    summary->tasks, summary->failed, trial.tasks, failed);
    if (summary->failed != failed && summary->failed != failed - doubted)
        return; /* some were done by others, and which ones is not known */
    if (summary->failed != failed)
        totals_merge(&done, &doubtful);
    totals_compare(&done, summary, outcome);
}

struct intact_subject subject_of(void)
{
    return (struct intact_subject){.path = DISK_PATH,
                                   .places = trial.places,
                                   .record_size = trial.job->record_size,
                                   .number_type = SCOW_NONE,
                                   .emitted = searches_emitted(),
                                   .contents = true};
}

void digests_check(void)
{
    struct intact_subject subject = subject_of();
    struct intact_damage damage = {0};
    struct failure failure = FAILURE_INIT;
    if (!intact_compare(&subject, 0, trial.tasks, &damage, &failure))
        world_wrong("%s", failure.text);
    emitted_close(&subject.emitted);
    for (int64_t k = 0; k < damage.count; k++)
        for (int64_t task = damage.ranges[k].first, end = task + damage.ranges[k].count; task < end;
             task++)
            if (!is_given_up(task))
                world_wrong("core task %" PRId64 " does not hold what its digest says", task);
    intact_damage_release(&damage);
}

static void event_check(const struct trace_event *event, bool safe)
{
    const bool can_be = event->operation >= 0 && event->operation < OPERATION_COUNT &&
                        event->rank >= 0 && event->rank < RANKS_MOST && event->tasks > 0 &&
                        event->first >= 0 && event->first <= trial.tasks - event->tasks &&
                        event->start_s <= event->end_s;
    if (!can_be)
        world_wrong("the trace has an event that cannot be: operation %d of rank %d, %" PRId64
                    " core tasks from %" PRId64 ", from %g s to %g s",
                    event->operation, event->rank, event->tasks, event->first, event->start_s,
                    event->end_s);
    for (int64_t at = event->first; can_be && safe && at < event->first + event->tasks; at++)
        if (event->operation == OPERATION_COMPUTE && ledger()[task_at(at)] == 0)
            world_wrong("by the trace rank %d has computed core task %" PRId64
                        ", and the ledger does not know of it",
                        event->rank, task_at(at));
}

struct trace_seen trace_check(bool safe)
{
    struct failure failure = FAILURE_INIT;
    struct trace_reader reader;
    struct trace_event event;
    struct trace_seen seen = {.there =
                                  trace_reader_open(&reader, DISK_PATH, &trial.part, &failure)};
    if (!seen.there)
        return seen;
    while (trace_reader_next(&reader, &event, 1) > 0) {
        const bool computed =
            event.operation == OPERATION_COMPUTE && event.rank > 0 && !several_heads(event.rank);
        event_check(&event, safe && !several_disowns());
        seen.packages += computed;
        seen.tasks += computed ? event.tasks : 0;
    }
    seen.torn = reader.torn;
    trace_reader_close(&reader);
    return seen;
}

void trace_whole_check(const struct output_outcome *outcome)
{
    const struct trace_seen seen = trace_check(true);
    if (outcome->trace_cut && !(world.weather.unwritten > 0))
        world_wrong("the trace is cut, though nothing hinders its writing");
    /* A lost master has told of less than it wrote; what a group had is done again. */
    if (outcome->trace_cut || several_lost() || several_disowns())
        return;
    if (!seen.there || seen.torn || seen.packages != outcome->part->packages ||
        seen.tasks > outcome->part->tasks)
        world_wrong("the trace has %" PRId64 " packages of %" PRId64 " core tasks%s, not %" PRId64
                    " of %" PRId64,
                    seen.packages, seen.tasks, seen.torn ? ", and is torn" : "",
                    outcome->part->packages, outcome->part->tasks);
}
