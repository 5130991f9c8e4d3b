#include "calibrate/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calibrate/calibration.h"
#include "calibrate/effects.h"
#include "calibrate/effort.h"
#include "calibrate/outcome.h"
#include "calibrate/reuse.h"
#include "calibrate/settings.h"
#include "calibrate/task_options.h"
#include "planner/base/process.h"
#include "planner/command/pages.h"
#include "planner/command/weights_options.h"
#include "planner/files/probes.h"
#include "planner/files/profile_json.h"
#include "planner/files/textfile.h"
#include "spmd/input/spool.h"
#include "spmd/job/kernel.h"
#include "spmd/job/values.h"
#include "spmd/launch/devices.h"
#include "spmd/launch/instructions.h"
#include "spmd/launch/launch.h"
#include "spmd/launch/method.h"

enum { PARAMETERS_MOST = SCOW_PARAMETERS_MOST };
#define WRITE_BEHIND_AUTO "auto"
#define ORDER_AUTO "auto"
enum { PATIENCE_USUAL = 60 };
/* Of that, while nobody is probed: somebody may be reading a large input alone. */
static const double ASSEMBLY_FACTOR = 5;

struct arguments {
    const char *kernel, *input, *output, *html, *probes, *scratch, *isa;
    const char *blocks; /* the parameter "block", as scripts know it */
    const char *threads, *budget, *write_behind, *order;
    struct weights_options weights;
    double patience_s;
    const char *values[PARAMETERS_MOST]; /* as typed; NULL: the default */
    int64_t gpus;                        /* of a worker; 0: not said */
    bool quick, quiet, master_computes, counter, levels, staged, staged_too, collect, reuse,
        version, dry_run;
};

/* ---- command line -------------------------------------------------------------------------- */

enum { ROWS_MOST = 32 };

/* First those of every calibration, then the core task's own: *own becomes how many. */
static size_t rows_fill(struct arguments *arguments, const struct scow_task *task,
                        struct option_row *rows, size_t *own)
{
    const struct option_row fixed[] = {
        {'k', "kernel", "NAME", OPTION_TEXT, &arguments->kernel,
         "core task to measure: a name from 'scow tasks', or a plug-in (./FILE.so)"},
        {'i', "input", "INPUT", OPTION_TEXT, &arguments->input,
         "input like the ones to be processed, if the core task has one; -: standard input, which "
         "is kept as PROFILE.input"},
        {'o', "output", "FILE", OPTION_TEXT, &arguments->output,
         "profile to write (default: standard output)"},
        {0, "html", "FILE", OPTION_TEXT, &arguments->html,
         "write one self-contained HTML page with charts of all fits"},
        {0, "reuse", NULL, OPTION_FLAG, &arguments->reuse,
         "keep an existing profile if it is of this machine, core task and settings"},
        {0, "probes", "FILE", OPTION_TEXT, &arguments->probes,
         "write every timing there, tab-separated"},
        {0, "scratch", "DIR", OPTION_TEXT, &arguments->scratch,
         "directory for trial writes, on the file system of the run's output (default: that of the "
         "profile)"},
        {0, "budget", "TIME", OPTION_TEXT, &arguments->budget,
         "how long probing may take: 30s (default; more where packages take longer), 5m, 1h"},
        {0, "patience", "SECONDS", OPTION_NUMBER, &arguments->patience_s,
         "a rank that is silent for so long, and for ten times the longest package, is lost, and "
         "the calibration ends (60)"},
        {0, "quick", NULL, OPTION_FLAG, &arguments->quick,
         "a few seconds, one setting, fewer package sizes"},
        {0, "threads", "T,T,...", OPTION_TEXT, &arguments->threads,
         "OpenMP threads of a rank to measure with, kept for the run"},
        {0, "order", "ORDER,...", OPTION_TEXT, &arguments->order,
         "how packages take core tasks, kept for the run: natural, one after the other (default); "
         "stride:R, every R-th one, which makes packages alike where costs vary slowly along the "
         "job; random:SEED; or auto: natural, and where packages differ the stride, too, with "
         "which they would be alike"},
        launch_row("staged", &arguments->staged),
        {0, "staged-too", NULL, OPTION_FLAG, &arguments->staged_too,
         "measure both ways, for the planner to choose"},
        launch_row("collect", &arguments->collect),
        {0, "master-computes", NULL, OPTION_FLAG, &arguments->master_computes,
         "also measure what a core task takes the master between packages, for plan "
         "--master-computes"},
        {0, "dca", NULL, OPTION_FLAG, &arguments->counter,
         "also measure what taking a package's number by a counter that all share takes workers, "
         "for simulate --dca and reports of run --dca"},
        {0, "write-behind", "WHEN", OPTION_TEXT, &arguments->write_behind,
         "workers compute while results are being written: no, yes, both (for the planner to "
         "choose), or auto (default): both where output waits for the store"},
        {0, "levels", NULL, OPTION_FLAG, &arguments->levels,
         "of a core task that searches in levels: also measure a sample of each level, by which "
         "scow plan predicts the levels and scow run plans them"},
        launch_row("gpus-per-worker", &arguments->gpus),
        launch_row("isa", &arguments->isa),
        {0, "dry-run", NULL, OPTION_FLAG, &arguments->dry_run,
         "measure nothing: print the first core tasks as they would be computed, of commands what "
         "would be run"},
        {'q', "quiet", NULL, OPTION_FLAG, &arguments->quiet, "only failures"},
        launch_row("version", &arguments->version),
    };
    size_t count = sizeof fixed / sizeof fixed[0];
    _Static_assert(sizeof fixed / sizeof fixed[0] + WEIGHTS_ROWS <= ROWS_MOST, "room for all rows");
    memcpy(rows, fixed, sizeof fixed);
    count += weights_rows(&arguments->weights, rows + count);
    *own = task_options_fill(task, rows + count, arguments->values, &arguments->blocks);
    return count + *own;
}

