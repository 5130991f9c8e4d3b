#include "calibrate/go/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibrate/go/go_pilot.h"
#include "calibrate/go/go_preview.h"
#include "calibrate/go/job_plan.h"
#include "calibrate/go/launcher.h"
#include "calibrate/labels.h"
#include "calibrate/settings.h"
#include "calibrate/task_options.h"
#include "planner/command/pages.h"
#include "planner/command/readers.h"
#include "planner/command/weights_options.h"
#include "planner/files/plan_json.h"
#include "planner/files/profile_json.h"
#include "spmd/job/output_name.h"
#include "spmd/launch/devices.h"
#include "spmd/launch/instructions.h"
#include "spmd/launch/launch.h"
#include "spmd/launch/method.h"
#include "spmd/protocol/interrupt.h"
#include "spmd/run/execute.h"
#include "spmd/run/run_options.h"
#include "spmd/run/run_outcome.h"

/* Of the patience with a worker, until there is an output: somebody may be reading a large input
 * alone. */
static const double ASSEMBLY_FACTOR = 5;

struct arguments {
    struct run_options run; /* --resume is meant */
    const char *kernel, *threads;
    const char *values[SCOW_PARAMETERS_MOST]; /* as typed; NULL: the default */
    int64_t workers;
    bool staged, no_page, dry_run;
    struct weights_options weights;
};

/* Files that are left beside the output; owned. */
struct beside {
    char *profile, *plan, *page;
};

/* ---- command line -------------------------------------------------------------------------- */

enum { ROWS_MOST = 27 };

static size_t rows_fill(struct arguments *arguments, const struct scow_task *task,
                        struct option_row *rows, size_t *own)
{
    const struct option_row fixed[] = {
        {'j', "workers", "N", OPTION_COUNT, &arguments->workers,
         "start so many workers, and a master, here; without mpiexec and -j: one for each core"},
        {'k', "kernel", "NAME", OPTION_TEXT, &arguments->kernel,
         "core task: a name from 'scow tasks', or a plug-in (./FILE.so)"},
        {'i', "input", "INPUT", OPTION_TEXT, &arguments->run.input,
         "what is to be processed, if the core task has an input; -: standard input, which is kept "
         "as OUTPUT.input"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->run.output,
         "HDF5 file to create, or to go on with"},
        {'p', "profile", "FILE", OPTION_TEXT, &arguments->run.profile,
         "for the core task that sleeps: the profile that says for how long"},
        run_options_row(&arguments->run, "results"),
        {0, "threads", "T", OPTION_TEXT, &arguments->threads, "OpenMP threads of a rank"},
        launch_row("staged", &arguments->staged),
        run_options_row(&arguments->run, "collect"),
        run_options_row(&arguments->run, "until"),
        run_options_row(&arguments->run, "patience"),
        run_options_row(&arguments->run, "no-copies"),
        run_options_row(&arguments->run, "gpus-per-worker"),
        run_options_row(&arguments->run, "isa"),
        {0, "trust", NULL, OPTION_FLAG, &arguments->run.trust,
         "going on: trust what FILE says is done, without reading results back to compare them "
         "with their digests"},
        {0, "dry-run", NULL, OPTION_FLAG, &arguments->dry_run,
         "run nothing, and show the first core tasks as they would be run"},
        {0, "no-page", NULL, OPTION_FLAG, &arguments->no_page,
         "leave no page with charts of the run beside the output"},
        run_options_row(&arguments->run, "quiet"),
        run_options_row(&arguments->run, "version"),
    };
    size_t count = sizeof fixed / sizeof fixed[0];
    _Static_assert(sizeof fixed / sizeof fixed[0] + WEIGHTS_ROWS <= ROWS_MOST, "room for all rows");
    memcpy(rows, fixed, sizeof fixed);
    count += weights_rows(&arguments->weights, rows + count);
    *own = task_options_fill(task, rows + count, arguments->values, NULL);
    return count + *own;
}

