#include "spmd/run/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "planner/files/textfile.h"
#include "planner/replan/watching.h"
#include "spmd/job/output_name.h"
#include "spmd/launch/devices.h"
#include "spmd/launch/documents.h"
#include "spmd/launch/instructions.h"
#include "spmd/launch/launch.h"
#include "spmd/launch/method.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/run/changes.h"
#include "spmd/run/execute.h"
#include "spmd/run/levels.h"
#include "spmd/run/one_master.h"
#include "spmd/run/plan_weights.h"
#include "spmd/run/run_options.h"
#include "spmd/run/run_outcome.h"
#include "spmd/strips/execute.h"

/* The patience with a worker is multiplied by this until there is an output, because one rank may
 * be reading a large input alone. */
static const double ASSEMBLY_FACTOR = 5;

struct arguments {
    struct run_options run;
    const char *plan, *kernel, *rule, *replan, *tail;
    struct weights_options weights;
    int64_t ahead;
    bool dca, verbose;
    struct changes changes; /* of the core task's parameters */
};

enum { ROWS_MOST = 25 + WEIGHTS_ROWS };

/* First the rows of every run, then those of core tasks; *own becomes the number of the first
 * ones. */
static size_t rows_fill(struct arguments *arguments, struct option_row *rows, size_t *own)
{
    const struct option_row fixed[] = {
        {'i', "input", "INPUT", OPTION_TEXT, &arguments->run.input,
         "input that the plan was made for, if its core task has one; -: standard input, which is "
         "kept as OUTPUT.input"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->run.output, "HDF5 file to create"},
        run_options_row(&arguments->run, "profile"),
        {'k', "kernel", "./FILE.so", OPTION_TEXT, &arguments->kernel,
         "plug-in of the plan's core task (default: where it was when the plan was made)"},
        {'s', "scheduler", "RULE[,NAME=VALUE...]", OPTION_TEXT, &arguments->rule,
         "assign packages on request by this rule, in place of the plan's rounds: ss, gss, fac, "
         "...; "
         "'scow simulate --help' lists them and their options"},
        {0, "dca", NULL, OPTION_FLAG, &arguments->dca,
         "with a rule: workers calculate its packages themselves, by a counter that all share, and "
         "ask no master (ss, fsc, gss, tss, fiss, fac)"},
        {0, "replan", "TOLERANCE", OPTION_TEXT, &arguments->replan,
         "watch the plan, and plan the remaining tasks again when workers deviate by more than "
         "this (10%)"},
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &arguments->tail,
         "assign the plan's end on request: as much of it as the profile's spread requires, that "
         "SHARE, or all but what each worker can be relied upon to do (RULE:dependable[=K]: its "
         "rate less 3 or K standard deviations); default: the plan's own; none"},
        {0, "ahead", "N", OPTION_COUNT, &arguments->ahead,
         "with a rule or a tail: packages that a worker has at a time (default 2)"},
        run_options_row(&arguments->run, "results"),
        run_options_row(&arguments->run, "collect"),
        {0, "resume", NULL, OPTION_FLAG, &arguments->run.resume,
         "go on with FILE, which the same run left when it was stopped or killed; begin if it is "
         "not there"},
        run_options_row(&arguments->run, "trust"),
        run_options_row(&arguments->run, "retry-lost"),
        run_options_row(&arguments->run, "until"),
        run_options_row(&arguments->run, "patience"),
        run_options_row(&arguments->run, "no-copies"),
        run_options_row(&arguments->run, "gpus-per-worker"),
        run_options_row(&arguments->run, "isa"),
        run_options_row(&arguments->run, "quiet"),
        {'v', "verbose", NULL, OPTION_FLAG, &arguments->verbose, "say what is being done"},
        run_options_row(&arguments->run, "version"),
    };
    size_t count = sizeof fixed / sizeof fixed[0];
    _Static_assert(sizeof fixed / sizeof fixed[0] + WEIGHTS_ROWS < ROWS_MOST, "room for all rows");
    memcpy(rows, fixed, sizeof fixed);
    count += weights_rows(&arguments->weights, rows + count);
    rows[count++] = weights_of_row(&arguments->weights);
    *own = changes_rows(&arguments->changes, rows + count);
    return count + *own;
}