static bool arguments_parse(const struct comm *comm, int argc, char **argv,
                            const struct scow_task *task, struct arguments *arguments, bool *over,
                            struct failure *failure)
{
    struct option_row rows[ROWS_MOST + PARAMETERS_MOST];
    char title[TASK_OPTIONS_TITLE];
    size_t own = 0;
    const size_t row_count = rows_fill(arguments, task, rows, &own);
    task_options_title(task, title);
    const struct option_table table = {
        .usage = "scow calibrate [-k KERNEL] [-i INPUT] [options] -o PROFILE",
        .purpose =
            "Measure what envelopes, sends, links, receiving, computing and output, or results "
            "that return, cost on these ranks, as latency + rate x core tasks. Started as mpiexec "
            "-n P+1 scow calibrate ...",
        .rows = rows,
        .row_count = row_count,
        .own_count = own,
        .own_title = title,
        .epilogue =
            "Numbers of a core task's parameters can be lists (--block 32,64), and so can "
            "--threads: each combination is measured, the planner chooses, and the one that it "
            "would take gets most of the budget. A core task with blocks is measured with half, "
            "once and twice its usual block when none is given. Start it as the run will be "
            "started: same nodes, ranks per node and threads (OMP_NUM_THREADS).\nExit: 0 done, 1 "
            "failed, 2 usage, 4 input, or a profile that is kept (--reuse), does not fit, 75 a "
            "rank is lost: "
            "run the same again.\n",
    };
    char *operand = NULL;
    int operands = 0;
    if (!launch_options(comm, &table, argc, argv, &operand, 0, &operands, &arguments->version, over,
                        failure) ||
        *over)
        return failure->code == FAILURE_NONE;
    if (!arguments->dry_run && !launch_ranks_check(comm, failure))
        return false;
    if (arguments->kernel && strcmp(arguments->kernel, task_options_kernel(argc, argv)) != 0)
        return failure_set(failure, FAILURE_USAGE, "-k is given twice, %.60s and %.60s: choose one",
                           task_options_kernel(argc, argv), arguments->kernel);
    if ((task->input != SCOW_INPUT_NONE) != (arguments->input != NULL))
        return failure_set(
            failure, FAILURE_USAGE, "core task '%s' %s: see scow calibrate --help", task->name,
            arguments->input ? "has no input: leave -i out" : "needs an input: add -i INPUT");
    if (spool_wanted(arguments->input) && !arguments->output)
        return failure_set(failure, FAILURE_USAGE,
                           "-i - keeps standard input beside the profile: add -o PROFILE");
    if (arguments->reuse && !arguments->output)
        return failure_set(failure, FAILURE_USAGE,
                           "--reuse needs the name of a profile: add -o PROFILE");
    if (!launch_patience_check(arguments->patience_s, failure))
        return false;
    arguments->weights.input = arguments->input;
    if (!weights_options_check(&arguments->weights, failure))
        return false;
    if (arguments->levels && !task_has_levels(task))
        return failure_set(failure, FAILURE_USAGE,
                           "core task '%s' does not search in levels: leave --levels out",
                           task->name);
    if (task_has_levels(task) && weights_asked(&arguments->weights))
        return failure_set(
            failure, FAILURE_USAGE,
            "core task '%s' searches in levels, and the weights of later levels are not "
            "known: leave --weights out",
            task->name);
    if (arguments->order && weights_asked(&arguments->weights))
        return failure_set(
            failure, FAILURE_USAGE,
            "--order makes packages alike whose core tasks differ, and weights say by "
            "how much they do: give one of them");
    return !arguments->isa || instructions_pin(arguments->isa, comm, failure);
}