static bool arguments_check(const struct arguments *arguments, const struct scow_task *task,
                            struct failure *failure)
{
    if (arguments->workers > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "-j starts the ranks, and mpiexec has done so: leave one of them out");
    if (!arguments->run.output)
        return failure_set(failure, FAILURE_USAGE,
                           "the output (-o FILE) is missing: see scow go --help");
    if ((task->input != SCOW_INPUT_NONE) != (arguments->run.input != NULL))
        return failure_set(
            failure, FAILURE_USAGE, "core task '%s' %s: see scow go --help", task->name,
            arguments->run.input ? "has no input: leave -i out" : "needs an input: add -i INPUT");
    if (task_has_levels(task))
        return failure_set(
            failure, FAILURE_USAGE,
            "core task '%s' searches in levels, each of which is planned from a profile: "
            "use scow calibrate, plan and run",
            task->name);
    if (((task->flags & SCOW_SLEEP) != 0) != (arguments->run.profile != NULL))
        return failure_set(failure, FAILURE_USAGE, "core task '%s' %s", task->name,
                           arguments->run.profile
                               ? "is measured while it works: leave -p out"
                               : "sleeps for as long as a profile says: name one with -p PROFILE");
    return weights_options_check(&arguments->weights, failure) &&
           run_options_check(&arguments->run, failure);
}

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            const struct scow_task *task, struct arguments *arguments, bool *over,
                            struct failure *failure)
{
    struct option_row rows[ROWS_MOST + SCOW_PARAMETERS_MOST];
    char title[TASK_OPTIONS_TITLE];
    size_t own = 0;
    const size_t row_count = rows_fill(arguments, task, rows, &own);
    task_options_title(task, title);
    const struct option_table table = {
        .usage = "scow go [-j N] [-k KERNEL] [-i INPUT] -o FILE [options], or mpiexec -n P+1 scow "
                 "go ...",
        .purpose = "Do a job that nobody has measured: its first packages tell what everything "
                   "costs, and count; what remains is planned then, and run.",
        .rows = rows,
        .row_count = row_count,
        .own_count = own,
        .own_title = title,
        .epilogue =
            "Started by itself (scow go -j 8 ...) or as mpiexec -n P+1 scow go ...: rank 0 is the "
            "master, ranks 1 to P are the workers. It leaves a profile, the plan of what remained "
            "and a page beside the output: out.h5, out.profile.json, out.plan.json, "
            "out.report.html. The same command again goes on with what is left.\nEnvironment: "
            "SCOW_LAUNCH names what starts ranks (mpiexec).\nExit: 0 done, 1 failed, 2 usage, 4 "
            "input or output do not match, 75 stopped as asked (SIGINT, SIGTERM, SIGUSR1), or no "
            "worker is left: run the same again.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 0, &operands, &arguments->run.version,
                        over, failure) ||
        *over)
        return failure->code == FAILURE_NONE;
    arguments->weights.input = arguments->run.input;
    return launch_ranks_check(comm, failure) && arguments_check(arguments, task, failure) &&
           (!arguments->run.isa || instructions_pin(arguments->run.isa, comm, failure)) &&
           (!comm_leads(comm) || output_name_check(arguments->run.output, failure)) &&
           run_options_end(&arguments->run, comm, failure);
}

/* To be released. One value each: what is measured is what runs. */
static bool settings_find(const struct arguments *arguments, const struct scow_task *task,
                          struct settings *settings, struct failure *failure)
{
    struct setting_wish wishes[SCOW_PARAMETERS_MOST + 1];
    const int count = task_parameter_count(task);
    for (int i = 0; i < count; i++)
        wishes[i] =
            (struct setting_wish){task->parameters[i].name, arguments->values[i], true, false};
    for (int i = 0; i < count; i++)
        wishes[i].number =
            task->parameters[i].kind == SCOW_NUMBER || task->parameters[i].kind == SCOW_WHOLE;
    wishes[count] = (struct setting_wish){SETTING_THREADS, arguments->threads, true, false};
    const struct setting_switches switches = {.staged =
                                                  arguments->staged ? SETTING_YES : SETTING_NO,
                                              .write_behind = SETTING_NO,
                                              .collect = arguments->run.collect};
    return settings_read(settings, task, wishes, count + 1, &switches, failure) &&
           (settings->count == 1 ||
            failure_set(failure, FAILURE_USAGE,
                        "scow go takes one value for each parameter: scow calibrate compares "
                        "several"));
}

/* ---- files beside the output --------------------------------------------------------------- */

static bool beside_init(struct beside *beside, const char *output, struct failure *failure)
{
    *beside = (struct beside){output_name_beside(output, ".profile.json"),
                              output_name_beside(output, ".plan.json"),
                              output_name_beside(output, ".report.html")};
    return (beside->profile && beside->plan && beside->page) ||
           failure_memory(failure, "naming what is left beside the output");
}

static void beside_release(struct beside *beside)
{
    free(beside->profile);
    free(beside->plan);
    free(beside->page);
}

/* A job of too few core tasks to be predicted leaves no profile. */
static void beside_tell(const struct beside *beside)
{
    if (access(beside->profile, F_OK) == 0)
        fprintf(stderr, "scow go: %s and %s are beside the output\n", beside->profile,
                beside->page);
    else
        fprintf(stderr, "scow go: %s is beside the output\n", beside->page);
}

