#include "planner/report/sent.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/limits.h"
#include "planner/model/platform.h"
#include "planner/report/replay.h"
#include "planner/report/trace_blocks.h"

/* ---- what was sent --------------------------------------------------------------------------- */

/* Selects all packages, or only those that a worker has begun. */
struct selection {
    const struct run_record *record;
    bool begun_only;
};

static bool begun_take(void *self, const struct trace *block)
{
    struct trace_blocks *blocks = self;
    for (size_t k = 0; k < block->count; k++)
        if (!trace_blocks_add(blocks, &block->events[k]))
            return false;
    return true;
}

static bool selection_read(const struct selection *selection, const struct trace_taker *taker)
{
    struct failure none = FAILURE_INIT;
    struct trace_blocks blocks;
    const struct trace_taker through = {begun_take, &blocks};
    if (!selection->begun_only)
        return run_trace_read(selection->record, taker, &none);
    trace_blocks_init(&blocks, taker, true);
    const bool good =
        run_trace_read(selection->record, &through, &none) && trace_blocks_end(&blocks);
    trace_blocks_release(&blocks);
    return good;
}

/* What must be known of a trace before it is replayed. */
struct outline {
    struct replay replay; /* can the trace be replayed? It replays nothing */
    struct own_share own; /* what the master computed */
    int64_t *lasts;       /* owned; by worker, the number of its last package; -1: it has none */
    int64_t workers;
};

static void own_note(struct own_share *own, const struct trace_event *event)
{
    own->first = own->left > 0 ? fmin(own->first, (double)event->first) : (double)event->first;
    own->left += (double)event->tasks;
}

static bool outline_take(void *self, const struct trace *block)
{
    struct failure none = FAILURE_INIT;
    struct outline *outline = self;
    for (size_t k = 0; k < block->count; k++) {
        const struct trace_event *event = &block->events[k];
        const int64_t worker = (int64_t)event->rank - 1;
        if (trace_event_own(event))
            own_note(&outline->own, event);
        else if (event->operation == OPERATION_COMPUTE && worker >= 0 &&
                 worker < outline->workers && event->package > outline->lasts[worker])
            outline->lasts[worker] = event->package;
    }
    return replay_take(&outline->replay, block, &none) && outline->replay.complete;
}

static struct replay_setup setup_of(const struct run_record *record, const struct platform *priced)
{
    const int64_t ranks = run_record_ranks(record);
    return (struct replay_setup){.workers = ranks <= LIMIT_WORKERS ? ranks : 0,
                                 .buffers = plan_buffers(&record->plan),
                                 .write_behind = priced->write_behind,
                                 .results = priced->results,
                                 .operating = record->plan.operating,
                                 .losses = record->losses,
                                 .loss_count = record->loss_count,
                                 .price = priced};
}

/* To be released in any case. False: it cannot be replayed. */
static bool outline_make(struct outline *outline, const struct selection *selection,
                         const struct platform *priced)
{
    struct failure none = FAILURE_INIT;
    const struct replay_setup setup = setup_of(selection->record, priced);
    const struct trace_taker taker = {outline_take, outline};
    *outline =
        (struct outline){.own = {.platform = priced, .task_s = selection->record->plan.own.task_s},
                         .lasts = malloc(((size_t)setup.workers + 1) * sizeof(int64_t)),
                         .workers = setup.workers};
    for (int64_t k = 0; outline->lasts && k < setup.workers; k++)
        outline->lasts[k] = -1;
    return outline->lasts && replay_init(&outline->replay, &setup, &none) &&
           selection_read(selection, &taker) && replay_end(&outline->replay, &none) &&
           outline->replay.complete;
}

static void outline_release(struct outline *outline)
{
    replay_release(&outline->replay);
    free(outline->lasts);
}

/* ---- the same again -------------------------------------------------------------------------- */

static bool replayed_take(void *self, const struct trace *block)
{
    struct failure none = FAILURE_INIT;
    struct replay *replay = self;
    return replay_take(replay, block, &none) && replay->complete;
}

static bool selection_replay(const struct selection *selection, const struct platform *priced,
                             struct outline *outline, struct trace *trace)
{
    struct failure none = FAILURE_INIT;
    struct replay replay;
    struct replay_setup setup = setup_of(selection->record, priced);
    const struct trace_taker taker = {replayed_take, &replay};
    setup.trace = trace;
    setup.lasts = outline->lasts;
    setup.own = outline->own.left > 0 ? &outline->own : NULL;
    if (!replay_init(&replay, &setup, &none))
        return false;
    const bool good =
        selection_read(selection, &taker) && replay_end(&replay, &none) && replay.complete;
    replay_release(&replay);
    return good;
}

/* *told: the trace has what is needed. */
static bool selection_predict(const struct selection *selection, const struct platform *priced,
                              struct trace *trace, bool *told)
{
    struct outline outline;
    *told = outline_make(&outline, selection, priced);
    const bool good = *told && selection_replay(selection, priced, &outline, trace);
    outline_release(&outline);
    return good;
}

/* In a part that was resumed, the profile is about the core tasks that were left then, and not
 * about their places in the job. */
static bool is_placed(const struct run_record *record)
{
    return record->star || record->part == 1 || (record->part == 0 && record->resumed == 0);
}

bool sent_predict(const struct run_record *record, const struct profile_setting *setting,
                  struct trace *trace)
{
    struct failure none = FAILURE_INIT;
    struct platform priced;
    bool told = false;
    if (!platform_init(&priced, setting, 0, &none))
        return false;
    if (record->counted)
        platform_leave_master_out(&priced);
    bool good = !is_placed(record) || platform_map(&priced, setting, (double)record->tasks, &none);
    for (int begun = 0; good && !told && begun < 2; begun++)
        good = selection_predict(&(struct selection){record, begun == 1}, &priced, trace, &told) ||
               !told;
    platform_release(&priced);
    return good && told;
}
