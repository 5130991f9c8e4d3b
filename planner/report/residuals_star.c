#include "planner/report/residuals_star.h"

#include <math.h>

#include "planner/base/limits.h"
#include "planner/model/requests.h"
#include "planner/report/prediction.h"

/* ---- figures ------------------------------------------------------------------------------- */

/* Sums over a trace, block by block: its summary, what workers waited for and, where packages were
 * assigned on request, what requests took. */

struct figures {
    struct trace_summing summing;
    struct cause_division *division; /* owned */
    struct request_finding requests;
    double request_s; /* sum over packages, as requests.h says */
    int64_t request_count;
    struct failure *failure;
    /* Of a trace that is simulated: it passes its blocks to these figures. */
    struct trace_taker taker;
    struct trace made; /* owned */
};

/* The plan whose rounds the run had; NULL: it assigned on request. */
static const struct plan *periods_plan(const struct run_record *record)
{
    return record->rule ? NULL : &record->plan;
}

static bool requests_take(struct figures *figures, const struct trace *block)
{
    struct requests requests = {NULL, 0, 0};
    if (figures->requests.ahead < 1)
        return true;
    const bool good = request_finding_take(&figures->requests, block, &requests);
    for (size_t k = 0; k < requests.count; k++)
        figures->request_s += requests.items[k].seconds;
    figures->request_count += (int64_t)requests.count;
    requests_release(&requests);
    return good || failure_memory(figures->failure, "reading a trace");
}

/* `self` are the figures; takes the next block. */
static bool figures_take(void *self, const struct trace *block)
{
    struct figures *figures = self;
    return trace_summing_take(&figures->summing, block, figures->failure) &&
           cause_division_take(figures->division, block, figures->failure) &&
           requests_take(figures, block);
}

/* Figures of the run's trace or of its plan's; to be released, and not to be moved in memory.
 * False: out of memory. */
static bool figures_init(struct figures *figures, const struct run_record *record,
                         struct failure *failure)
{
    *figures = (struct figures){.failure = failure};
    trace_summing_init(&figures->summing, periods_plan(record));
    if (record->spread) /* the run did not have its rounds */
        figures->summing.periods.repeats = false;
    request_finding_init(&figures->requests, record->rule && !record->counted ? record->ahead : 0);
    figures->taker = (struct trace_taker){figures_take, figures};
    figures->made.on = &figures->taker;
    figures->division = cause_division_new(&record->plan, NULL, failure);
    if (figures->division && record->counted) {
        figures->summing.start_s = 0;
        cause_division_counted(figures->division);
    }
    return figures->division != NULL;
}

/* Both are to be released. */
static bool figures_end(struct figures *figures, struct trace_summary *summary,
                        struct causes *causes, struct failure *failure)
{
    if (!cause_division_end(figures->division, causes, failure))
        return false;
    trace_summing_end(&figures->summing, summary);
    return true;
}

static void figures_release(struct figures *figures)
{
    trace_summing_release(&figures->summing);
    cause_division_free(&figures->division);
    request_finding_release(&figures->requests);
    trace_release(&figures->made);
}

/* ---- as planned ---------------------------------------------------------------------------- */

static bool predicted_make(struct residuals *residuals, struct failure *failure)
{
    const struct run_record *record = residuals->record;
    struct figures figures;
    bool good = figures_init(&figures, record, failure) &&
                prediction_make(record, &figures.made,
                                record->loss_count > 0 ? NULL : residuals->interval_s, failure);
    if (good)
        residuals->undisturbed_s = prediction_undisturbed(record);
    good =
        good && figures_end(&figures, &residuals->predicted, &residuals->causes.predicted, failure);
    residuals->requests.predicted_s = figures.request_s;
    figures_release(&figures);
    return good;
}

/* ---- as it was, and replayed --------------------------------------------------------------- */

/* The run as it was, and as it is replayed with the time that each package took. */
struct measuring {
    struct figures measured, replayed;
    struct replay replay;
    struct network_finding network;
    struct failure *failure;
};

static bool measured_take(void *self, const struct trace *block)
{
    struct measuring *measuring = self;
    return figures_take(&measuring->measured, block) &&
           replay_take(&measuring->replay, block, measuring->failure);
}

