#include "spmd/bench/rate.h"

#include <math.h>
#include <unistd.h>

#include "planner/base/process.h"
#include "planner/model/platform.h"
#include "spmd/launch/making.h"
#include "spmd/master/master.h"
#include "spmd/output/outputfile.h"
#include "spmd/output/store.h"
#include "spmd/output/trace_writer.h"
#include "spmd/protocol/run.h"
#include "spmd/worker/worker.h"

/* Packages of the first batch; how many times larger the next one is at least and at most; and how
 * much longer than asked for it aims to take. */
static const double packages_least = 1000, growth_least = 2, growth_most = 10, aim = 1.2;

/* ---- core tasks that do nothing ------------------------------------------------------------- */

static const struct scow_parameter parameters[] = {
    {.name = "tasks", .kind = SCOW_WHOLE, .help = "core tasks", .greatest = 9007199254740992.0},
    {.name = NULL}};

static int nothing_describe(const struct scow_host *host, const struct scow_value *values,
                            const struct scow_input *input, int64_t *tasks)
{
    (void)host;
    (void)input;
    *tasks = (int64_t)values[0].number;
    return SCOW_OK;
}

static int nothing_compute(const struct scow_host *host, const void *job,
                           const struct scow_batch *batch)
{
    (void)host;
    (void)job;
    (void)batch;
    return SCOW_OK;
}

static const struct scow_task nothing = {
    SCOW_TASK,
    .name = "nothing",
    .version = "1",
    .summary = "do nothing, to count packages",
    .core_task = "nothing",
    .parameters = parameters,
    .input = SCOW_INPUT_NONE,
    .threads = SCOW_THREADS_OWN,
    .describe = nothing_describe,
    .compute = nothing_compute,
};

/* ---- a batch -------------------------------------------------------------------------------- */

/* The ranks that make the job together; where workers join, each makes it alone. */
static struct comm makers_of(const struct rate_setup *setup)
{
    const struct comm alone = {.link = setup->comm->link, .rank = 0, .size = 1};
    return setup->joins ? alone : *setup->comm;
}

/* Collective over `comm`. */
static bool job_make(struct making *making, const struct comm *comm, int64_t packages,
                     struct failure *failure)
{
    struct values values = {0};
    const struct parameter_list none = {0};
    values_read(&values, &nothing, &none, "scow bench", true, failure);
    values_resize(&values, &nothing, (double)packages);
    const bool good = comm_agree(comm, failure) &&
                      making_start(making, comm, &nothing, &values, NULL, NULL, failure);
    values_release(&values);
    return good;
}

/* Collective. */
static struct store *store_make(const struct rate_setup *setup, const struct job *job,
                                struct failure *failure)
{
    const struct comm *comm = setup->comm;
    const struct store_setup opening = {.path = setup->output,
                                        .emitted = setup->output,
                                        .temporary = true,
                                        .collected = setup->joins,
                                        .leads = comm_leads(comm),
                                        .collects_as = STORE_COLLECTOR};
    const struct output_info info = {.plan = "{}",
                                     .emitted = setup->output,
                                     .conditions.isa = "",
                                     .events = 1,
                                     .workers = comm->size - 1};
    struct output_places places = {0};
    const bool created =
        comm_leads(comm) && outputfile_create(setup->output, job, &info, &places, failure);
    struct store *store = NULL;
    if (comm_agree(comm, failure))
        store = store_open_together(&opening, &places, comm, job, failure);
    if (created)
        unlink(setup->output);
    return store;
}

static void lead(const struct rate_setup *setup, struct run *run, struct rate_batch *batch,
                 struct failure *failure)
{
    const struct dispatch_setup rule = {.rule = "ss",
                                        .tasks = batch->packages,
                                        .workers = setup->comm->size - 1,
                                        .ahead = setup->ahead,
                                        .least = 1,
                                        .most = 1};
    const struct membership_setup all = {.comm = setup->comm,
                                         .path = setup->output,
                                         .command = "scow bench",
                                         .workers = setup->comm->size - 1};
    const struct trace_part part = {0, 0};
    struct membership members;
    struct trace_writer tracing;
    struct run_outcome outcome = {.json = NULL};
    struct progress silent;
    struct dispatch *dispatch = dispatch_new_rule(&rule, failure);
    if (dispatch)
        dispatch = dispatch_new_recovery(dispatch, rule.workers);
    if (!dispatch)
        failure_memory(failure, "starting a batch"); /* which master_run tells all ranks */
    progress_init(&silent, NULL, batch->packages, 0);
    trace_writer_begin(&tracing, setup->output, "scow bench", &part);
    membership_init(&members, &all);
    run->members = &members;
    run->tracing = &tracing;
    master_run(run, dispatch, &silent, &outcome, failure);
    trace_writer_end(&tracing);
    trace_writer_remove(setup->output);
    if (outcome.stopped)
        failure_set(failure, FAILURE_STOPPED, "stopped as asked: what was measured is above");
    batch->seconds = outcome.makespan_s;
    batch->master_peak = process_peak();
    batch->worker_peak = outcome.summary.rank_peak;
    membership_release(&members);
    run_outcome_release(&outcome);
    dispatch_free(&dispatch);
}

/* Collective. */
static void packages_do(const struct rate_setup *setup, const struct making *making,
                        struct store *store, struct rate_batch *batch, struct failure *failure)
{
    struct run run = {.comm = setup->comm,
                      .job = &making->job,
                      .input = making->input,
                      .store = store,
                      .collects = setup->joins,
                      .largest_package = 1,
                      .threads = 1,
                      .buffers = setup->ahead > PLATFORM_BUFFERS ? setup->ahead : PLATFORM_BUFFERS};
    struct done_packages done = {0};
    if (comm_leads(setup->comm))
        lead(setup, &run, batch, failure);
    else
        worker_run(&run, &done, failure);
    done_packages_release(&done);
}

bool rate_batch_run(const struct rate_setup *setup, struct rate_batch *batch,
                    struct failure *failure)
{
    const struct comm makers = makers_of(setup);
    struct making making = {.comm = NULL};
    struct store *store = NULL;
    if (job_make(&making, &makers, batch->packages, failure))
        store = store_make(setup, &making.job, failure);
    if (store)
        packages_do(setup, &making, store, batch, failure);
    store_close(&store, failure);
    making_release(&making);
    return comm_agree(setup->comm, failure);
}

/* ---- batch after batch ----------------------------------------------------------------------- */

/* The size of the next batch, by the pace of this one, so that it takes the time that is asked
 * for. */
static int64_t next_of(const struct rate_batch *batch, double least_s)
{
    const double wanted = aim * least_s / fmax(batch->seconds, 1e-6);
    return (int64_t)((double)batch->packages * fmin(fmax(wanted, growth_least), growth_most));
}

bool rate_measure(const struct rate_series *series, struct failure *failure)
{
    struct rate_batch batch = {.packages = (int64_t)packages_least};
    for (;;) {
        if (!series->run(series->self, &batch, failure))
            return false;
        series->told(series->self, &batch);
        if (batch.seconds >= series->least_s)
            return true;
        batch.packages = next_of(&batch, series->least_s);
    }
}
