#include "spmd/run/execute.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spmd/input/digest.h"
#include "spmd/job/making.h"
#include "spmd/job/method.h"
#include "spmd/output/hold.h"
#include "spmd/output/outputfile.h"
#include "spmd/run/closing.h"
#include "spmd/run/course.h"
#include "spmd/run/decider.h"
#include "spmd/run/resumption.h"
#include "spmd/run/run_conditions.h"
#include "spmd/transport/wire.h"

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
    struct comm comm; /* the execution's, with who is looked after while packages are under way */
    int hold;         /* on the output, by which others see that this rank lives */
    struct membership members; /* the master's */
    struct vigil vigil;        /* a worker's */
};

/* Local. A package is one message, and MPI counts its bytes in an int. */
static bool packages_fit(const struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct job *job = &performance->making.job;
    const int64_t largest = performance->decider.largest;
    size_t bytes = job_message_most(job, largest);
    if (bytes <= (size_t)INT_MAX - sizeof(struct wire_package))
        return true;
    return failure_set(failure, FAILURE_MISMATCH,
                       "%s: a package of %" PRId64 " core tasks would be a message of %.1f GB, and "
                       "the most is 2.1 GB: plan with smaller packages",
                       execution->plan_name, largest, (double)bytes / 1e9);
}

/* Collective. The kernel hands out memory that is not there and kills later: ask before. */
static bool memory_suffices(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct job *job = &performance->making.job;
    const int64_t largest = performance->decider.largest;
    double package = (double)job_message_most(job, largest);
    double read = job->values.staged ? (double)job_package_most(job, largest) : 0;
    double work = engine_memory(job, largest, execution->threads);
    const int workers = comm_workers_on_node(execution->comm);
    performance->workers_per_node = workers;
    double needed = ((plan_buffers(execution->plan) + 1) * package + read + work) * workers;
    double there = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (needed > there)
        failure_set(failure, FAILURE_MISMATCH,
                    "%s: packages of %" PRId64 " core tasks need %.1f GB on a node with %d "
                    "workers and %.1f GB of memory: plan with smaller packages, or start fewer "
                    "workers per node",
                    execution->plan_name, largest, needed / 1e9, workers, there / 1e9);
    return comm_agree(execution->comm, failure);
}

/* Local, the same on every rank. */
static bool job_fits(const struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct job *job = &performance->making.job;
    const struct plan *plan = execution->plan;
    return plan->tasks == (double)job->setup.tasks ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: is for %.0f core tasks, but %s has %" PRId64
                       " with these parameters: plan again%s%s",
                       execution->plan_name, plan->tasks,
                       execution->input ? execution->input : plan->kernel, job->setup.tasks,
                       execution->input ? " with -i " : "",
                       execution->input ? execution->input : "");
}

/* Local, the same on every rank. */
static bool plan_fits(const struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct plan *plan = performance->plan;
    int64_t workers = execution->comm->size - 1, needed = plan_workers_needed(plan);
    if (plan->real_valued && !performance->decider.by_rule)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: has fractional loads and cannot be run: plan again without "
                           "--real-valued",
                           execution->plan_name);
    if (needed > workers && !performance->decider.by_rule && !performance->resumption.on)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: needs %" PRId64 " workers, but there are %" PRId64
                           ": start mpiexec with -n %" PRId64 ", or plan again with -n %" PRId64,
                           execution->plan_name, needed, workers, needed + 1, workers);
    return packages_fit(performance, failure);
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
    if (decider_init(&performance->decider, &request, failure))
        plan_fits(performance, failure);
    return comm_agree(execution->comm, failure);
}

/* "" as long as it is not known, and on workers. */
static const char *digest_text(const struct performance *performance)
{
    return performance->digest ? digest_known(performance->digest) : "";
}

/* Local to the master. The workers, who wait meanwhile, shall know that it lives. */
static void digest_await(struct performance *performance, struct failure *failure)
{
    static const double nap_s = 0.02;
    while (digest_busy(performance->digest)) {
        comm_look(performance->execution->comm);
        clock_nap(nap_s);
    }
    digest_wait(performance->digest, failure);
}