/* With a counter the master decides nothing: options for what it would decide are refused. */
static bool dca_check(const struct arguments *arguments, struct failure *failure)
{
    if (!arguments->dca)
        return true;
    if (!arguments->rule)
        return failure_set(failure, FAILURE_USAGE,
                           "--dca is for rules: add -s RULE in place of the plan's rounds");
    if (arguments->ahead > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--ahead is for packages that a master sends, and with --dca workers "
                           "take theirs one by one: leave it out");
    if (arguments->run.collect)
        return failure_set(failure, FAILURE_USAGE,
                           "--collect has results return to the master, and with --dca no master "
                           "takes them: leave one of them out");
    return dispatch_rule_is_closed(arguments->rule, failure);
}

/* In the order in which a user would want to know: the plan, which workers need not see; who runs
 * it; where results go. */
static bool arguments_are_there(const struct comm *comm, const struct arguments *arguments,
                                struct failure *failure)
{
    if ((!arguments->plan || !arguments->run.output) &&
        !changes_refuse_unknown(&arguments->changes, failure))
        return false;
    if (!arguments->plan)
        return failure_set(failure, FAILURE_USAGE, "the plan is missing: see scow run --help");
    if (comm_leads(comm) && !textfile_there(arguments->plan, failure))
        return false;
    if (!launch_ranks_check(comm, failure))
        return false;
    return arguments->run.output ||
           failure_set(failure, FAILURE_USAGE,
                       "the output (-o FILE) is missing: see scow run --help");
}

/* Checks that the options go together. */
static bool arguments_check(const struct arguments *arguments, struct failure *failure)
{
    if (arguments->ahead > 1000)
        return failure_set(failure, FAILURE_USAGE, "--ahead is at most 1000: give less");
    if (!run_options_check(&arguments->run, failure))
        return false;
    if (!weights_options_check(&arguments->weights, failure) || !dca_check(arguments, failure))
        return false;
    return !arguments->rule || (!arguments->replan && !arguments->tail) ||
           failure_set(failure, FAILURE_USAGE,
                       "--replan and --tail are for plans: leave -s RULE out");
}

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            struct arguments *arguments, bool *over, struct failure *failure)
{
    struct option_row rows[ROWS_MOST + CHANGES_MOST];
    size_t own = 0;
    const size_t row_count = rows_fill(arguments, rows, &own);
    const struct option_table table = {
        .usage = "scow run PLAN [-i INPUT] -o FILE [options]",
        .purpose = "Execute a plan, started as mpiexec -n P+1 scow run ...: rank 0 is the master, "
                   "ranks 1 to P are the workers.",
        .rows = rows,
        .row_count = row_count,
        .own_count = own,
        .own_title = "Options of core tasks that do not change their costs, in place of the plan's",
        .unknown = changes_keep,
        .self = &arguments->changes,
        .epilogue =
            "Threads per rank: what the plan says (calibrate --threads), or OMP_NUM_THREADS, or "
            "the node's cores shared among its workers.\nExit: 0 done, 1 failed, 2 usage, 4 plan, "
            "input or output do not match, 75 stopped as asked (SIGINT, SIGTERM, SIGUSR1), out of "
            "time, or without workers: run again with --resume.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 1, &operands, &arguments->run.version,
                        over, failure))
        return false;
    arguments->plan = operand;
    arguments->weights.input = arguments->run.input;
    if (*over)
        return true;
    if (!arguments_are_there(comm, arguments, failure) || !arguments_check(arguments, failure))
        return false;
    return (!arguments->run.isa || instructions_pin(arguments->run.isa, comm, failure)) &&
           (!comm_leads(comm) || output_name_check(arguments->run.output, failure));
}

/* Local to the master. */
static void intent_print(const struct arguments *arguments, const struct documents *documents,
                         const struct execution *execution)
{
    const struct plan *plan = &documents->plan;
    if (!arguments->run.quiet && plan->profile && !documents->profile_text)
        fprintf(stderr,
                "scow run: the plan's profile '%s' cannot be found (name it with -p): the report "
                "will have no prediction of single operations\n",
                plan->profile);
    if (!arguments->run.quiet && arguments->run.collect && !results_return(plan_returns(plan)))
        fprintf(stderr,
                "scow run: %s: was made for workers that write, so that what it predicts leaves "
                "out how results return: calibrate with --collect and plan again\n",
                arguments->plan);
    if (arguments->verbose)
        fprintf(stderr,
                "scow run: %s: %.0f core tasks in %" PRId64 " packages to %" PRId64
                " workers by %s, %d threads each, %s\n",
                arguments->plan, plan->tasks, plan_packages(plan), plan_workers_needed(plan),
                plan->scheduler, execution->threads, execution->isa);
}