/* The run does not fail for a page. */
static void page_leave(const struct arguments *arguments, const struct beside *beside,
                       const struct run_record *record, const struct samples *samples,
                       const struct readers *readers)
{
    struct failure failure = FAILURE_INIT;
    if (!page_of_run(beside->page, arguments->run.output, record, samples, readers, &failure))
        fprintf(stderr, "scow go: %s\n", failure.text);
    else if (!arguments->run.quiet)
        beside_tell(beside);
}

/* Local to the master, of a run that is complete: its memory is known now, and what it took before
 * and after its packages. */
static void files_complete(const struct arguments *arguments, const struct beside *beside,
                           struct go_pilot *pilot)
{
    struct failure failure = FAILURE_INIT;
    struct run_record record;
    const struct readers *readers = readers_find(NULL, &failure);
    if (!readers || !readers->read_run(arguments->run.output, 0, &record, &failure))
        return;
    go_pilot_complete(pilot, &record);
    if (!arguments->no_page)
        page_leave(arguments, beside, &record, &pilot->samples, readers);
    run_record_release(&record);
}

/* ---- whole --------------------------------------------------------------------------------- */

/* How long a job waits for the network to be looked at, beside the last message. */
static const double network_most_s = 0.1;

/* A job under way. */
struct going {
    struct comm *comm;
    const struct arguments *arguments;
    const struct kernel *kernel;
    struct settings settings;
    struct plan plan;
    struct task_weights *weights; /* owned; the master's; NULL: none are given */
    char *input;                  /* as it can be read again; NULL: none */
    char *plan_text, *profile_text, *emitted, *isa;
    struct profile profile; /* what its text says, if there is one */
    struct place place;
    char **names;
    struct bandwidth *bandwidths; /* owned; the master's, by rank; NULL: not known */
    struct beside beside;
    struct go_pilot pilot;
};

/* Collective. */
static bool going_prepare(struct going *going, struct failure *failure)
{
    const struct arguments *arguments = going->arguments;
    size_t length = 0;
    settings_find(arguments, going->kernel->task, &going->settings, failure);
    launch_threads_check(failure);
    beside_init(&going->beside, arguments->run.output, failure);
    going->emitted = run_outcome_emitted(arguments->run.output, arguments->run.results);
    if (!going->emitted)
        failure_memory(failure, "naming the results");
    const struct devices_wish devices = {arguments->run.gpus, false};
    if (!comm_agree(going->comm, failure) || !devices_share(going->comm, &devices, failure))
        return false;
    going->input = launch_input(going->comm, arguments->run.input, arguments->run.output,
                                access(arguments->run.output, F_OK) == 0, failure);
    if (!comm_agree(going->comm, failure))
        return false;
    const struct setting *setting = &going->settings.items[0];
    const struct job_wanted wanted = {.kernel = going->kernel,
                                      .values = &setting->values,
                                      .input = going->input,
                                      .threads = setting->threads,
                                      .weights = &arguments->weights};
    if (!job_plan_make(going->comm, &wanted, &going->plan, &going->weights, failure))
        return false;
    going->plan_text = plan_print(&going->plan);
    if (!going->plan_text)
        failure_memory(failure, "describing the job");
    if (arguments->run.profile)
        going->profile_text = launch_read(going->comm, arguments->run.profile, &length, failure);
    if (going->profile_text)
        profile_parse(&going->profile, going->profile_text, length, arguments->run.profile,
                      failure);
    comm_align_clocks(going->comm);
    going->isa = instructions_gather(going->comm);
    return comm_agree(going->comm, failure) &&
           place_find(&going->place, going->comm, launch_threads(going->comm), failure) &&
           labels_workers(going->comm, &going->names, failure) &&
           rank_bandwidths_probe(going->comm, network_most_s, &going->bandwidths, failure);
}

static void going_release(struct going *going)
{
    settings_release(&going->settings);
    plan_release(&going->plan);
    weights_free(going->weights);
    free(going->input);
    free(going->plan_text);
    free(going->profile_text);
    profile_release(&going->profile);
    free(going->emitted);
    free(going->isa);
    place_release(&going->place);
    free(going->bandwidths);
    labels_workers_free(&going->names, going->comm->size - 1);
    beside_release(&going->beside);
    go_pilot_release(&going->pilot);
}

