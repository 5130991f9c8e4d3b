#include "spmd/worker/context.h"

#include <math.h>
#include <stdlib.h>

#include "spmd/transport/wire.h"

enum { ALIGNMENT = 64 };
/* Seconds between two looks at what arrives, while results are being written. */
static const double await_most_s = 5e-4;

static bool package_make(struct worker_context *context, struct failure *failure)
{
    const struct run *run = context->run;
    if (!run->job->values.staged)
        return true;
    const size_t size = job_package_most(run->job, run->largest_package) + JOB_GUARD;
    context->package = aligned_alloc(ALIGNMENT, (size / ALIGNMENT + 1) * ALIGNMENT);
    return context->package || failure_memory(failure, "making room for a package");
}

/* A new engine, or the one that was kept if it is large enough. NULL: *failure is set. */
static struct engine *engine_find(struct worker_context *context, const struct run *run,
                                  struct failure *failure)
{
    struct engine *engine = run->kept ? *run->kept : NULL;
    if (!engine) {
        context->begun_s = comm_now(run->comm);
        return engine_new(run->job, run->largest_package, run->threads, run->comm->rank, failure);
    }
    *run->kept = NULL;
    if (!engine_grow(engine, run->largest_package, failure))
        engine_free(&engine);
    return engine;
}

bool worker_context_init(struct worker_context *context, const struct run *run,
                         struct failure *failure)
{
    *context = (struct worker_context){.run = run};
    if (failure->code != FAILURE_NONE)
        return false;
    context->engine = engine_find(context, run, failure);
    if (!context->engine || !package_make(context, failure) ||
        (run->job->values.write_behind &&
         !store_reserve(run->store, run->largest_package, failure)))
        return false;
    context->inbox = inbox_new(run->comm, run->buffers,
                               job_message_most(run->job, run->largest_package), failure);
    if (context->inbox && run->collects)
        context->returns =
            returns_new(run->comm, run->job, run->buffers, run->largest_package, failure);
    if (!context->inbox || (run->collects && !context->returns))
        return false;
    link_receive(run->comm->link, NULL, 0, 0, WIRE_CANCEL, &context->cancelling);
    return true;
}

void worker_context_release(struct worker_context *context)
{
    link_cancel(&context->cancelling);
    inbox_free(&context->inbox);
    returns_free(&context->returns);
    if (context->run->kept && context->engine)
        *context->run->kept = context->engine;
    else
        engine_free(&context->engine);
    context->engine = NULL;
    free(context->package);
    context->package = NULL;
    processor_counter_close(&context->counter);
}

void worker_context_start(struct worker_context *context)
{
    const struct run *run = context->run;
    const double start_s =
        run->emulation ? emulation_cost(run->emulation, OPERATION_START, context->member - 1, 1)
                       : 0;
    context->prepared_s = start_s > 0 ? comm_now(run->comm) + start_s : 0;
}

double worker_context_prepared(const struct worker_context *context)
{
    const double started_s = engine_started_s(context->engine);
    if (context->prepared_s > 0)
        return context->prepared_s;
    return context->begun_s > 0 && started_s > 0 ? context->begun_s + started_s : 0;
}

void worker_context_finish(struct worker_context *context)
{
    comm_wait(context->run->comm, &context->cancelling);
}

static bool pulse(void *self)
{
    struct worker_context *context = self;
    comm_look(context->run->comm);
    inbox_progress(context->inbox);
    if (context->meanwhile)
        context->meanwhile(context->self);
    if (!context->cancelled && context->cancelling.pending)
        context->cancelled = link_test(&context->cancelling);
    return context->cancelled;
}

/* Finds what is computed: the message's bytes, or what this rank reads itself. */
static bool package_find(struct worker_context *context, const struct inbox_package *in,
                         const void **bytes, size_t *size, struct failure *failure)
{
    const struct package *package = &in->header.package;
    *bytes = in->bytes;
    *size = (size_t)in->header.size;
    if (!context->package)
        return true;
    *bytes = context->package;
    return job_pack(context->run->job, context->run->input, package->first, package->count,
                    context->package, size, failure);
}

static void sleep_here(struct worker_context *context, enum operation operation,
                       struct task_range range, double start_s)
{
    const struct run *run = context->run;
    if (run->emulation)
        emulation_sleep(run->emulation, run->comm, operation, context->member - 1, range, start_s,
                        (struct engine_pulse){pulse, context});
}

/* The packed results of a package. */
struct packed {
    const void *bytes;
    size_t size;
};

static bool sensed_compute(struct worker_context *context, const struct package *package,
                           struct packed packed, struct compute_times *times,
                           struct failure *failure)
{
    const struct run *run = context->run;
    struct processor_time from, to, had = {0, 0};
    const bool counted = run->senses && processor_time_team(&context->counter, run->threads, &from);
    const bool good = engine_compute(context->engine, package->first, package->count, packed.bytes,
                                     packed.size, (struct engine_pulse){pulse, context}, failure);
    if (counted && processor_time_team(&context->counter, run->threads, &to))
        processor_time_add(&had, &from, &to);
    times->worked_s = had.worked_s;
    times->queued_s = had.queued_s;
    return good;
}