/* Local. Opens the plan's core task. */
static bool kernel_find(struct kernel *kernel, const struct arguments *arguments,
                        const struct plan *plan, struct failure *failure)
{
    const struct kernel_name name = {plan->kernel, plan->plugin, plan->plugin_sha256};
    if (arguments->kernel && !strchr(arguments->kernel, '/'))
        return failure_set(failure, FAILURE_USAGE,
                           "--kernel %s: the plan says which; give the path of its plug-in "
                           "(./FILE.so)",
                           arguments->kernel);
    return kernel_open(kernel, name, arguments->kernel, arguments->plan, failure) &&
           kernel_input_check(kernel, arguments->run.input, arguments->plan, failure);
}

/* Collective. The number of threads that the plan was made for or, if it does not say, that ranks
 * were started with. */
static int threads_choose(const struct comm *comm, const struct plan *plan)
{
    const int threads = launch_threads(comm);
    return plan->threads > 0 ? plan->threads : threads;
}

/* The tail that was asked for, else the plan's; NULL: none. */
static const char *tail_choose(const struct arguments *arguments, const struct plan *plan)
{
    const char *tail = arguments->tail ? arguments->tail : arguments->rule ? NULL : plan->tail;
    return tail && strcmp(tail, WATCHING_NO_TAIL) != 0 ? tail : NULL;
}

static void ahead_check(const struct arguments *arguments, const struct plan *plan,
                        struct failure *failure)
{
    if (arguments->ahead > 0 && !arguments->rule && !tail_choose(arguments, plan))
        failure_set(failure, FAILURE_USAGE, "--ahead is for rules: add -s RULE, or leave it out");
}

/* Does the master write what workers return? As asked for, else as the plan says. */
static bool collects(const struct arguments *arguments, const struct plan *plan)
{
    return arguments->run.collect || results_return(plan_returns(plan));
}

static void assemble(bool begins)
{
    if (begins)
        launch_assemble();
    else
        launch_assembled();
}

/* Collective. Runs a core task that searches in levels. */
static void levels_execute(struct comm *comm, const struct arguments *arguments,
                           const struct execution *execution, struct run_outcome *outcome,
                           struct failure *failure)
{
    const struct levels_setup setup = {.comm = comm,
                                       .liveness = execution->liveness,
                                       .assembly_s = ASSEMBLY_FACTOR * arguments->run.patience_s,
                                       .results = arguments->run.results};
    levels_check(execution, failure);
    if (comm_agree(comm, failure))
        levels_run(execution, &setup, outcome, failure);
}

/* Names an option that only one master can fulfil; NULL: there is none. Masters side by side decide
 * each as a single one does. */
static const char *single_by_options(const struct arguments *arguments, const struct plan *plan)
{
    const bool alone = collects(arguments, plan) || plan->operating != OPERATING_SINGLE_PORT;
    const struct {
        bool asked;
        const char *what;
    } single[] = {
        {arguments->rule && (alone || arguments->dca), arguments->dca ? "--dca" : "-s"},
        {arguments->replan && alone, "--replan"},
        {alone && tail_choose(arguments, plan), arguments->tail ? "--tail" : "the plan's tail"},
        {arguments->run.input && strcmp(arguments->run.input, "-") == 0, "standard input (-i -)"}};
    for (size_t k = 0; k < sizeof single / sizeof *single; k++)
        if (single[k].asked)
            return single[k].what;
    return NULL;
}

/* Collective. Each of several masters reads the input itself: where one cannot, rank 0 reads for
 * all. */
static bool input_seen(const struct comm *comm, const char *input, const struct plan *plan)
{
    struct failure unseen = FAILURE_INIT;
    if (!input || (plan->star_count == 0 && plan->child_count == 0))
        return true;
    if (plan_has_master(plan, comm->rank) && access(input, R_OK) != 0)
        failure_set(&unseen, FAILURE_MISMATCH, "rank %d does not see %s", comm->rank, input);
    return comm_agree(comm, &unseen);
}

/* Names a property of the core task that only one master can handle; NULL: there is none. */
static const char *single_by_task(const struct scow_task *task)
{
    return task_has_levels(task) ? "a search in levels" : NULL;
}