/* Of a core task that has --halt, unless the user has said it. */
static bool failing_ends(const struct arguments *arguments, const struct scow_task *task)
{
    for (int i = 0; i < task_parameter_count(task); i++)
        if (strcmp(task->parameters[i].name, "halt") == 0)
            return arguments->values[i] == NULL;
    return false;
}

/* Collective. */
static void going_run(struct going *going, struct liveness *liveness, struct failure *failure)
{
    const struct arguments *arguments = going->arguments;
    const int threads = going->plan.threads > 0 ? going->plan.threads : launch_threads(going->comm);
    const struct pilot_origin origin = {.kernel = going->kernel,
                                        .place = &going->place,
                                        .names = going->names,
                                        .bandwidths =
                                            going->bandwidths ? going->bandwidths + 1 : NULL,
                                        .profile = going->beside.profile,
                                        .threads = threads,
                                        .weights = going->weights};
    struct run_outcome outcome = {0};
    go_pilot_init(&going->pilot, &origin, going->beside.plan, arguments->run.quiet);
    if (arguments->dry_run)
        go_preview_init(&going->pilot);
    struct execution execution = {
        .comm = going->comm,
        .kernel = going->kernel,
        .plan = &going->plan,
        .plan_text = going->plan_text,
        .profile_text = going->profile_text,
        .profile = going->profile_text ? &going->profile : NULL,
        .plan_name = "the command",
        .input = going->input,
        .emitted = going->emitted,
        .collects = arguments->run.collect,
        .command = "scow go",
        .again = "run the same again",
        .failing_ends = failing_ends(arguments, going->kernel->task),
        .isa = going->isa,
        .threads = threads,
        .pilot = &going->pilot.base,
        .ahead = WATCHING_AHEAD,
        .liveness = liveness,
    };
    run_options_apply(&arguments->run, &execution);
    const bool done = execute_run(&execution, &outcome, failure);
    if (done && !arguments->dry_run && going->comm->rank == 0) {
        run_outcome_print(arguments->run.output, &outcome, true);
        files_complete(arguments, &going->beside, &going->pilot);
        run_outcome_check(arguments->run.output, &outcome, failure);
    }
    if (outcome.failures)
        fprintf(stderr, "%s", outcome.failures);
    going->comm->broken = outcome.broken;
    going->comm->others = outcome.others;
    outcome.others = (struct process_list){NULL, 0};
    run_outcome_release(&outcome);
}

/* A dry run that has read standard input does not keep it, unless a run has that it goes on with.
 */
static void input_forget(const struct going *going)
{
    const struct arguments *arguments = going->arguments;
    if (arguments->dry_run && going->comm->rank == 0 && going->input &&
        strcmp(going->input, arguments->run.input) != 0 && access(arguments->run.output, F_OK) != 0)
        unlink(going->input);
}

/* Collective. */
static void kernel_go(struct comm *comm, const struct kernel *kernel, struct arguments *arguments,
                      struct failure *failure)
{
    struct going going = {.comm = comm, .arguments = arguments, .kernel = kernel};
    struct liveness liveness = {.comm = NULL};
    const struct liveness_words words = {.program = "scow go",
                                         .path = arguments->run.output,
                                         .state = "there is no package yet",
                                         .again = "run the same again"};
    const bool assembled = liveness_begin(&liveness, comm, &words,
                                          ASSEMBLY_FACTOR * arguments->run.patience_s, failure);
    launch_assembled();
    if (assembled && going_prepare(&going, failure))
        going_run(&going, &liveness, failure);
    liveness_end(&liveness);
    input_forget(&going);
    going_release(&going);
}

static void go_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {.run = RUN_OPTIONS_INIT};
    struct kernel kernel = {0};
    bool over = false;
    arguments.run.resume = true;
    kernel_open(&kernel, kernel_name_of(task_options_kernel(argc, argv)), NULL, "--kernel",
                failure);
    if (failure->code == FAILURE_MISMATCH)
        failure->code = FAILURE_USAGE;
    if (comm_agree(comm, failure) && kernel_agree(comm, &kernel, failure)) {
        arguments_parse(comm, argc, argv, kernel.task, &arguments, &over, failure);
        arguments.run.line = launch_line(comm, "go", argc, argv);
        if (comm_agree(comm, failure) && !over)
            kernel_go(comm, &kernel, &arguments, failure);
    }
    free(arguments.run.line);
    kernel_close(&kernel);
}

int go_main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    if (!launcher_become(argc, argv, &failure)) {
        fprintf(stderr, "scow go: %s\n", failure.text);
        return (int)failure.code;
    }
    interrupt_watch();
    launch_begin(&comm, &argc, &argv);
    go_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow go", &failure);
}