/* ---- what is measured ---------------------------------------------------------------------- */

static bool is_number(const struct scow_parameter *row)
{
    return row->kind == SCOW_NUMBER || row->kind == SCOW_WHOLE;
}

/* Half, once and twice the usual block, those that may be. */
static void blocks_usual(const struct scow_parameter *row, char *list, size_t size)
{
    size_t length = 0;
    list[0] = '\0';
    for (int doublings = -1; doublings <= 1; doublings++) {
        const double block = ldexp(row->initial, doublings);
        if (block >= row->least && block <= row->greatest && block == floor(block))
            length += (size_t)snprintf(list + length, size - length, "%s%.0f",
                                       length > 0 ? "," : "", block);
    }
}

/* What is not asked for takes no time of a few seconds, nor where the master writes. */
static bool is_auto(const struct arguments *arguments)
{
    if (arguments->collect)
        return false;
    return arguments->write_behind ? strcmp(arguments->write_behind, WRITE_BEHIND_AUTO) == 0
                                   : !arguments->quick;
}

static bool order_is_auto(const struct arguments *arguments)
{
    return arguments->order && strcmp(arguments->order, ORDER_AUTO) == 0;
}

/* Automatically, first without. */
static bool ways_read(enum setting_ways *ways, const char *typed, struct failure *failure)
{
    static const struct {
        const char *word;
        enum setting_ways ways;
    } known[] = {{WRITE_BEHIND_AUTO, SETTING_NO},
                 {"no", SETTING_NO},
                 {"yes", SETTING_YES},
                 {"both", SETTING_BOTH}};
    *ways = SETTING_NO;
    for (size_t k = 0; typed && k < sizeof known / sizeof *known; k++)
        if (strcmp(typed, known[k].word) == 0) {
            *ways = known[k].ways;
            return true;
        }
    return !typed ||
           failure_set(failure, FAILURE_USAGE,
                       "--write-behind is 'auto', 'no', 'yes' or 'both', not '%.60s'", typed);
}

static bool collect_check(const struct arguments *arguments, struct failure *failure)
{
    const char *behind = arguments->write_behind;
    const bool both = behind && (strcmp(behind, "yes") == 0 || strcmp(behind, "both") == 0);
    return !arguments->collect || !both ||
           failure_set(failure, FAILURE_USAGE,
                       "--collect has the master write results, and --write-behind the workers: "
                       "give one of them");
}

static bool settings_find(const struct arguments *arguments, const struct scow_task *task,
                          struct settings *settings, struct failure *failure)
{
    struct setting_wish wishes[PARAMETERS_MOST + 2];
    char usual[64];
    const int count = task_parameter_count(task);
    for (int i = 0; i < count; i++) {
        const struct scow_parameter *row = &task->parameters[i];
        wishes[i] = (struct setting_wish){row->name, arguments->values[i], is_number(row), false};
        if (strcmp(row->name, "block") != 0 || !is_number(row))
            continue;
        if (arguments->blocks && arguments->values[i])
            return failure_set(failure, FAILURE_USAGE,
                               "--block and --blocks are the same: give one of them");
        if (arguments->blocks)
            wishes[i].typed = arguments->blocks;
        if (wishes[i].typed || arguments->quick)
            continue;
        blocks_usual(row, usual, sizeof usual);
        wishes[i].typed = usual[0] ? usual : NULL;
    }
    wishes[count] = (struct setting_wish){SETTING_THREADS, arguments->threads, true, false};
    wishes[count + 1] = (struct setting_wish){
        ORDER_PARAMETER, order_is_auto(arguments) ? NULL : arguments->order, false, true};
    struct setting_switches switches = {.staged = arguments->staged_too ? SETTING_BOTH
                                                  : arguments->staged   ? SETTING_YES
                                                                        : SETTING_NO,
                                        .collect = arguments->collect};
    return collect_check(arguments, failure) &&
           ways_read(&switches.write_behind, arguments->write_behind, failure) &&
           settings_read(settings, task, wishes, count + 2, &switches, failure);
}

