#include "spmd/run/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spmd/input/digest.h"
#include "spmd/job/making.h"
#include "spmd/job/method.h"
#include "spmd/output/outputfile.h"
#include "spmd/run/course.h"
#include "spmd/run/decider.h"
#include "spmd/run/ending.h"
#include "spmd/run/fitting.h"
#include "spmd/run/presence.h"
#include "spmd/run/resumption.h"
#include "spmd/run/run_conditions.h"

/* What one rank opens and must close again. */
struct performance {
    const struct execution *execution;
    const struct plan *plan; /* that is executed: the execution's, or of what is left */
    struct resumption resumption;
    struct making making;
    struct store *store;
    struct emulation *costs; /* by the profile; NULL: not known */
    int workers_per_node;    /* on this rank's */
    char *processor;         /* owned; NULL: not known */
    char method[JOB_METHOD_SIZE];
    bool created; /* the master has made the output */
    struct decider decider;
    struct dispatch *dispatch; /* the master's */
    struct digest *digest;     /* the master's: of the input, taken while the run goes on */
    char stamp[65];            /* the master's; of the input's files */
    char early[65];            /* the input's digest; "": it was not known before the run */
    struct presence presence;  /* while packages are under way */
};

static struct fitting fitting_of(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    return (struct fitting){.comm = execution->comm,
                            .job = &performance->making.job,
                            .plan = execution->plan,
                            .plan_name = execution->plan_name,
                            .input = execution->input,
                            .threads = execution->threads};
}

/* That can take part. */
static int workers_of(const struct performance *performance)
{
    const struct resumption *resumption = &performance->resumption;
    return resumption->on ? resumption->workers : performance->execution->comm->size - 1;
}

/* Collective. */
static bool decider_make(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct decider_request request = {.plan = performance->plan,
                                            .rule = execution->rule,
                                            .replan = execution->replan,
                                            .tail = execution->tail,
                                            .profile_text = execution->profile_text,
                                            .ahead = execution->ahead,
                                            .workers = workers_of(performance)};
    if (decider_init(&performance->decider, &request, failure)) {
        const struct fitting fitting = fitting_of(performance);
        const struct fitting_packages packages = {.plan = performance->plan,
                                                  .largest = performance->decider.largest,
                                                  .by_rule = performance->decider.by_rule,
                                                  .resumed = performance->resumption.on};
        fitting_plan(&fitting, &packages, failure);
    }
    return comm_agree(execution->comm, failure);
}

/* Collective. */
static bool memory_suffices(struct performance *performance, struct failure *failure)
{
    const struct fitting fitting = fitting_of(performance);
    performance->workers_per_node = comm_workers_on_node(performance->execution->comm);
    return fitting_memory(&fitting, performance->decider.largest, failure);
}

/* "" as long as it is not known, and on workers. */
static const char *digest_text(const struct performance *performance)
{
    return performance->digest ? digest_known(performance->digest) : "";
}

/* Local to the master. The workers, who wait meanwhile, shall know that it lives. */
static bool digest_await(const void *comm, struct digest *digest, struct failure *failure)
{
    static const double nap_s = 0.02;
    while (digest_busy(digest)) {
        comm_look(comm);
        clock_nap(nap_s);
    }
    return digest_wait(digest, failure);
}

/* Local to the master. */
static void digest_start(struct performance *performance, struct failure *failure)
{
    input_stamp(performance->making.input, performance->stamp, failure);
    performance->digest =
        digest_begin(performance->making.input, performance->making.digest, failure);
    snprintf(performance->early, sizeof performance->early, "%s", digest_text(performance));
    input_untouched(performance->making.input, failure);
}

