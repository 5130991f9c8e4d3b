#include "spmd/run/execute.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "planner/base/duration.h"
#include "planner/base/own.h"
#include "spmd/input/digest.h"
#include "spmd/launch/making.h"
#include "spmd/launch/method.h"
#include "spmd/output/outputfile.h"
#include "spmd/run/decider.h"
#include "spmd/run/ending.h"
#include "spmd/run/energy.h"
#include "spmd/run/expected_cost.h"
#include "spmd/run/fitting.h"
#include "spmd/run/live_status.h"
#include "spmd/run/liveness.h"
#include "spmd/run/progress_curve.h"
#include "spmd/run/resume.h"
#include "spmd/run/run_conditions.h"
#include "spmd/run/usage.h"

/* What one rank opens and must close again. */
struct performance {
    const struct execution *execution;
    const struct plan *plan; /* that is executed: the execution's, or of what is left */
    struct resume resume;
    struct making making;
    struct store *store;
    struct emulation *costs; /* by the profile; NULL: not known */
    int workers_per_node;    /* on this rank's */
    char *processor;         /* owned; NULL: not known */
    char method[JOB_METHOD_SIZE];
    bool created; /* the master has made the output */
    struct decider decider;
    struct dispatch *dispatch;    /* the master's */
    struct digest *digest;        /* the master's: of the input, taken while the run goes on */
    char stamp[65], identity[65]; /* the master's; of the input's files */
    char early[65];               /* the input's digest; "": it was not known before the run */
    struct liveness liveness;     /* while packages are under way */
    struct losses losses;
    struct status_writer status; /* the master's */
    struct trace_writer tracing; /* the master's */
    double began_s;              /* the master's; as in struct run_part */
};

static struct fitting fitting_of(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    return (struct fitting){.comm = execution->comm,
                            .job = &performance->making.job,
                            .plan = execution->plan,
                            .plan_name = execution->plan_name,
                            .input = execution->input,
                            .threads = execution->threads,
                            .collects = execution->collects,
                            .keeps = execution->keeps};
}

/* That can take part. */
static int workers_of(const struct performance *performance)
{
    const struct resume *resume = &performance->resume;
    return resume->on ? resume->workers : performance->execution->comm->size - 1;
}

/* Core tasks of a survey's packages: an even share, as far as it takes no more memory than that on
 * its way. 0: there is no survey. */
static int64_t surveyed_most(const struct performance *performance)
{
    static const double bytes_most = 64e6;
    const double tasks = performance->plan->tasks, workers = workers_of(performance);
    const double one = (double)job_package_most(&performance->making.job, 1) + 1;
    if (!performance->execution->pilot)
        return 0;
    return (int64_t)fmax(1, fmin(ceil(tasks / workers), floor(bytes_most / one)));
}