/* ---- outcome ------------------------------------------------------------------------------- */

/* Owned: where the profile goes, for the trial writes to go there too. NULL: out of memory. */
static char *scratch_directory(const struct arguments *arguments)
{
    if (arguments->scratch)
        return strdup(arguments->scratch);
    const char *slash = arguments->output ? strrchr(arguments->output, '/') : NULL;
    return slash ? strndup(arguments->output,
                           slash > arguments->output ? (size_t)(slash - arguments->output) : 1)
                 : strdup(".");
}

static bool text_write(char *text, const char *path, struct failure *failure)
{
    bool good =
        text ? textfile_write(path, text, failure) : failure_memory(failure, "writing the profile");
    free(text);
    return good;
}

/* Owned: how sure the best setting's fit is, in lines, `again` with what was told before measuring;
 * NULL: out of memory. */
static char *outcome_words(const struct calibration *calibration, bool again)
{
    struct text text = TEXT_INIT;
    const struct profile_setting *best = &calibration->profile.settings[calibration->best];
    if (calibration->failures)
        text_add(&text, "%s", calibration->failures);
    outcome_describe(best, &text);
    const int threads = profile_threads(&calibration->profile, best);
    if (again || threads != calibration->warned_threads)
        oversubscription_describe(&calibration->oversubscription, threads, &text);
    return text_take(&text);
}

static bool page_write(const struct arguments *arguments, const struct calibration *calibration,
                       struct failure *failure)
{
    char *told = outcome_words(calibration, true);
    const bool good =
        told ? page_of_calibration(arguments->html, &calibration->profile, calibration->best,
                                   &calibration->samples, told, failure)
             : failure_memory(failure, "writing a page");
    free(told);
    return good;
}

/* Local to the master. The profile comes first: the rest can be done without. */
static bool outcome_write(const struct arguments *arguments, const struct calibration *calibration,
                          struct failure *failure)
{
    return text_write(profile_print(&calibration->profile),
                      arguments->output ? arguments->output : "-", failure) &&
           (!arguments->probes ||
            text_write(probes_print(&calibration->samples), arguments->probes, failure)) &&
           (!arguments->html || page_write(arguments, calibration, failure));
}

/* Local to the master. On standard error, line by line. */
static void outcome_tell(const struct calibration *calibration)
{
    char *lines = outcome_words(calibration, false);
    if (lines)
        outcome_lines(lines);
    free(lines);
}

/* Local to the master. Minutes of probing shall not end in a file that cannot be written. */
static bool outcome_check(const struct arguments *arguments, struct failure *failure)
{
    return (!arguments->probes || textfile_check(arguments->probes, failure)) &&
           (!arguments->html || textfile_check(arguments->html, failure)) &&
           (!arguments->output || textfile_check(arguments->output, failure));
}

/* Collective. Was a profile that still holds to be kept (--reuse), and is there one? */
static bool profile_keep(struct comm *comm, const struct arguments *arguments,
                         const struct calibration_request *request, struct failure *failure)
{
    bool there = false;
    if (!arguments->reuse || !reuse_find(comm, request, arguments->output, &there, failure) ||
        !there)
        return false;
    if (comm->rank == 0 && !arguments->quiet)
        fprintf(stderr, "scow calibrate: %s is of this machine, core task and settings: kept\n",
                arguments->output);
    return true;
}

/* Local. The input by its name: standard input, which the master alone has, is written beside the
 * profile first. Owned; NULL: there is none, or with *failure set. */
static char *input_name(const struct comm *comm, const struct arguments *arguments,
                        struct failure *failure)
{
    const bool spooled = spool_wanted(arguments->input);
    char *name = spooled            ? spool_name(arguments->output)
                 : arguments->input ? strdup(arguments->input)
                                    : NULL;
    if (arguments->input && !name)
        failure_memory(failure, "naming the input");
    else if (spooled && comm->rank == 0)
        spool_write(name, false, failure);
    return name;
}

