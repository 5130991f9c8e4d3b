/*
 * Calibrate on a simulated cluster, then plan and run by every scheduler and every rule; one line
 * for each, tab-separated: kind, name, predicted and simulated seconds, packages; "end" is the last
 * one, which SimGrid keeps back where ranks wait for each other for ever. The ranks are
 * threads of one process, so nothing here or in what it calls has static state.
 */
#include <inttypes.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "planner/base/options.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/ensemble.h"
#include "planner/studies/masters.h"
#include "planner/studies/planning.h"
#include "planner/studies/trees.h"
#include "spmd/run/execute.h"
#include "spmd/transport/bundle.h"
#include "spmd/transport/link_mpi.h"
#include "tests/simgrid/store.h"
#include "tests/simgrid/task.h"

enum { AHEAD = 2 };
/* Besides schedulers, --only may name several masters, side by side and in a tree. */
static const char MASTERS[] = "masters", GROUPS[] = "groups";

struct arguments {
    const char *values[TASK_PARAMETERS]; /* of the core task, as typed */
    const char *profile, *trace, *only;
    int64_t sets;
    double budget_s, growth;
    bool write_behind;
};

/* What is run, on every rank. */
struct trial {
    struct comm *comm;
    const struct arguments *arguments;
    struct kernel kernel;
    struct profile profile;
    char *profile_text; /* owned */
};

/* One scheduler or rule, and the master's prediction for it. */
struct decided {
    const char *kind, *name;
    struct plan plan;
    double predicted_s;
    int64_t packages;
};

/* ---- calibrating --------------------------------------------------------------------------- */

static bool settings_make(const struct arguments *arguments, struct settings *settings,
                          struct failure *failure)
{
    struct setting_wish wishes[TASK_PARAMETERS];
    for (int k = 0; k < TASK_PARAMETERS; k++)
        wishes[k] = (struct setting_wish){simulated_task.parameters[k].name, arguments->values[k],
                                          true, false};
    const struct setting_switches switches = {
        .staged = SETTING_NO, .write_behind = arguments->write_behind ? SETTING_YES : SETTING_NO};
    return settings_read(settings, &simulated_task, wishes, TASK_PARAMETERS, &switches, failure);
}

/* Collective. Gives the master's profile, as text, to every rank. */
static void profile_share(struct trial *trial, const struct calibration *calibration,
                          struct failure *failure)
{
    const struct comm *comm = trial->comm;
    char *text = comm->rank == 0 ? profile_print(&calibration->profile) : NULL;
    size_t length = text ? strlen(text) : 0;
    if (comm->rank == 0 && !text)
        failure_memory(failure, "printing the profile");
    trial->profile_text = bundle_share_text(text, &length, comm, failure);
    if (trial->profile_text)
        profile_parse(&trial->profile, trial->profile_text, length, "the profile", failure);
    if (comm->rank == 0 && failure->code == FAILURE_NONE && trial->arguments->profile)
        textfile_write(trial->arguments->profile, trial->profile_text, failure);
    comm_agree(comm, failure);
}

static void calibrate(struct trial *trial, struct comm *comm, struct failure *failure)
{
    struct calibration calibration = {0};
    struct settings settings = {.count = 0};
    settings_make(trial->arguments, &settings, failure);
    const struct calibration_request request = {
        .kernel = &trial->kernel,
        .settings = settings.items,
        .setting_count = settings.count,
        .own = settings.own,
        .own_count = settings.own_count,
        .scratch = ".",
        .effort = {.budget_s = trial->arguments->budget_s,
                   .growth = trial->arguments->growth,
                   .sets = (int)trial->arguments->sets,
                   .copies_most = 2},
        .seed = 1,
        .threads = 1,
        .quiet = true,
    };
    if (comm_agree(comm, failure) && calibration_make(&calibration, comm, &request, failure))
        profile_share(trial, &calibration, failure);
    calibration_release(&calibration);
    settings_release(&settings);
}

/* ---- deciding ------------------------------------------------------------------------------ */

static double tasks_of(const struct trial *trial)
{
    return atof(trial->arguments->values[TASK_TASKS]);
}

static bool plan_make(const struct planning *planning, struct plan *plan, struct failure *failure)
{
    struct planning quick = *planning;
    quick.scheduler = SCHEDULER_QUICK;
    if (strcmp(planning->scheduler, MASTERS) == 0)
        return masters_make(&quick, MASTERS_AUTO, plan, failure);
    if (strcmp(planning->scheduler, GROUPS) == 0)
        return trees_make(&quick, TREE_AUTO, plan, failure);
    return planning_make(planning, plan, failure);
}