/* Collective. Task and values as the plan has them, the input, the job. */
static bool job_make(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct comm *comm = execution->comm;
    struct values values = {0};
    values_read(&values, execution->kernel->task, &execution->plan->parameters,
                execution->plan_name, true, failure);
    if (failure->code == FAILURE_NONE)
        values_resize(&values, execution->kernel->task, execution->plan->tasks);
    bool good = comm_agree(comm, failure) &&
                making_start(&performance->making, comm, execution->kernel->task, &values,
                             execution->input, failure);
    values_release(&values);
    if (good && comm->rank == 0)
        digest_start(performance, failure);
    const struct fitting fitting = fitting_of(performance);
    if (good)
        fitting_job(&fitting, failure);
    if (!comm_agree(comm, failure) || !good)
        return false;
    comm_broadcast(comm, performance->early, sizeof performance->early);
    return true;
}

static struct resumption_setup resumption_setup(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    return (struct resumption_setup){
        .comm = execution->comm,
        .path = execution->output,
        .wanted = {.job = &performance->making.job,
                   .plan = execution->plan,
                   .plan_name = execution->plan_name,
                   .input = execution->input,
                   .input_stamp = performance->stamp,
                   .digest = performance->digest,
                   .wait = digest_await,
                   .waiter = execution->comm,
                   .plugin_sha256 = execution->kernel->plugin ? execution->kernel->sha256 : NULL,
                   .isa = execution->isa,
                   .emitted = execution->emitted_given ? execution->emitted : NULL},
        .profile_text = execution->profile_text,
    };
}

/* Collective. What is to be executed: the plan, or what is left of it. */
static bool work_find(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct resumption_setup setup = resumption_setup(performance);
    struct resumption *resumption = &performance->resumption;
    if (!execution->resume)
        return true;
    if (!resumption_init(resumption, &setup, failure))
        return false;
    if (resumption->left > 0)
        performance->plan = &resumption->plan;
    if (!resumption->on && execution->comm->rank == 0 && !execution->quiet)
        fprintf(stderr, "scow run: %s is not there yet: begins with the first core task\n",
                execution->output);
    return true;
}

static bool sleeps(const struct performance *performance)
{
    return performance->execution->kernel->task->flags & SCOW_SLEEP;
}

/* Collective. Only a job that sleeps cannot do without. */
static bool costs_make(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    struct failure unknown = FAILURE_INIT;
    performance->costs = emulation_new(execution->profile_text, execution->plan,
                                       sleeps(performance) ? failure : &unknown);
    return comm_agree(execution->comm, failure);
}

static struct conditions conditions_of(const struct performance *performance)
{
    return (struct conditions){.processor = performance->processor,
                               .isa = performance->execution->isa,
                               .method = performance->method,
                               .threads = performance->execution->threads,
                               .workers_per_node = performance->workers_per_node};
}

/* Workers that a new file has room for states of: some more than there are, so that more can go on
 * with it, as far as that costs little. */
static int slots_wanted(const struct job *job, int workers)
{
    static const size_t spare_bytes = 1 << 20;
    enum { SPARE_MOST = 64 };
    const size_t fit = job->state_size > 0 ? spare_bytes / (2 * (job->state_size + 64)) : 0;
    return workers + (fit < SPARE_MOST ? (int)fit : SPARE_MOST);
}

/* Local to the master. */
static void output_create(struct performance *performance, struct output_places *places,
                          struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct job *job = &performance->making.job;
    const struct output_info info = {
        .plan = execution->plan_text,
        .profile = execution->profile_text,
        .input = execution->input,
        .input_sha256 = digest_text(performance),
        .input_stamp = performance->stamp,
        .plugin = execution->kernel->plugin,
        .plugin_sha256 = execution->kernel->sha256,
        .emitted = execution->emitted,
        .conditions = conditions_of(performance),
        .command_line = execution->command_line,
        .rule = execution->rule,
        .tail = execution->tail,
        .replan = execution->replan,
        .ahead = execution->ahead,
        /* How many packages a rule deals is known at the end. */
        .events = execution->rule ? 1 : plan_packages(execution->plan) * RUN_EVENTS_PER_PACKAGE,
        .workers = slots_wanted(job, execution->comm->size - 1),
        .part = {.workers = execution->comm->size - 1},
    };
    performance->created = outputfile_create(execution->output, job, &info, places, failure);
}