static bool single_take(const struct comm *comm, const struct arguments *arguments,
                        struct documents *documents, const char *what, struct failure *failure)
{
    const struct one_master one = {.command = "scow run",
                                   .plan_name = arguments->plan,
                                   .what = what,
                                   .by_rule = arguments->rule != NULL,
                                   .says = comm_leads(comm) && !arguments->run.quiet};
    return one_master_take(documents, &one, failure);
}

/* Collective. Runs a plan that has been read. */
static void plan_execute(struct comm *comm, const struct arguments *arguments,
                         struct documents *documents, struct liveness *liveness,
                         struct failure *failure)
{
    struct run_outcome outcome = {0};
    struct kernel kernel = {0};
    struct parameter_list changed = {0};
    char *emitted = run_outcome_emitted(arguments->run.output, arguments->run.results), *isa = NULL;
    char *input = NULL;
    if (!emitted)
        failure_memory(failure, "naming the results");
    ahead_check(arguments, &documents->plan, failure);
    launch_threads_check(failure);
    const struct devices_wish devices = {arguments->run.gpus,
                                         documents->plan.own.tasks > 0 && !arguments->rule};
    if (!devices_share(comm, &devices, failure))
        goto out;
    if (failure->code == FAILURE_NONE && kernel_find(&kernel, arguments, &documents->plan, failure))
        changes_read(&arguments->changes, kernel.task, &changed, failure);
    if (!kernel_agree(comm, &kernel, failure))
        goto out;
    single_take(comm, arguments, documents, single_by_task(kernel.task), failure);
    input = launch_input(comm, arguments->run.input, arguments->run.output, arguments->run.resume,
                         failure);
    comm_align_clocks(comm);
    isa = instructions_gather(comm);
    struct execution execution = {
        .comm = comm,
        .kernel = &kernel,
        .plan = &documents->plan,
        .plan_text = documents->plan_text,
        .profile_text = documents->profile_text,
        .profile = documents_profile(documents),
        .plan_name = arguments->plan,
        .input = input,
        .emitted = emitted,
        .changed = &changed,
        .collects = collects(arguments, &documents->plan),
        .keeps = plan_returns(&documents->plan) == RESULTS_END,
        .command = "scow run",
        .again = "run the same again with --resume",
        .isa = isa,
        .threads = threads_choose(comm, &documents->plan),
        .rule = arguments->rule,
        .replan = arguments->replan,
        .tail = tail_choose(arguments, &documents->plan),
        .ahead = arguments->dca         ? 1
                 : arguments->ahead > 0 ? (int)arguments->ahead
                                        : WATCHING_AHEAD,
        .counted = arguments->dca,
        .liveness = liveness,
        .assemble = assemble,
    };
    run_options_apply(&arguments->run, &execution);
    if (comm_leads(comm) && failure->code == FAILURE_NONE)
        intent_print(arguments, documents, &execution);
    if (task_has_levels(kernel.task))
        levels_execute(comm, arguments, &execution, &outcome, failure);
    else if (execute_run(&execution, &outcome, failure) && comm_leads(comm)) {
        run_outcome_print(arguments->run.output, &outcome, !arguments->rule);
        run_outcome_check(arguments->run.output, &outcome, failure);
    }
    comm->broken = outcome.broken;
    comm->others = outcome.others;
    outcome.others = (struct process_list){NULL, 0};
out:
    free(isa);
    free(input);
    free(emitted);
    run_outcome_release(&outcome);
    parameter_list_release(&changed);
    kernel_close(&kernel);
}

/* ---- strips -------------------------------------------------------------------------------- */

static bool strips_check(const struct arguments *arguments, struct failure *failure)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{arguments->run.input, "-i"},
                  {arguments->kernel, "--kernel"},
                  {arguments->rule, "-s"},
                  {arguments->dca, "--dca"},
                  {arguments->replan, "--replan"},
                  {arguments->tail, "--tail"},
                  {arguments->ahead > 0, "--ahead"},
                  {arguments->run.results, "--results"},
                  {arguments->run.collect, "--collect"},
                  {arguments->run.retry_lost, "--retry-lost"},
                  {weights_asked(&arguments->weights), "--weights"},
                  {arguments->run.gpus > 0, "--gpus-per-worker"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return failure_set(
                failure, FAILURE_USAGE,
                "%s is for packages of core tasks, and %s is of strips: leave it out",
                others[k].name, arguments->plan);
    return true;
}

