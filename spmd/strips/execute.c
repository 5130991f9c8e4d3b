#include "spmd/strips/execute.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/jacobi/jacobi.h"
#include "planner/base/duration.h"
#include "planner/strips/strips_outcome.h"
#include "spmd/job/values.h"
#include "spmd/launch/progress.h"
#include "spmd/strips/grid_file.h"
#include "spmd/strips/strips_run.h"
#include "spmd/transport/clock.h"

/* What a rank opens and must close again. */
struct opened {
    struct strips_run run;
    struct grid_file *file;       /* the master's */
    struct strips_grid grid;      /* in it */
    struct strips_master *master; /* one of the two */
    struct strips_worker *worker;
    struct process *processes; /* the master's, owned; of all ranks */
    double change;             /* that the grid had last */
    const struct strips_execution *execution;
    struct progress progress; /* the master's */
    double begun_s;
};

/* Local, the same on every rank. */
static bool ranks_check(const struct strips_execution *execution, struct failure *failure)
{
    const struct strips_plan *plan = execution->plan;
    int64_t greatest = 0;
    for (size_t k = 0; k < plan->strip_count; k++)
        greatest = plan->strips[k].rank > greatest ? plan->strips[k].rank : greatest;
    return greatest < execution->comm->size ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: has a strip for rank %" PRId64 ", and there are %d workers: start it "
                       "with mpiexec -n %" PRId64 ", or plan with -n %d",
                       execution->plan_name, greatest, execution->comm->size - 1, greatest + 1,
                       execution->comm->size - 1);
}

/* Local, the same on every rank. */
static bool values_find(const struct strips_execution *execution, struct jacobi_values *found,
                        struct failure *failure)
{
    struct values values = {0};
    if (strcmp(execution->plan->kernel, jacobi_task.name) != 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: is of the core task %.60s, which does not go in strips: %s does",
                           execution->plan_name, execution->plan->kernel, jacobi_task.name);
    const bool good = values_read(&values, &jacobi_task, &execution->plan->parameters,
                                  execution->plan_name, true, failure);
    if (good && !jacobi_values_check(values.items))
        failure_set(failure, FAILURE_MISMATCH, "%s: inside must be a number, or mean",
                    execution->plan_name);
    else if (good)
        *found = jacobi_values_read(values.items);
    values_release(&values);
    return failure->code == FAILURE_NONE;
}

/* Local to the master. Which grid the run goes on with, where that is not the expected one. */
static void there_say(const struct strips_execution *execution, const struct grid_there *there)
{
    if (there->damaged > 0)
        fprintf(stderr,
                "scow run: %s: its grid after %" PRId64 " iterations is not what was written: goes "
                "on with the one before, after %" PRId64 "\n",
                execution->output, there->damaged, there->iterations);
    if (execution->resume && there->iterations == 0 && !execution->quiet)
        fprintf(stderr, "scow run: %s has no grid yet: begins with the first iteration\n",
                execution->output);
}

/* Local to the master. */
static void file_open(const struct strips_execution *execution, struct opened *opened,
                      struct failure *failure)
{
    const struct grid_file_setup setup = {.comm = execution->comm,
                                          .path = execution->output,
                                          .plan = execution->plan,
                                          .plan_text = execution->plan_text,
                                          .profile_text = execution->profile_text,
                                          .command_line = execution->command_line,
                                          .isa = execution->isa,
                                          .resume = execution->resume,
                                          .trust = execution->trust};
    struct grid_there there;
    if (!grid_file_open(&setup, &opened->file, &there, failure))
        return;
    opened->grid = grid_file_grid(opened->file);
    opened->run.done = there.iterations;
    opened->change = there.change;
    there_say(execution, &there);
}

/* Is there nothing to do any more? */
static bool is_complete(const struct strips_execution *execution, const struct opened *opened)
{
    const struct strips_job *job = &execution->plan->job;
    return opened->run.done >= job->iterations ||
           (opened->run.done > 0 && job->tolerance > 0 && opened->change <= job->tolerance);
}