/* Collective. While it waits for others, every rank sees whether they are there. */
static bool ranks_assemble(struct liveness *liveness, struct comm *comm,
                           const struct arguments *arguments, struct failure *failure)
{
    const struct liveness_words words = {.program = "scow calibrate",
                                         .path =
                                             arguments->output ? arguments->output : "the profile",
                                         .state = "no profile is written",
                                         .again = "run the same again"};
    const bool assembled =
        liveness_begin(liveness, comm, &words, ASSEMBLY_FACTOR * arguments->patience_s, failure);
    launch_assembled();
    return assembled;
}

/* Collective. */
static void calibrate_kernel(struct comm *comm, const struct kernel *kernel,
                             const struct arguments *arguments, struct failure *failure)
{
    struct calibration calibration = {0};
    struct settings settings = {.count = 0};
    struct campaign_effort effort;
    struct liveness liveness = {.comm = NULL};
    bool measured = false;
    char *scratch = scratch_directory(arguments), *input = NULL;
    struct task_weights *weights = NULL;
    if (!ranks_assemble(&liveness, comm, arguments, failure))
        goto out;
    if (!scratch)
        failure_memory(failure, "naming the scratch file");
    input = input_name(comm, arguments, failure);
    settings_find(arguments, kernel->task, &settings, failure);
    effort_read(&effort, arguments->quick, arguments->budget, failure);
    launch_threads_check(failure);
    if (comm->rank == 0 && failure->code == FAILURE_NONE && outcome_check(arguments, failure))
        weights_find(&arguments->weights, &weights, failure);
    const struct devices_wish devices = {arguments->gpus, arguments->master_computes};
    if (!comm_agree(comm, failure) || !devices_share(comm, &devices, failure))
        goto out;
    const struct calibration_request request = {
        .kernel = kernel,
        .settings = settings.items,
        .setting_count = settings.count,
        .own = settings.own,
        .own_count = settings.own_count,
        .input = input,
        .scratch = scratch,
        .weights = weights,
        .weigh = weights_by_task(&arguments->weights),
        .effort = effort,
        .seed = 1,
        .threads = launch_threads(comm),
        .write_behind_auto = is_auto(arguments),
        .order_auto = order_is_auto(arguments),
        .counter = arguments->counter,
        .levels = arguments->levels,
        .master_computes = arguments->master_computes,
        .quiet = arguments->quiet,
        .liveness = &liveness,
        .patience_s = arguments->patience_s,
    };
    if (arguments->dry_run)
        effects_dry_run(comm, &request, failure);
    else if (!profile_keep(comm, arguments, &request, failure) && failure->code == FAILURE_NONE)
        measured = calibration_make(&calibration, comm, &request, failure);
    liveness_end(&liveness); /* what is measured is written, whoever is lost from here on */
    if (measured && comm->rank == 0 && outcome_write(arguments, &calibration, failure) &&
        !arguments->quiet)
        outcome_tell(&calibration);
out:
    liveness_end(&liveness);
    calibration_release(&calibration);
    settings_release(&settings);
    weights_free(weights);
    free(scratch);
    free(input);
}

static void calibrate_command(struct comm *comm, int argc, char **argv, struct failure *failure)
{
    struct arguments arguments = {.patience_s = PATIENCE_USUAL};
    struct kernel kernel = {0};
    bool over = false;
    kernel_open(&kernel, kernel_name_of(task_options_kernel(argc, argv)), NULL, "--kernel",
                failure);
    if (failure->code == FAILURE_MISMATCH)
        failure->code = FAILURE_USAGE;
    if (comm_agree(comm, failure) && kernel_agree(comm, &kernel, failure)) {
        arguments_parse(comm, argc, argv, kernel.task, &arguments, &over, failure);
        if (comm_agree(comm, failure) && !over)
            calibrate_kernel(comm, &kernel, &arguments, failure);
    }
    kernel_close(&kernel);
}

int calibrate_main(int argc, char **argv)
{
    struct comm comm;
    struct failure failure = FAILURE_INIT;
    process_separate_large();
    launch_begin(&comm, &argc, &argv);
    calibrate_command(&comm, argc, argv, &failure);
    return launch_end(&comm, "scow calibrate", &failure);
}