/* What strips need to know while they run. */
struct strips_limits {
    const struct until *until;
    struct liveness *liveness;
};

/* At the master: would the run exceed its time if it went on for so many seconds? */
static bool until_misses(void *self, double seconds)
{
    const struct until *until = ((const struct strips_limits *)self)->until;
    return until->known && until_left_s(until, until_now()) < seconds;
}

/* A signal that a launcher sends to all ranks when one has died is not meant for those that are
 * left. */
static bool strips_asked(void *self)
{
    const struct strips_limits *limits = self;
    if (interrupt_hinted())
        interrupt_settle(!liveness_misses(limits->liveness));
    return interrupt_asked();
}

/* Collective. Runs a plan of strips that has been read. */
static void strips_run(struct comm *comm, struct arguments *arguments,
                       const struct documents *documents, struct liveness *liveness,
                       struct failure *failure)
{
    const struct strips_plan *plan = &documents->strips;
    struct strips_limits limits = {&arguments->run.until, liveness};
    struct strips_ended ended = {.broken = false};
    liveness->words.state = "no iteration has begun";
    liveness->words.again = "run the same again with --resume";
    strips_check(arguments, failure);
    launch_threads_check(failure);
    if (!comm_agree(comm, failure))
        return;
    const int threads = launch_threads(comm);
    char *isa = instructions_gather(comm);
    const struct strips_execution execution = {
        .comm = comm,
        .liveness = liveness,
        .patience_s = arguments->run.patience_s,
        .plan = plan,
        .plan_text = documents->plan_text,
        .profile_text = documents->profile_text,
        .plan_name = arguments->plan,
        .output = arguments->run.output,
        .command_line = arguments->run.line,
        .isa = isa,
        .threads = plan->threads > 0 ? (int)plan->threads : threads,
        .resume = arguments->run.resume,
        .trust = arguments->run.trust,
        .quiet = arguments->run.quiet,
        .asked = strips_asked,
        .late = until_misses,
        .self = &limits,
    };
    strips_execute(&execution, &ended, failure);
    comm->broken = ended.broken;
    comm->others = ended.others;
    free(isa);
}

/* ---- whole --------------------------------------------------------------------------------- */

/* Collective. Runs documents that have been read. */
static void documents_execute(struct comm *comm, struct arguments *arguments,
                              struct documents *documents, struct liveness *liveness,
                              struct failure *failure)
{
    const struct plan_weights weights = {&arguments->weights, arguments->plan, arguments->kernel,
                                         arguments->rule != NULL};
    if (documents->strips.strip_count > 0) {
        strips_run(comm, arguments, documents, liveness, failure);
        return;
    }
    const char *single = single_by_options(arguments, &documents->plan);
    if (!single && !input_seen(comm, arguments->run.input, &documents->plan))
        single = "an input that not every master can read";
    single_take(comm, arguments, documents, single, failure);
    if (plan_weights_take(documents, comm, &weights, failure))
        plan_execute(comm, arguments, documents, liveness, failure);
}

static void run_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {.run = RUN_OPTIONS_INIT};
    struct documents documents = {.masters = true};
    struct liveness liveness = {.comm = NULL};
    bool over = false;
    arguments_parse(comm, argc, argv, &arguments, &over, failure);
    if (!over && failure->code == FAILURE_NONE)
        run_options_end(&arguments.run, comm, failure);
    if (!comm_agree(comm, failure) || over)
        return;
    arguments.run.line = launch_line(comm, "run", argc, argv);
    const struct liveness_words words = {.program = "scow run",
                                         .path = arguments.run.output,
                                         .state = "there is no package yet",
                                         .again = "run the same again"};
    const bool assembled = liveness_begin(&liveness, comm, &words,
                                          ASSEMBLY_FACTOR * arguments.run.patience_s, failure);
    launch_assembled();
    if (assembled &&
        documents_read(&documents, comm, arguments.plan, arguments.run.profile, failure))
        documents_execute(comm, &arguments, &documents, &liveness, failure);
    liveness_end(&liveness);
    free(arguments.run.line);
    documents_release(&documents);
}

int run_main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    interrupt_watch();
    launch_begin(&comm, &argc, &argv);
    run_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow run", &failure);
}