/* Collective. Everything that can fail on one rank alone. */
static bool all_open(const struct strips_execution *execution, struct opened *opened,
                     struct failure *failure)
{
    const struct comm *comm = execution->comm;
    struct {
        int64_t done;
        double change;
    } there;
    if (ranks_check(execution, failure) && values_find(execution, &opened->run.values, failure) &&
        comm_leads(comm))
        file_open(execution, opened, failure);
    if (!comm_agree(comm, failure))
        return false;
    there.done = opened->run.done;
    there.change = opened->change;
    comm_broadcast(comm, &there, sizeof there);
    opened->run.done = there.done;
    opened->change = there.change;
    if (is_complete(execution, opened))
        return true;
    if (comm_leads(comm))
        strips_master_new(&opened->run, &opened->grid, &opened->master, failure);
    else
        strips_worker_new(&opened->run, &opened->worker, failure);
    if (comm_agree(comm, failure))
        return true;
    if (opened->file)
        grid_file_discard(opened->file);
    return false;
}

/* Collective: from here on each takes part by itself. Who holds its place in the output is there,
 * and all hold theirs before anybody looks. */
static bool all_part(const struct strips_execution *execution, struct opened *opened,
                     struct failure *failure)
{
    /* Signs of life come far more often than iterations. */
    static const double longest_s = 1e-3;
    const struct comm *comm = execution->comm;
    struct process own = process_self(), master = own;
    if (comm_leads(comm)) {
        opened->processes = calloc((size_t)comm->size, sizeof *opened->processes);
        if (!opened->processes)
            failure_memory(failure, "preparing for the loss of workers");
    }
    if (!comm_agree(comm, failure))
        return false;
    liveness_place(execution->liveness, execution->output);
    comm_gather(comm, &own, sizeof own, opened->processes);
    comm_broadcast(comm, &master, sizeof master);
    if (!comm_leads(comm))
        liveness_join(execution->liveness, 0, &master);
    for (int rank = 1; comm_leads(comm) && rank < comm->size; rank++)
        liveness_join(execution->liveness, rank, &opened->processes[rank]);
    liveness_part(execution->liveness, execution->patience_s, longest_s);
    return true;
}

/* Local to the master. */
static void idle_say(const struct strips_execution *execution)
{
    const int idle = execution->comm->size - 1 - (int)execution->plan->strip_count;
    if (idle > 0 && !execution->quiet)
        fprintf(stderr,
                "scow run: %s has strips for %zu workers: %d more can take a lost one's place\n",
                execution->plan_name, execution->plan->strip_count, idle);
}

/* Local to the master. */
static void outcome_print(const struct strips_execution *execution,
                          const struct strips_outcome *outcome, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (!execution->quiet) {
        strips_outcome_describe(execution->plan, outcome, &text);
        text_print(&text, "describing the run", failure);
    }
    if (!outcome->complete)
        failure_set(failure, FAILURE_STOPPED,
                    "%s: stopped after %" PRId64 " of %" PRId64
                    " iterations: run the same again with --resume",
                    execution->output, outcome->iterations, execution->plan->job.iterations);
}

static bool run_late(void *self, double seconds)
{
    const struct opened *opened = self;
    return opened->execution->late(opened->execution->self, seconds);
}

static bool run_asked(void *self)
{
    const struct opened *opened = self;
    return opened->execution->asked(opened->execution->self);
}

static void run_tell_lost(void *self, int rank, int spare, const char *why)
{
    char others[80] = "the others begin";
    (void)self;
    if (spare > 0)
        snprintf(others, sizeof others, "worker %d takes its place, and all begin", spare);
    fprintf(stderr, "scow run: worker %d is lost: %s; %s anew with the grid that was kept last\n",
            rank, why, others);
}