/* Collective. The master makes the file, or mends it; everybody opens it. */
static bool output_open(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    struct resumption *resumption = &performance->resumption;
    const struct resumption_setup resuming = resumption_setup(performance);
    struct output_places places = resumption->places;
    if (execution->comm->rank == 0) {
        performance->processor = run_conditions_processor();
        job_method(&performance->making.job, performance->method, sizeof performance->method);
    }
    if (execution->comm->rank == 0 && !resumption->on)
        output_create(performance, &places, failure);
    if (!comm_agree(execution->comm, failure) ||
        (resumption->on && !resumption_begin(resumption, &resuming, failure)))
        return false;
    const struct store_setup setup = {.path = execution->output,
                                      .emitted = resumption->emitted ? resumption->emitted
                                                                     : execution->emitted,
                                      .slots = resumption->slots,
                                      .resumed = resumption->on};
    performance->store =
        store_open(&setup, &places, execution->comm, &performance->making.job, failure);
    return performance->store != NULL;
}

static void idle_ranks_say(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    int64_t used = plan_workers_used(performance->plan), workers = execution->comm->size - 1;
    if (!execution->quiet && execution->comm->rank == 0 && used < workers && !execution->rule)
        fprintf(stderr,
                "scow run: the plan uses %" PRId64 " of %" PRId64 " workers: the rest stay idle\n",
                used, workers);
}

static void conditions_say(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    const struct conditions here = conditions_of(performance);
    if (!execution->quiet && execution->comm->rank == 0)
        run_conditions_warn(&here, execution->plan, execution->profile_text);
}

/* The plan's, or what is expected of it when it is watched or dealt at its end: how far that may be
 * off, the plan says of its own tail alone. */
static struct plan_prediction prediction_of(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    struct plan_prediction predicted = performance->plan->predicted;
    if (!performance->decider.watches || !predicted.known)
        return predicted;
    predicted.makespan_s = performance->decider.expected_s;
    if (execution->replan || !plan_tail_own(performance->plan, execution->tail))
        predicted.interval_s[0] = predicted.interval_s[1] = 0;
    return predicted;
}

/* Local to the master. To be ended. */
static void progress_begin(const struct performance *performance, struct progress *progress)
{
    const struct execution *execution = performance->execution;
    const struct plan_prediction predicted = prediction_of(performance);
    const bool planned = predicted.known && !execution->rule;
    progress_init(progress, execution->quiet ? NULL : stderr, (int64_t)performance->plan->tasks,
                  planned ? predicted.makespan_s : 0);
    if (planned && progress->out && !performance->decider.watches)
        progress->course = course_of(performance->plan, execution->profile_text);
}

/* Local to the master. */
static bool lead(struct performance *performance, const struct run *run,
                 struct run_outcome *outcome, struct failure *failure)
{
    struct dispatch *decides = decider_dispatch(&performance->decider, failure);
    performance->dispatch = decides;
    if (performance->dispatch && performance->resumption.on)
        performance->dispatch =
            resumption_dispatch(&performance->resumption, performance->dispatch, failure);
    if (performance->dispatch)
        performance->dispatch =
            dispatch_new_recovery(performance->dispatch, workers_of(performance));
    if (!performance->dispatch)
        failure_memory(failure, "preparing for the loss of workers");
    struct progress progress;
    progress_begin(performance, &progress);
    bool good = master_run(run, performance->dispatch, &progress, outcome, failure);
    progress_end(&progress);
    if (good)
        decider_tell(&performance->decider, decides, &outcome->told, &outcome->replanned);
    return good;
}

/* Local, in a run of its own on every rank. */
static void packages_do(struct performance *performance, const struct run *run,
                        struct done_packages *done, struct run_outcome *outcome,
                        struct failure *failure)
{
    const struct resumption *resumption = &performance->resumption;
    const bool leads = run->comm->rank == 0, over = resumption->on && resumption->left == 0;
    if (leads && !over)
        lead(performance, run, outcome, failure);
    if (leads && resumption->on) {
        resumption_join(resumption, run->job, outcome);
        outcome->resumed = true;
        outcome->kept = resumption->before.tasks;
    }
    if (!over)
        outcome->predicted = prediction_of(performance);
    if (!leads && !over)
        worker_run(run, done, failure);
}