/* Collective. */
static bool decider_make(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct decider_request request = {.plan = performance->plan,
                                            .rule = execution->rule,
                                            .replan = execution->replan,
                                            .tail = execution->tail,
                                            .profile = execution->profile,
                                            .ahead = execution->ahead,
                                            .workers = workers_of(performance),
                                            .surveyed_most = surveyed_most(performance)};
    if (decider_init(&performance->decider, &request, failure)) {
        const struct fitting fitting = fitting_of(performance);
        const struct fitting_packages packages = {.plan = performance->plan,
                                                  .largest = performance->decider.largest,
                                                  .by_rule = performance->decider.by_rule ||
                                                             execution->pilot != NULL,
                                                  .resumed = performance->resume.on};
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
    input_identity(performance->making.input, performance->identity, failure);
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
    if (failure->code == FAILURE_NONE && execution->changed)
        values_change(&values, execution->kernel->task, execution->changed, failure);
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

static struct conditions conditions_of(const struct performance *performance)
{
    return (struct conditions){.processor = performance->processor,
                               .isa = performance->execution->isa,
                               .method = performance->method,
                               .threads = performance->execution->threads,
                               .workers_per_node = performance->workers_per_node};
}

static struct run_request requested_of(void)
{
    struct run_request requested;
    usage_requested(&requested);
    return requested;
}

/* Does the master compute core tasks itself? Where packages are assigned on request, nobody has
 * said which. */
static bool computes(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    return performance->plan->own.tasks > 0 && !execution->rule && !execution->pilot;
}

static struct resume_setup resume_setup(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    return (struct resume_setup){
        .comm = execution->comm,
        .path = execution->output,
        .command = execution->command,
        .wanted = {.job = &performance->making.job,
                   .plan = execution->plan,
                   .plan_name = execution->plan_name,
                   .any_plan = execution->pilot != NULL,
                   .input = execution->input,
                   .input_stamp = performance->stamp,
                   .input_identity = performance->identity,
                   .digest = performance->digest,
                   .wait = digest_await,
                   .waiter = execution->comm,
                   .plugin_sha256 = execution->kernel->plugin ? execution->kernel->sha256 : NULL,
                   .isa = execution->isa,
                   .emitted = execution->emitted_given ? execution->emitted : NULL,
                   .retry_lost = execution->retry_lost},
        .profile_text = execution->profile_text,
        .profile = execution->profile,
        .collects = execution->collects,
        .computes = computes(performance),
        .trust = execution->trust,
        .part = {.began_s = performance->began_s,
                 .conditions = conditions_of(performance),
                 .surveyed = execution->pilot != NULL,
                 .command_line = execution->command_line,
                 .requested = requested_of(),
                 .rule = execution->rule,
                 .tail = execution->tail,
                 .replan = execution->replan,
                 .ahead = execution->ahead},
    };
}

/* Collective. What is to be executed: the plan, or what is left of it. */
static bool work_find(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const struct resume_setup setup = resume_setup(performance);
    struct resume *resume = &performance->resume;
    if (!execution->resume)
        return true;
    if (!resume_init(resume, &setup, failure))
        return false;
    if (resume->left > 0)
        performance->plan = &resume->plan;
    if (!resume->on && execution->comm->rank == 0 && !execution->quiet && !execution->pilot)
        fprintf(stderr, "%s: %s is not there yet: begins with the first core task\n",
                execution->command, execution->output);
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
    performance->costs = emulation_new(execution->profile, execution->plan,
                                       sleeps(performance) ? failure : &unknown);
    return comm_agree(execution->comm, failure);
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

/* Local to the master. Of the folders that this run writes to. */
static void folders_check(const struct execution *execution)
{
    const char *const places[] = {execution->output, execution->emitted};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (places[k] && own_folder_is_anybodys(places[k])) {
            fprintf(stderr,
                    "%s: %s: anybody may remove or replace files in its folder, which has "
                    "no sticky bit: choose another one, or 'chmod +t' it\n",
                    execution->command, places[k]);
            return;
        }
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
        .input_identity = performance->identity,
        .plugin = execution->kernel->plugin,
        .plugin_sha256 = execution->kernel->sha256,
        .emitted = execution->emitted,
        .conditions = conditions_of(performance),
        .command_line = execution->command_line,
        .requested = requested_of(),
        .rule = execution->rule,
        .tail = execution->tail,
        .replan = execution->replan,
        .surveyed = execution->pilot != NULL,
        .ahead = execution->ahead,
        /* How many packages a rule deals is known at the end. */
        .events = execution->rule || execution->pilot
                      ? 1
                      : plan_packages(execution->plan) * RUN_EVENTS_PER_PACKAGE +
                            (int64_t)execution->plan->own.tasks,
        .workers = slots_wanted(job, execution->comm->size - 1 + computes(performance)),
        .part = {.began_s = performance->began_s, .workers = execution->comm->size - 1},
    };
    performance->created = outputfile_create(execution->output, job, &info, places, failure);
}

/* Local to the master. From here on the file beside the output is this part's. */
static void tracing_begin(struct performance *performance)
{
    const struct execution *execution = performance->execution;
    const struct resume *resume = &performance->resume;
    const struct trace_part part = {resume->on ? resume->remaining.resumed + 1 : 0,
                                    performance->began_s};
    trace_writer_begin(&performance->tracing, execution->output, execution->command, &part);
}

/* Collective. The master makes the file, or mends it; everybody opens it. */
static bool output_open(struct performance *performance, struct failure *failure)
{
    const struct execution *execution = performance->execution;
    struct resume *resume = &performance->resume;
    struct output_places places = resume->places;
    if (execution->comm->rank == 0) {
        performance->processor = run_conditions_processor();
        job_method(&performance->making.job, performance->method, sizeof performance->method);
        performance->began_s = until_now();
    }
    const struct resume_setup resuming = resume_setup(performance);
    if (execution->comm->rank == 0)
        folders_check(execution);
    if (execution->comm->rank == 0 && !resume->on)
        output_create(performance, &places, failure);
    if (!comm_agree(execution->comm, failure) ||
        (resume->on && !resume_begin(resume, &resuming, failure)))
        return false;
    if (execution->comm->rank == 0)
        tracing_begin(performance);
    const struct store_setup setup = {
        .path = execution->output,
        .emitted = resume->emitted ? resume->emitted : execution->emitted,
        .slots = resume->slots,
        .collected = execution->collects,
        .master_as = computes(performance) ? workers_of(performance) + 1 : 0,
        .resumed = resume->on};
    performance->store =
        store_open(&setup, &places, execution->comm, &performance->making.job, failure);
    comm_broadcast(execution->comm, &places, sizeof places);
    if (execution->comm->rank == 0 || !execution->collects)
        losses_open(&performance->losses, execution->output, &places, execution->comm->rank,
                    resume->remaining.lost_count);
    return performance->store != NULL;
}

static void idle_ranks_say(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    if (execution->pilot)
        return;
    int64_t used = plan_workers_used(performance->plan), workers = execution->comm->size - 1;
    if (!execution->quiet && execution->comm->rank == 0 && used < workers && !execution->rule)
        fprintf(stderr,
                "%s: the plan uses %" PRId64 " of %" PRId64 " workers: the others stay idle\n",
                execution->command, used, workers);
}

static void conditions_say(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    const struct conditions here = conditions_of(performance);
    if (!execution->quiet && execution->comm->rank == 0)
        run_conditions_warn(&here, execution->plan, execution->profile, execution->command);
    if (!execution->quiet && execution->comm->rank == 0)
        decider_note(&performance->decider, execution->command);
}

/* Collective. Before anything is measured; who sleeps takes nobody's core. */
static void oversubscription_say(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    if (!execution->quiet && !sleeps(performance))
        run_conditions_crowded(execution->comm, computes(performance), execution->threads,
                               execution->command);
}

/* The plan's, or what is expected of it when it is watched or dealt at its end: how far that may be
 * off, the plan says of its own tail alone. */
static struct plan_prediction prediction_of(const struct performance *performance)
{
    const struct execution *execution = performance->execution;
    struct plan_prediction predicted =
        execution->pilot ? execution->pilot->predicted : performance->plan->predicted;
    if (!performance->decider.watches || !predicted.known)
        return predicted;
    predicted.makespan_s = performance->decider.expected_s;
    if (execution->replan || !plan_tail_own(performance->plan, execution->tail))
        predicted.interval_s[0] = predicted.interval_s[1] = 0;
    return predicted;
}

/* Local to the master. What would not end in time is not begun. */
static bool deadline_set(const struct performance *performance, struct dispatch *recovery,
                         struct failure *failure)
{
    static const double margin = 0.1;
    const struct execution *execution = performance->execution;
    const struct plan_prediction predicted = prediction_of(performance);
    char words[DURATION_SIZE];
    if (!execution->until || !execution->until->known)
        return true;
    const double left_s = until_left_s(execution->until, until_now());
    const double kept_s = expected_returns_s(execution->keeps ? performance->costs : NULL,
                                             workers_of(performance), performance->plan->tasks);
    const struct deadline_setup setup = {.end_s = left_s - kept_s,
                                         .margin = margin,
                                         .cost = performance->costs ? expected_cost : NULL,
                                         .start_s = performance->costs ? expected_start_s : NULL,
                                         .self = performance->costs,
                                         .workers = workers_of(performance)};
    if (!execution->quiet && predicted.known && predicted.makespan_s > left_s)
        fprintf(stderr,
                "%s: %s ends this run in %s, sooner than predicted: core tasks that fit are "
                "begun, the others when the run is resumed\n",
                execution->command, execution->until->who, duration_print(fmax(0, left_s), words));
    return dispatch_recovery_deadline(recovery, &setup) ||
           failure_memory(failure, "preparing for the end of the job");
}

/* Local to the master. Who looks from elsewhere is told how far it is. */
static void status_start(struct performance *performance, const struct run *run,
                         struct progress *progress, const struct run_outcome *outcome)
{
    const struct execution *execution = performance->execution;
    const bool ends = execution->until && execution->until->known;
    const struct status_setup setup = {.output = execution->output,
                                       .command = execution->command,
                                       .progress = progress,
                                       .outcome = outcome,
                                       .members = run->members,
                                       .kept = performance->resume.before.tasks,
                                       .kept_failed = performance->resume.before.failed,
                                       .workers = workers_of(performance),
                                       .job_end_s = ends ? execution->until->end_s : 0};
    status_begin(&performance->status, &setup);
    progress->tick = (struct progress_tick){status_tell, &performance->status};
}

/* Local to the master. Until all packages are done, or no more fits into the time that there is. */
static bool packages_lead(struct performance *performance, const struct run *run,
                          struct progress *progress, struct run_outcome *outcome,
                          struct failure *failure)
{
    struct dispatch *dispatch = performance->dispatch;
    if (dispatch) {
        dispatch_recovery_limit(dispatch, performance->decider.largest);
        deadline_set(performance, dispatch, failure);
    }
    status_start(performance, run, progress, outcome);
    const bool good = master_run(run, dispatch, progress, outcome, failure);
    status_pause(&performance->status);
    if (dispatch && dispatch_recovery_over(dispatch)) {
        outcome->stopped = true;
        outcome->ends = performance->execution->until->who;
    }
    return good;
}

/* Local to the master. To be ended. */
static void progress_begin(const struct performance *performance, struct progress *progress)
{
    const struct execution *execution = performance->execution;
    const struct plan_prediction predicted = prediction_of(performance);
    const bool planned = predicted.known && !execution->rule;
    const struct resume *resume = &performance->resume;
    progress_init(progress, execution->quiet ? NULL : stderr,
                  resume->on ? resume->left : (int64_t)performance->plan->tasks,
                  execution->pilot ? -1
                  : planned        ? predicted.makespan_s
                                   : 0);
    if (planned && progress->out && !execution->pilot && !performance->decider.watches)
        progress->curve = progress_curve_of(performance->plan, execution->profile);
}

static struct dispatch *survey_new(const struct performance *performance, struct pilot_sight *sight,
                                   struct failure *failure)
{
    sight->job = &performance->making.job;
    sight->most = performance->decider.largest;
    sight->workers = workers_of(performance);
    return pilot_survey(sight, (int64_t)performance->plan->tasks, failure);
}

/* When the rest was planned anew, and why. */
static void told_take(const struct performance *performance, const struct dispatch *decides,
                      struct run_outcome *outcome)
{
    struct pilot *pilot = performance->execution->pilot;
    if (pilot)
        pilot->tell(pilot, &outcome->told, &outcome->replanned);
    else
        decider_tell(&performance->decider, decides, &outcome->told, &outcome->replanned);
}

/* Local to the master. The survey's, the plan's or the rule's. */
static struct dispatch *decides_new(const struct performance *performance,
                                    struct pilot_sight *sight, struct failure *failure)
{
    return sight->pilot ? survey_new(performance, sight, failure)
                        : decider_dispatch(&performance->decider, failure);
}

/* Local to the master. Hands out, with what `decides` (owned; NULL: it could not be made), all that
 * is left. */
static void dispatch_make(struct performance *performance, struct dispatch *decides,
                          struct failure *failure)
{
    const struct resume *resume = &performance->resume;
    if (decides && resume->on)
        decides = resume_dispatch(resume, decides, failure);
    if (decides)
        decides = dispatch_new_recovery(decides, workers_of(performance));
    performance->dispatch = decides;
    if (decides && performance->execution->keeps)
        dispatch_recovery_keep(decides);
    if (!decides)
        failure_memory(failure, "preparing for the loss of workers");
    else if (resume->on)
        resume_suspects(resume, decides, failure);
}

/* Local to the master. */
static void preview_lead(struct performance *performance, struct failure *failure)
{
    struct pilot *pilot = performance->execution->pilot;
    const struct resume *resume = &performance->resume;
    const struct trace none = {.events = NULL};
    struct progress silent;
    struct pilot_sight sight = {.pilot = pilot, .trace = &none, .progress = &silent};
    progress_init(&silent, NULL, (int64_t)performance->plan->tasks, 0);
    const int64_t left = resume->on ? resume->left : (int64_t)performance->plan->tasks;
    if (left > 0)
        dispatch_make(performance, decides_new(performance, &sight, failure), failure);
    const struct pilot_preview seen = {.making = &performance->making,
                                       .dispatch = performance->dispatch,
                                       .left = left,
                                       .workers = workers_of(performance)};
    if (failure->code == FAILURE_NONE)
        pilot->preview(pilot, &seen);
    dispatch_free(&performance->dispatch);
    progress_end(&silent);
}

/* Collective. What would be done, in place of doing it. */
static bool preview(struct performance *performance, struct failure *failure)
{
    const struct comm *comm = performance->execution->comm;
    if (!decider_make(performance, failure) || !memory_suffices(performance, failure))
        return false;
    if (comm->rank == 0)
        preview_lead(performance, failure);
    return comm_agree(comm, failure);
}

/* Local to the master. */
static bool lead(struct performance *performance, const struct run *run,
                 struct run_outcome *outcome, struct failure *failure)
{
    struct progress progress;
    struct pilot_sight sight = {
        .pilot = performance->execution->pilot, .trace = &outcome->trace, .progress = &progress};
    struct dispatch *decides = decides_new(performance, &sight, failure);
    dispatch_make(performance, decides, failure);
    progress_begin(performance, &progress);
    bool good = packages_lead(performance, run, &progress, outcome, failure);
    progress_end(&progress);
    if (good && (!performance->resume.on || performance->resume.dealt > 0))
        told_take(performance, decides, outcome);
    return good;
}

/* Local, in a run of its own on every rank. */
static void packages_do(struct performance *performance, const struct run *run,
                        struct done_packages *done, struct run_outcome *outcome,
                        struct failure *failure)
{
    const struct resume *resume = &performance->resume;
    const bool leads = run->comm->rank == 0, over = resume->on && resume->left == 0;
    if (leads && !over)
        lead(performance, run, outcome, failure);
    if (leads)
        outcome->trace_cut = !trace_writer_end(&performance->tracing);
    if (leads && resume->on) {
        resume_join(resume, run->job, outcome);
        outcome->resumed = true;
        outcome->kept = resume->before.tasks;
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
    const struct liveness_setup setup = {.comm = execution->comm,
                                         .path = execution->output,
                                         .command = execution->command,
                                         .again = execution->again,
                                         .workers = workers_of(performance),
                                         .patience_s = execution->patience_s,
                                         .plan = performance->plan,
                                         .costs = performance->costs,
                                         .largest_package = performance->decider.largest,
                                         .collects = execution->collects,
                                         .detector = execution->detector};
    return liveness_begin(&performance->liveness, &setup, failure);
}

/* Local. Everybody ends its part. */
static void end(struct performance *performance, const struct run *run,
                const struct done_packages *done, struct run_outcome *outcome,
                struct failure *failure)
{
    const struct resume *resume = &performance->resume;
    const bool lost = performance->liveness.members.loss_count > 0;
    /* Each worker sees what the others wrote. */
    const bool one_node = performance->workers_per_node == performance->execution->comm->size - 1;
    const struct ending ending = {.closing = {.run = run,
                                              .input = performance->making.input,
                                              .digest = performance->early,
                                              .even = resume->on || lost || one_node ||
                                                      computes(performance) ||
                                                      outcome->packages > DONE_MOST},
                                  .output = performance->execution->output,
                                  .plan = performance->plan,
                                  .pilot = performance->execution->pilot,
                                  .again = performance->execution->again,
                                  .digest = performance->digest,
                                  .begun_with = resume->remaining.input_sha256};
    if (run->comm->rank == 0)
        ending_lead(&ending, outcome, failure);
    else
        ending_follow(&ending, done, outcome, failure);
}

/* Core tasks that were done well before speak for the others. */
static int64_t failing_most(const struct performance *performance)
{
    enum { FAILING_LEAST = 12 };
    const struct summary *before = &performance->resume.before;
    const int workers = workers_of(performance);
    if (!performance->execution->failing_ends || before->tasks > before->failed)
        return 0;
    return workers > FAILING_LEAST ? workers : FAILING_LEAST;
}

/* Collective. */
static bool perform(struct performance *performance, struct run_outcome *outcome,
                    struct failure *failure)
{
    const struct execution *execution = performance->execution;
    struct liveness *liveness = &performance->liveness;
    if (!watch(performance, failure))
        return false;
    liveness->heartbeat.losses = &performance->losses;
    const struct run run = {
        .comm = &liveness->comm,
        .job = &performance->making.job,
        .members = liveness_members(liveness),
        .heartbeat = liveness_heartbeat(liveness),
        .input = performance->making.input,
        .store = performance->store,
        .losses = &performance->losses,
        .costs = performance->costs,
        .emulation = sleeps(performance) ? performance->costs : NULL,
        .collects = execution->collects,
        .keeps = execution->keeps,
        .largest_package = performance->decider.largest,
        .tasks =
            performance->resume.on ? performance->resume.left : (int64_t)execution->plan->tasks,
        .again = execution->again,
        .failing_most = failing_most(performance),
        .threads = execution->threads,
        .energy = energy_watch_begin(comm_first_on_node(execution->comm)),
        .buffers = plan_buffers(execution->plan),
        .tracing = execution->comm->rank == 0 ? &performance->tracing : NULL,
        .remembered = execution->pilot ? RUN_REMEMBERED : 0,
    };
    struct done_packages done = {0};
    conditions_say(performance);
    idle_ranks_say(performance);
    packages_do(performance, &run, &done, outcome, failure);
    end(performance, &run, &done, outcome, failure);
    energy_watch_end(run.energy);
    done_packages_release(&done);
    return failure->code == FAILURE_NONE;
}

/* What is known of a run that there is nothing left of. */
static void complete_tell(const struct performance *performance, struct run_outcome *outcome)
{
    const struct remaining *remaining = &performance->resume.remaining; /* the master's */
    outcome->resumed = true;
    outcome->kept = performance->making.job.setup.tasks;
    outcome->summary = (struct summary){
        .tasks = outcome->kept, .failed = remaining->failed, .checksum = remaining->checksum};
    resume_tell(&performance->resume, outcome);
}

static bool is_preview(const struct execution *execution)
{
    return execution->pilot && execution->pilot->preview;
}

/* It holds nothing, and would stand in the way of the next try. */
static bool is_in_vain(const struct performance *performance, const struct run_outcome *outcome,
                       bool good)
{
    return performance->created && !good && outcome->summary.tasks == 0 && !outcome->stopped;
}

/* Local. Who looks from elsewhere is told how it ended; of what is complete, or in vain, the output
 * says all, or there is none. */
static void status_finish(struct performance *performance, const struct run_outcome *outcome,
                          bool good, const struct failure *failure)
{
    const struct execution *execution = performance->execution;
    const bool stopped = outcome->stopped || failure->code == FAILURE_STOPPED;
    if (execution->comm->rank != 0 || is_preview(execution))
        return;
    if (good || is_in_vain(performance, outcome, good))
        status_remove(&performance->status, execution->output);
    else
        status_end(&performance->status, stopped ? RUN_STOPPED : RUN_FAILED, &outcome->summary);
}

bool execute_run(const struct execution *execution, struct run_outcome *outcome,
                 struct failure *failure)
{
    struct performance performance = {.execution = execution,
                                      .plan = execution->plan,
                                      .losses = {.file = -1},
                                      .tracing = {.file = -1}};
    bool good = false;
    if (!job_make(&performance, failure) || !work_find(&performance, failure))
        goto out;
    if (is_preview(execution)) {
        good = preview(&performance, failure);
        goto out;
    }
    if (performance.resume.complete) {
        complete_tell(&performance, outcome);
        good = true;
        goto out;
    }
    if (!decider_make(&performance, failure) || !memory_suffices(&performance, failure) ||
        !costs_make(&performance, failure) || !output_open(&performance, failure))
        goto out;
    oversubscription_say(&performance);
    good = perform(&performance, outcome, failure);
out:
    status_finish(&performance, outcome, good, failure);
    good = store_close(&performance.store, failure) && good;
    liveness_end(&performance.liveness);
    losses_close(&performance.losses);
    if (performance.tracing.path)
        trace_writer_end(&performance.tracing);
    if (is_in_vain(&performance, outcome, good)) {
        unlink(execution->output);
        trace_writer_remove(execution->output);
    }
    dispatch_free(&performance.dispatch);
    decider_release(&performance.decider);
    resume_release(&performance.resume);
    emulation_free(&performance.costs);
    free(performance.processor);
    digest_free(&performance.digest);
    making_release(&performance.making);
    return good;
}