static void run_tell(void *self, const struct strips_outcome *outcome)
{
    struct opened *opened = self;
    const double elapsed_s = clock_now() - opened->begun_s;
    const double all = (double)opened->execution->plan->job.iterations;
    const double done = (double)outcome->iterations, part = done - (double)outcome->begun;
    char text[200], brief[80], passed[DURATION_SIZE], left[DURATION_SIZE];
    if (!progress_due(&opened->progress, elapsed_s))
        return;
    duration_print(elapsed_s, passed);
    duration_print(elapsed_s / part * (all - done), left);
    snprintf(text, sizeof text,
             "iteration %.0f of %.0f (%.0f %%), the last changes no cell by more than %.3g, %s, "
             "%s left",
             done, all, 100 * done / all, outcome->change, passed, left);
    snprintf(brief, sizeof brief, "%.0f %%, %s left", 100 * done / all, left);
    const char *const texts[] = {text, brief};
    progress_line(&opened->progress, texts, sizeof texts / sizeof *texts, elapsed_s);
}

/* Local to the master. The output is as it shall be, and what has become of the run is said. */
static void outcome_take(const struct strips_execution *execution, struct opened *opened,
                         struct failure *failure)
{
    const struct strips_outcome *outcome = strips_master_outcome(opened->master);
    const bool none_left = failure->code == FAILURE_STOPPED;
    if (none_left) {
        *failure = (struct failure)FAILURE_INIT;
        failure_set(failure, FAILURE_STOPPED,
                    "%s: no worker is left, and the grid after %" PRId64 " of %" PRId64
                    " iterations is kept: run the same again with --resume",
                    execution->output, outcome->iterations, execution->plan->job.iterations);
    }
    if (failure->code == FAILURE_NONE || none_left)
        grid_file_seal(opened->file, outcome->complete, failure);
    if (failure->code == FAILURE_NONE)
        outcome_print(execution, outcome, failure);
}

/* Local to the master. Those that are lost or, where none is, all. */
static void others_find(struct opened *opened, struct strips_ended *ended)
{
    ended->others = (struct process_list){opened->processes, 0};
    opened->processes = NULL;
    for (int rank = 1; rank < opened->run.comm->size; rank++)
        if (!ended->broken || strips_master_lost(opened->master, rank))
            ended->others.items[ended->others.count++] = ended->others.items[rank];
}

/* Local to the master. */
static void lead(const struct strips_execution *execution, struct opened *opened,
                 struct strips_ended *ended, struct failure *failure)
{
    idle_say(execution);
    opened->begun_s = clock_now();
    progress_init(&opened->progress, execution->quiet ? NULL : stderr, 0, 0);
    strips_master_run(opened->master, failure);
    progress_end(&opened->progress);
    outcome_take(execution, opened, failure);
    ended->broken = strips_master_end(opened->master, failure);
    others_find(opened, ended);
}

/* Local to a worker. */
static void follow(struct opened *opened, struct strips_ended *ended, struct failure *failure)
{
    struct strips_end end;
    strips_worker_run(opened->worker, &end);
    ended->broken = end.broken;
    if (end.broken && end.code != FAILURE_NONE)
        failure_set(failure, end.code, "the run has ended so at the master");
}

bool strips_execute(const struct strips_execution *execution, struct strips_ended *ended,
                    struct failure *failure)
{
    struct opened opened = {.execution = execution,
                            .run = {.comm = execution->comm,
                                    .plan = execution->plan,
                                    .threads = execution->threads,
                                    .rebalances = true,
                                    .liveness = execution->liveness,
                                    .asked = run_asked,
                                    .late = run_late,
                                    .tell = run_tell,
                                    .tell_lost = run_tell_lost,
                                    .self = &opened}};
    *ended = (struct strips_ended){.broken = false};
    const bool good = all_open(execution, &opened, failure);
    const bool runs = good && !is_complete(execution, &opened);
    if (runs && all_part(execution, &opened, failure) && opened.master)
        lead(execution, &opened, ended, failure);
    else if (runs && opened.worker && failure->code == FAILURE_NONE)
        follow(&opened, ended, failure);
    else if (good && !runs && comm_leads(execution->comm) && !execution->quiet)
        printf("%s: all is done: %" PRId64 " iterations\n", execution->output, opened.run.done);
    free(opened.processes);
    strips_worker_free(&opened.worker);
    strips_master_free(&opened.master);
    grid_file_close(&opened.file);
    return failure->code == FAILURE_NONE;
}