/* The first block already shows it: returns false to stop reading. */
static bool returned_take(void *self, const struct trace *block)
{
    bool *returned = self;
    for (size_t k = 0; !*returned && k < block->count; k++)
        *returned = block->events[k].operation == OPERATION_RESULT;
    return false;
}

/* Results may have returned in the run even where the plan was for workers that write. */
static enum results results_of(const struct run_record *record)
{
    const enum results results = plan_returns(&record->plan);
    struct failure none = FAILURE_INIT;
    bool returned = false;
    const struct trace_taker taker = {returned_take, &returned};
    if (results_return(results))
        return results;
    run_trace_read(record, &taker, &none);
    return returned ? RESULTS_PACKAGE : RESULTS_NONE;
}

static bool measuring_init(struct measuring *measuring, const struct run_record *record,
                           const struct replay_alone *alone, int64_t alone_count,
                           struct failure *failure)
{
    const int64_t ranks = run_record_ranks(record);
    const struct replay_setup setup = {.workers = ranks <= LIMIT_WORKERS ? ranks : 0,
                                       .buffers = plan_buffers(&record->plan),
                                       .write_behind = plan_writes_behind(&record->plan),
                                       .results = results_of(record),
                                       .operating = record->plan.operating,
                                       .losses = record->losses,
                                       .loss_count = record->loss_count,
                                       .alone = alone,
                                       .alone_count = alone_count,
                                       .package = network_finding_take,
                                       .self = &measuring->network,
                                       .trace = &measuring->replayed.made};
    measuring->failure = failure;
    measuring->replay = (struct replay){.complete = false};
    const bool measured =
        network_finding_init(&measuring->network, record, setup.workers, failure) &&
        figures_init(&measuring->measured, record, failure);
    return figures_init(&measuring->replayed, record, failure) && measured &&
           replay_init(&measuring->replay, &setup, failure);
}

static void measuring_release(struct measuring *measuring)
{
    figures_release(&measuring->measured);
    figures_release(&measuring->replayed);
    replay_release(&measuring->replay);
    network_finding_release(&measuring->network);
}

static bool measuring_end(struct measuring *measuring, struct residuals *residuals)
{
    struct figures *measured = &measuring->measured, *replayed = &measuring->replayed;
    if (!figures_end(measured, &residuals->measured, &residuals->causes.measured,
                     measuring->failure) ||
        !replay_end(&measuring->replay, measuring->failure) ||
        !network_finding_end(&measuring->network, &residuals->network, measuring->failure))
        return false;
    residuals->requests.measured_s = measured->request_s;
    residuals->requests.count = measured->request_count;
    residuals->has_replayed = measuring->replay.complete && trace_finish(&replayed->made) &&
                              figures_end(replayed, &residuals->replayed,
                                          &residuals->causes.replayed, measuring->failure);
    return residuals->has_replayed || !measuring->replay.complete;
}

static bool measured_make(struct residuals *residuals, const struct replay_alone *alone,
                          int64_t alone_count, struct failure *failure)
{
    struct measuring measuring;
    const struct trace_taker taker = {measured_take, &measuring};
    const bool good = measuring_init(&measuring, residuals->record, alone, alone_count, failure) &&
                      run_trace_read(residuals->record, &taker, failure) &&
                      measuring_end(&measuring, residuals);
    measuring_release(&measuring);
    return good;
}

/* ---- both ---------------------------------------------------------------------------------- */

bool residuals_star_make(const struct run_record *record, const struct replay_alone *alone,
                         int64_t alone_count, struct residuals *residuals, struct failure *failure)
{
    struct residuals made = {.record = record, .undisturbed_s = (double)NAN};
    struct failure none = FAILURE_INIT;
    const enum prediction_wanted wanted = prediction_wanted(record);
    bool good = measured_make(&made, alone, alone_count, failure);
    if (good && wanted != PREDICTION_NONE)
        made.has_predicted = predicted_make(&made, wanted == PREDICTION_NEEDED ? failure : &none);
    good = good && (made.has_predicted || wanted != PREDICTION_NEEDED);
    if (!good) {
        residuals_release(&made);
        return false;
    }
    residuals_take_interval(record, &made);
    *residuals = made;
    return true;
}