bool worker_context_compute(struct worker_context *context, const struct inbox_package *in,
                            struct compute_times *times, struct failure *failure)
{
    const struct comm *comm = context->run->comm;
    const struct package *package = &in->header.package;
    const struct task_range range = package_range(package);
    const void *bytes = NULL;
    size_t size = 0;
    if (context->prepared_s > 0)
        emulation_await(comm, context->prepared_s, (struct engine_pulse){pulse, context});
    inbox_progress_s(context->inbox); /* for arrivals from here on */
    const double start = comm_now(comm);
    if (!package_find(context, in, &bytes, &size, failure)) {
        context->own = true;
        return false;
    }
    sleep_here(context, OPERATION_RECEIVE, range, start);
    const double received = comm_now(comm);
    const bool good =
        sensed_compute(context, package, (struct packed){bytes, size}, times, failure);
    sleep_here(context, OPERATION_COMPUTE, range, received);
    times->receive_s = inbox_progress_s(context->inbox);
    if (context->package || context->run->emulation)
        times->receive_s = received - start;
    return good;
}

/* Like store_write; says in context->stalled_s how long it waited for the store. */
static bool weighed_write(struct worker_context *context, const struct package_results *results,
                          struct failure *failure)
{
    const struct run *run = context->run;
    context->stalled_s = 0;
    if (!run->weighs_output)
        return store_write(run->store, results, failure);
    struct processor_time from, to;
    const bool counted = processor_time_now(&context->counter, &from);
    const double start = clock_now();
    const bool good = store_write(run->store, results, failure);
    const double within_s = clock_now() - start;
    if (counted && processor_time_now(&context->counter, &to))
        context->stalled_s =
            fmax(0, within_s - (to.worked_s - from.worked_s) - (to.queued_s - from.queued_s));
    return good;
}

bool worker_context_output(struct worker_context *context, struct summary *summary,
                           struct failure *failure)
{
    const struct run *run = context->run;
    const struct package_results *results = engine_results(context->engine);
    const double start = comm_now(run->comm);
    liveness_pass(run->liveness);
    const bool summed = summary_add(summary, run->job, results, failure);
    const bool good = summed && weighed_write(context, results, failure);
    context->own = context->own || (summed && !good && failure->code == FAILURE_FAILED);
    sleep_here(context, OPERATION_OUTPUT, (struct task_range){results->first, results->count},
               start);
    return good;
}

bool worker_context_return(struct worker_context *context, struct wire_result *report,
                           struct failure *failure)
{
    const struct run *run = context->run;
    const struct package_results *results = engine_results(context->engine);
    liveness_pass(run->liveness);
    if (!summary_add(&report->summary, run->job, results, failure))
        return false;
    return run->keeps
               ? returns_keep(context->returns, results, report->package.index, report, failure)
               : returns_pack(context->returns, results, report, failure);
}

void worker_context_give(struct worker_context *context, int64_t index)
{
    if (!context->run->keeps)
        return;
    returns_give(context->returns, index);
    worker_context_returned(context);
}

void worker_context_returned(struct worker_context *context)
{
    if (context->returns && emulation_traits(context->run->emulation)->worker_returns)
        returns_finish(context->returns);
}

bool worker_context_stage(struct worker_context *context, struct summary *summary,
                          struct failure *failure)
{
    const struct run *run = context->run;
    const struct package_results *results = engine_results(context->engine);
    liveness_pass(run->liveness);
    const bool summed = summary_add(summary, run->job, results, failure);
    const bool good = summed && store_stage(run->store, results, failure);
    context->own = context->own || (summed && !good && failure->code == FAILURE_FAILED);
    return good;
}

double worker_context_write(struct worker_context *context, int64_t tasks)
{
    const struct run *run = context->run;
    liveness_pass(run->liveness);
    const double now = comm_now(run->comm);
    store_begin(run->store);
    if (run->emulation)
        context->due_s =
            emulation_end(run->emulation, OPERATION_OUTPUT, context->member - 1, tasks, now);
    return now;
}

bool worker_context_written(struct worker_context *context, double *end_s, struct failure *failure)
{
    const struct run *run = context->run;
    if ((comm_now(run->comm) < context->due_s && !context->cancelled) ||
        !store_await(run->store, 0, end_s, failure))
        return false;
    *end_s = fmax(*end_s, context->due_s);
    context->own = context->own || failure->code == FAILURE_FAILED;
    return true;
}

void worker_context_await(struct worker_context *context)
{
    struct failure later = FAILURE_INIT; /* worker_context_written reports it */
    const struct run *run = context->run;
    double end_s;
    pulse(context);
    if (store_await(run->store, await_most_s, &end_s, &later) &&
        comm_now(run->comm) < context->due_s)
        emulation_await(run->comm, context->due_s, (struct engine_pulse){pulse, context});
}