/* Local to the master. Who resumes must know at once that it is the same input. */
static void digest_start(struct performance *performance, struct failure *failure)
{
    input_stamp(performance->making.input, performance->stamp, failure);
    performance->digest =
        digest_begin(performance->making.input, performance->making.digest, failure);
    if (performance->digest && performance->execution->resume)
        digest_await(performance, failure);
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
    if (good)
        job_fits(performance, failure);
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
                   .input_sha256 = digest_text(performance),
                   .input_stamp = performance->stamp,
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

/* Local. The outcome of a reduction, on the master alone. */
static void outcome_print(const struct job *job, struct run_outcome *outcome,
                          struct failure *failure)
{
    if (outcome->state)
        outcome->json = job_print(job, outcome->state, failure);
    if (outcome->json)
        summary_add_outcome(&outcome->summary, outcome->json);
}

/* Local to the master. Of the run, what this time came to. */
static struct run_part part_of(const struct run_outcome *outcome)
{
    return (struct run_part){.makespan_s = outcome->makespan_s,
                             .tasks = outcome->summary.tasks - outcome->kept,
                             .packages = trace_packages(&outcome->trace)};
}

/* Local to the master. As asked, or because nobody is left to go on: the file stays as it is, with
 * what is done. */
static void stop(const struct performance *performance, const struct run_outcome *outcome,
                 struct failure *failure)
{
    struct failure marking = FAILURE_INIT;
    const struct execution *execution = performance->execution;
    const struct run_part part = part_of(outcome);
    if (!outputfile_stop(execution->output, digest_text(performance), &part, &marking) &&
        failure->code == FAILURE_NONE)
        *failure = marking;
    failure_set(failure, FAILURE_STOPPED,
                "%s: stopped as asked, with %" PRId64 " of %" PRId64
                " core tasks done: run the same again with --resume to go on",
                execution->output, outcome->summary.tasks, performance->making.job.setup.tasks);
}

/* Local to the master. The run is complete. A digest that was taken meanwhile is of an input that
 * nobody has touched until then. */
static void seal(struct performance *performance, const struct run_outcome *outcome,
                 double finish_s, struct failure *failure)
{
    if (!digest_wait(performance->digest, failure) ||
        !input_unchanged(performance->making.input, performance->early, failure))
        return;
    char *losses = membership_json(&performance->members);
    const struct run_part part = part_of(outcome);
    const struct output_outcome sealed = {.trace = &outcome->trace,
                                          .summary = &outcome->summary,
                                          .input_sha256 = digest_text(performance),
                                          .outcome = outcome->json,
                                          .told = outcome->told,
                                          .replanned = outcome->replanned,
                                          .lost = losses,
                                          .lost_told = outcome->losses,
                                          .finish_s = finish_s,
                                          .part = &part};
    outputfile_seal(performance->execution->output, &sealed, failure);
    free(losses);
}

static struct closing closing_of(const struct performance *performance, const struct run *run)
{
    return (struct closing){.run = run,
                            .input = performance->making.input,
                            .digest = performance->early,
                            .even =
                                performance->resumption.on || performance->members.loss_count > 0};
}

/* Local to the master. The last package is done, or something failed: everybody ends its part. */
static void finish(struct performance *performance, const struct run *run,
                   struct run_outcome *outcome, struct failure *failure)
{
    const double start_s = comm_now(run->comm);
    const struct closing closing = closing_of(performance, run);
    outcome->stopped = outcome->stopped && outcome->summary.tasks < run->job->setup.tasks;
    if (failure->code == FAILURE_NONE && !outcome->stopped)
        outcome_print(run->job, outcome, failure);
    const enum wire_ending ending = failure->code != FAILURE_NONE ? WIRE_ENDING_FAILED
                                    : outcome->stopped            ? WIRE_ENDING_KEPT
                                                                  : WIRE_ENDING_WHOLE;
    const bool good = closing_lead(&closing, ending, &outcome->summary, failure);
    outcome->losses = membership_lines(&performance->members);
    if ((good && outcome->stopped) || failure->code == FAILURE_STOPPED)
        stop(performance, outcome, failure);
    else if (good)
        seal(performance, outcome, comm_now(run->comm) - start_s, failure);
    outcome->broken = closing_verdict(&closing, failure, &outcome->others);
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

/* The longest package of the plan, as it is predicted; 0: nothing is. */
static double longest_predicted(const struct performance *performance)
{
    static const enum operation work[] = {OPERATION_RECEIVE, OPERATION_COMPUTE, OPERATION_OUTPUT};
    const struct plan_prediction *predicted = &performance->plan->predicted;
    const int64_t largest = performance->decider.largest;
    const int workers = workers_of(performance);
    double longest_s = 0;
    for (int worker = 0; performance->costs && worker < workers; worker++) {
        double package_s = 0;
        for (size_t k = 0; k < sizeof work / sizeof *work; k++)
            package_s += emulation_cost(performance->costs, work[k], worker, largest);
        longest_s = fmax(longest_s, package_s);
    }
    if (!performance->costs && predicted->known && performance->plan->tasks > 0)
        longest_s = predicted->makespan_s * (double)largest * workers / performance->plan->tasks;
    return longest_s;
}

/* Collective. From here on it shows who is not there any more. */
static bool watch_begin(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    struct comm *comm = &performance->comm;
    *comm = *execution->comm;
    if (execution->patience_s > 0)
        performance->hold = hold_together(execution->output);
    if (performance->hold >= 0)
        hold_place(performance->hold, comm->rank);
    comm_barrier(comm);
    const struct membership_setup setup = {.comm = comm,
                                           .path = execution->output,
                                           .hold = performance->hold,
                                           .workers = workers_of(performance),
                                           .least_s = execution->patience_s,
                                           .predicted_s = longest_predicted(performance)};
    if (!membership_init(&performance->members, &setup, failure))
        return false;
    if (execution->assembly)
        assembly_end(execution->assembly);
    comm->vigil = NULL;
    if (execution->patience_s > 0 && comm->rank == 0)
        comm->vigil = &performance->members.gate;
    else if (execution->patience_s > 0)
        vigil_begin(&performance->vigil, comm, execution->output, performance->hold);
    return true;
}

static void watch_end(struct performance *performance)
{
    if (performance->vigil.comm)
        vigil_end(&performance->vigil);
    membership_release(&performance->members);
    if (performance->hold >= 0)
        close(performance->hold);
}

/* Collective. */
static bool perform(struct performance *performance, struct run_outcome *outcome,
                    struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const bool leads = execution->comm->rank == 0;
    if (!watch_begin(performance, failure))
        return false;
    const struct run run = {
        .comm = &performance->comm,
        .job = &performance->making.job,
        .members = leads ? &performance->members : NULL,
        .vigil = performance->vigil.comm ? &performance->vigil : NULL,
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
    const struct closing closing = closing_of(performance, &run);
    if (leads)
        finish(performance, &run, outcome, failure);
    else
        outcome->broken =
            closing_follow(&closing, &done, &outcome->summary, &outcome->others, failure);
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
    struct performance performance = {.execution = execution,
                                      .plan = execution->plan,
                                      .hold = -1,
                                      .members = {.alive = MPI_REQUEST_NULL}};
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
    watch_end(&performance);
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