/* Local to the master. False with *failure set where the scheduler does not apply. */
static bool plan_decide(const struct trial *trial, const char *scheduler, struct decided *decided,
                        struct failure *failure)
{
    const struct planning planning = {.profile = &trial->profile,
                                      .setting = &trial->profile.settings[0],
                                      .scheduler = scheduler,
                                      .tasks = tasks_of(trial)};
    if (!plan_make(&planning, &decided->plan, failure))
        return false;
    decided->predicted_s = decided->plan.predicted.makespan_s;
    decided->packages = plan_packages(&decided->plan);
    return true;
}

/* Local to the master. */
static bool rule_predict(const struct trial *trial, struct decided *decided,
                         struct failure *failure)
{
    const struct scenario usual = SCENARIO_INIT;
    struct platform platform;
    if (!platform_init(&platform, &trial->profile.settings[0], 0, failure))
        return false;
    struct dispatch_setup setup = {.rule = decided->name,
                                   .tasks = (int64_t)tasks_of(trial),
                                   .workers = platform.worker_count,
                                   .ahead = AHEAD};
    double *weights = dispatch_setup_platform(&setup, &platform);
    const struct decision decision = {.setup = &setup};
    struct simulation simulation = {0};
    struct dispatch *dispatch = decision_dispatch(&decision, &platform, &usual, failure);
    const bool good =
        dispatch && simulate_scenario(&platform, dispatch, &usual, NULL, &simulation, failure);
    decided->predicted_s = simulation.makespan_s;
    decided->packages = simulation.packages;
    dispatch_free(&dispatch);
    free(weights);
    platform_release(&platform);
    return good;
}

/* Collective. Gives the master's plan to every rank. */
static void plan_share(const struct trial *trial, struct decided *decided, struct failure *failure)
{
    char *text = trial->comm->rank == 0 ? plan_print(&decided->plan) : NULL;
    size_t length = text ? strlen(text) : 0;
    text = bundle_share_text(text, &length, trial->comm, failure);
    if (text && trial->comm->rank != 0)
        plan_parse_any(&decided->plan, text, length, "the plan", failure);
    free(text);
    comm_agree(trial->comm, failure);
}

/* ---- running ------------------------------------------------------------------------------- */

static void trace_write(const struct trial *trial, const struct decided *decided)
{
    const struct trace *trace = store_trace();
    char path[4096];
    snprintf(path, sizeof path, "%s.%s.tsv", trial->arguments->trace, decided->name);
    FILE *file = fopen(path, "w");
    for (size_t k = 0; file && k < trace->count; k++) {
        const struct trace_event *event = &trace->events[k];
        fprintf(file, "%d\t%s\t%" PRId64 "\t%" PRId64 "\t%.6f\t%.6f\n", event->rank,
                operation_name((enum operation)event->operation), event->package, event->tasks,
                event->start_s, event->end_s);
    }
    if (file)
        fclose(file);
}

static void decided_tell(const struct trial *trial, const struct decided *decided,
                         const struct run_outcome *outcome)
{
    printf("%s\t%s\t%.6f\t%.6f\t%" PRId64 "\t%016" PRIx64 "\n", decided->kind, decided->name,
           decided->predicted_s, outcome->makespan_s, decided->packages, outcome->summary.checksum);
    fflush(stdout);
    if (trial->arguments->trace)
        trace_write(trial, decided);
}

/* Collective. */
static bool decided_run(const struct trial *trial, const struct decided *decided, bool rule,
                        struct failure *failure)
{
    struct run_outcome outcome = {0};
    const struct execution execution = {
        .comm = trial->comm,
        .kernel = &trial->kernel,
        .plan = &decided->plan,
        .plan_text = "{}",
        .profile_text = trial->profile_text,
        .profile = &trial->profile,
        .plan_name = decided->name,
        .output = "",
        .emitted = "",
        .isa = "",
        .threads = 1,
        .rule = rule ? decided->name : NULL,
        .ahead = AHEAD,
        .quiet = true,
    };
    const bool good = execute_run(&execution, &outcome, failure);
    if (good && trial->comm->rank == 0)
        decided_tell(trial, decided, &outcome);
    run_outcome_release(&outcome);
    return good;
}

static bool is_wanted(const struct trial *trial, const char *name)
{
    const char *only = trial->arguments->only;
    const size_t length = strlen(name);
    for (const char *at = only; at && (at = strstr(at, name)); at += length)
        if ((at == only || at[-1] == ',') && (at[length] == ',' || !at[length]))
            return true;
    return !only;
}