/* Collective. */
static bool watch(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct presence_setup setup = {.comm = execution->comm,
                                         .path = execution->output,
                                         .workers = workers_of(performance),
                                         .patience_s = execution->patience_s,
                                         .plan = performance->plan,
                                         .costs = performance->costs,
                                         .largest_package = performance->decider.largest,
                                         .assembly = execution->assembly};
    return presence_begin(&performance->presence, &setup, failure);
}

/* Local to the master. Are all workers on its node, so that each sees what the others wrote? */
static bool is_one_node(const struct performance *performance)
{
    return performance->workers_per_node == performance->execution->comm->size - 1;
}

/* Local. Everybody ends its part. */
static void end(struct performance *performance, const struct run *run,
                const struct done_packages *done, struct run_outcome *outcome,
                struct failure *failure)
{
    const struct resumption *resumption = &performance->resumption;
    const bool lost = performance->presence.members.loss_count > 0;
    const struct ending ending = {
        .closing = {.run = run,
                    .input = performance->making.input,
                    .digest = performance->early,
                    .even = resumption->on || lost || is_one_node(performance)},
        .output = performance->execution->output,
        .digest = performance->digest,
        .begun_with = resumption->remains.input_sha256};
    if (run->comm->rank == 0)
        ending_lead(&ending, outcome, failure);
    else
        ending_follow(&ending, done, outcome, failure);
}

/* Collective. */
static bool perform(struct performance *performance, struct run_outcome *outcome,
                    struct failure *failure)
{
    const struct execution *execution = performance->execution;
    struct presence *presence = &performance->presence;
    if (!watch(performance, failure))
        return false;
    const struct run run = {
        .comm = &presence->comm,
        .job = &performance->making.job,
        .members = presence_members(presence),
        .vigil = presence_vigil(presence),
        .input = performance->making.input,
        .store = performance->store,
        .costs = performance->costs,
        .emulation = sleeps(performance) ? performance->costs : NULL,
        .largest_package = performance->decider.largest,
        .threads = execution->threads,
        .buffers = plan_buffers(execution->plan),
    };
    struct done_packages done = {0};
    conditions_say(performance);
    idle_ranks_say(performance);
    packages_do(performance, &run, &done, outcome, failure);
    end(performance, &run, &done, outcome, failure);
    done_packages_release(&done);
    return failure->code == FAILURE_NONE;
}

/* What is known of a run that there is nothing left of. */
static void complete_tell(const struct performance *performance, struct run_outcome *outcome)
{
    const struct remains *remains = &performance->resumption.remains; /* the master's */
    outcome->resumed = true;
    outcome->kept = performance->making.job.setup.tasks;
    outcome->summary = (struct summary){
        .tasks = outcome->kept, .failed = remains->failed, .checksum = remains->checksum};
}

bool execute_run(const struct execution *execution, struct run_outcome *outcome,
                 struct failure *failure)
{
    struct performance performance = {.execution = execution, .plan = execution->plan};
    bool good = false;
    if (!job_make(&performance, failure) || !work_find(&performance, failure))
        goto out;
    if (performance.resumption.complete) {
        complete_tell(&performance, outcome);
        good = true;
        goto out;
    }
    if (!decider_make(&performance, failure) || !memory_suffices(&performance, failure) ||
        !costs_make(&performance, failure) || !output_open(&performance, failure))
        goto out;
    good = perform(&performance, outcome, failure);
out:
    good = store_close(&performance.store, failure) && good;
    presence_end(&performance.presence);
    if (performance.created && !good && outcome->summary.tasks == 0 && !outcome->stopped)
        unlink(
            execution->output); /* it holds nothing, and would stand in the way of the next try */
    dispatch_free(&performance.dispatch);
    decider_release(&performance.decider);
    resumption_release(&performance.resumption);
    emulation_free(&performance.costs);
    free(performance.processor);
    digest_free(&performance.digest);
    making_release(&performance.making);
    return good;
}