/* Collective. */
static bool scheduler_try(const struct trial *trial, const char *name, struct failure *failure)
{
    struct decided decided = {.kind = "plan", .name = name};
    struct failure reason = FAILURE_INIT;
    int applies = trial->comm->rank == 0 && plan_decide(trial, name, &decided, &reason);
    if (reason.code != FAILURE_NONE)
        fprintf(stderr, "%s\n", reason.text);
    comm_broadcast(trial->comm, &applies, sizeof applies);
    if (applies)
        plan_share(trial, &decided, failure);
    const bool good =
        failure->code == FAILURE_NONE && (!applies || decided_run(trial, &decided, false, failure));
    plan_release(&decided.plan);
    return good;
}

/* Collective. A rule needs a plan that says what the job is. */
static bool rule_try(const struct trial *trial, const char *name, struct failure *failure)
{
    struct decided decided = {.kind = "rule", .name = name};
    if (trial->comm->rank == 0 && (plan_decide(trial, SCHEDULER_QUICK, &decided, failure)))
        rule_predict(trial, &decided, failure);
    if (comm_agree(trial->comm, failure))
        plan_share(trial, &decided, failure);
    const bool good = failure->code == FAILURE_NONE && decided_run(trial, &decided, true, failure);
    plan_release(&decided.plan);
    return good;
}

static void all_try(const struct trial *trial, struct failure *failure)
{
    size_t count = 0;
    const struct scheduler *schedulers = scheduler_list(&count);
    bool good = true;
    for (size_t k = 0; good && k < count; k++)
        if (is_wanted(trial, schedulers[k].name))
            good = scheduler_try(trial, schedulers[k].name, failure);
    for (size_t k = 0; good && trial->arguments->only && k < 2; k++)
        if (is_wanted(trial, k == 0 ? MASTERS : GROUPS))
            good = scheduler_try(trial, k == 0 ? MASTERS : GROUPS, failure);
    for (size_t k = 0; good && k < dispatch_rule_count(); k++)
        if (is_wanted(trial, dispatch_rule_name(k).name))
            good = rule_try(trial, dispatch_rule_name(k).name, failure);
}

/* ---- whole --------------------------------------------------------------------------------- */

static bool arguments_read(struct arguments *arguments, int argc, char **argv,
                           struct failure *failure)
{
    struct option_row rows[TASK_PARAMETERS + 7] = {
        {0, "write-behind", NULL, OPTION_FLAG, &arguments->write_behind,
         "compute while results are being written"},
        {0, "profile", "FILE", OPTION_TEXT, &arguments->profile, "where to write the profile"},
        {0, "trace", "FILE", OPTION_TEXT, &arguments->trace, "traces go to FILE.NAME.tsv"},
        {0, "only", "NAME,...", OPTION_TEXT, &arguments->only, "these schedulers and rules"},
        {0, "budget", "S", OPTION_NUMBER, &arguments->budget_s, "simulated time to calibrate"},
        {0, "growth", "G", OPTION_NUMBER, &arguments->growth, "of package sizes probed"},
        {0, "sets", "N", OPTION_COUNT, &arguments->sets, "of places that are probed"}};
    for (int k = 0; k < TASK_PARAMETERS; k++)
        rows[7 + k] = (struct option_row){0,
                                          simulated_task.parameters[k].name,
                                          "N",
                                          OPTION_TEXT,
                                          &arguments->values[k],
                                          simulated_task.parameters[k].help};
    const struct option_table table = {.usage = "smpirun ... cluster --tasks N [options]",
                                       .purpose = "Predicted and simulated makespans.",
                                       .rows = rows,
                                       .row_count = sizeof rows / sizeof rows[0]};
    int operands = 0;
    if (options_read(&table, argc, argv, NULL, 0, &operands, failure) != OPTIONS_READ)
        return false;
    return arguments->values[TASK_TASKS] ||
           failure_set(failure, FAILURE_USAGE, "how many core tasks is it? Say --tasks N");
}

int main(int argc, char **argv)
{
    struct arguments arguments = {.budget_s = 1000, .growth = 4, .sets = 2};
    struct failure failure = FAILURE_INIT;
    struct comm comm;
    MPI_Init(&argc, &argv);
    comm_init(&comm, link_mpi(MPI_COMM_WORLD));
    struct trial trial = {
        .comm = &comm, .arguments = &arguments, .kernel = {.task = &simulated_task}};
    if (arguments_read(&arguments, argc, argv, &failure)) {
        calibrate(&trial, &comm, &failure);
        if (failure.code == FAILURE_NONE)
            all_try(&trial, &failure);
    }
    if (comm.rank == 0 && failure.code != FAILURE_NONE)
        fprintf(stderr, "cluster: %s\n", failure.text);
    else if (comm.rank == 0)
        puts("end");
    profile_release(&trial.profile);
    free(trial.profile_text);
    MPI_Finalize();
    return (int)failure.code;
}
