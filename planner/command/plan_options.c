#include "planner/command/plan_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/options.h"
#include "planner/schedulers/scheduler.h"
#include "planner/studies/advice.h"
#include "planner/studies/masters.h"
#include "planner/studies/planning.h"
#include "planner/studies/trees.h"

/* ---- what goes together -------------------------------------------------------------------- */

/* Are workers to be chosen, or is the choice to be explained? */
static bool choice_wanted(const struct plan_options *options)
{
    return options->objective || !isnan(options->budget) || options->require || options->exclude ||
           options->at_most || options->price || options->waits || options->pareto || options->why;
}

/* A resumed run keeps everything as it was begun except the workers: refuses options that would
 * change it. */
static bool resume_check(const struct plan_options *options, struct failure *failure)
{
    if (options->profile || options->input || options->tasks > 0 || options->set ||
        options->block > 0 || !isnan(options->deadline_s) || options->within || options->tail ||
        options->kernel || choice_wanted(options) || options->compare || options->sweep ||
        options->real_valued || options->master_computes || options->buffers > 0 || options->load ||
        options->load_by || options->levels || weights_asked(&options->weights) ||
        strcmp(options->scheduler, SCHEDULER_AUTO) != 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--resume plans what is left of a run with the run's own profile, "
                           "scheduler and parameters: of what to plan, give at most -n WORKERS");
    return true;
}

/* A number above 0; `chosen` for "auto"; 0: neither of them. */
static int64_t count_read(const char *typed, int64_t chosen)
{
    char *end;
    if (strcmp(typed, "auto") == 0)
        return chosen;
    errno = 0;
    const long long count = strtoll(typed, &end, 10);
    return errno == 0 && end != typed && *end == '\0' && count > 0 ? count : 0;
}

int64_t plan_options_masters(const struct plan_options *options)
{
    return options->masters ? count_read(options->masters, MASTERS_AUTO) : 0;
}

int64_t plan_options_tree(const struct plan_options *options)
{
    return options->tree ? count_read(options->tree, TREE_AUTO) : 0;
}

/* The name of a file of groups: whatever is not a number. */
const char *plan_options_groups(const struct plan_options *options)
{
    const char *typed = options->tree;
    return typed && plan_options_tree(options) == 0 && typed[strspn(typed, "+-.0123456789")] ? typed
                                                                                             : NULL;
}

/* One is what there is without being asked for. */
static bool several_asked(const struct plan_options *options)
{
    return options->masters && plan_options_masters(options) != 1;
}

/* Several masters are planned only for the least makespan of a fixed plan. Returns the name of an
 * option that asks for something else; NULL: there is none. */
static const char *single_asked(const struct plan_options *options)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{options->resume, "--resume"},
                  {choice_wanted(options), "an objective, a limit or a price"},
                  {options->deadline_s > 0, "--deadline"},
                  {options->within, "--within"},
                  {options->master_computes, "--master-computes"},
                  {options->tree && options->real_valued, "--real-valued"},
                  {options->sweep && !options->masters, "--sweep"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return others[k].name;
    return NULL;
}

static bool masters_alone(const struct plan_options *options, const char *name,
                          struct failure *failure)
{
    const char *other = single_asked(options);
    return !other || failure_set(failure, FAILURE_USAGE,
                                 "%s does not go with %s: leave one of them out", name, other);
}

bool plan_options_open(const struct plan_options *options)
{
    return !options->masters && !options->tree && !options->resume && !choice_wanted(options) &&
           !options->real_valued && !(options->deadline_s > 0) && !options->within;
}

bool plan_options_several(const struct plan_options *options)
{
    return plan_options_open(options) && !single_asked(options) &&
           strcmp(options->scheduler, SCHEDULER_AUTO) == 0;
}

static bool masters_check(const struct plan_options *options, struct failure *failure)
{
    if (options->masters && plan_options_masters(options) == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--masters '%.40s': say how many masters, or auto", options->masters);
    if (plan_options_masters(options) > MASTERS_MOST)
        return failure_set(failure, FAILURE_USAGE, MASTERS_TOO_MANY, (int)MASTERS_MOST);
    if (options->tree && plan_options_tree(options) == 0 && !plan_options_groups(options))
        return failure_set(
            failure, FAILURE_USAGE,
            "--tree '%.40s': say how many groups (1, 2, ...), auto, or a file that has them",
            options->tree);
    if (options->masters && (options->tree || options->resume))
        return failure_set(failure, FAILURE_USAGE,
                           "--masters does not go with %s: leave one of them out",
                           options->tree ? "--tree" : "--resume");
    return (!several_asked(options) || masters_alone(options, "--masters", failure)) &&
           (!options->tree || masters_alone(options, "--tree", failure));
}

bool plan_options_check(const struct plan_options *options, struct failure *failure)
{
    if (options->resume && !resume_check(options, failure))
        return false;
    if (!options->profile && !options->resume)
        return failure_set(failure, FAILURE_USAGE,
                           "no profile given: add -p PROFILE, which 'scow calibrate' writes");
    if (options->input && options->profile && strcmp(options->input, "-") == 0 &&
        strcmp(options->profile, "-") == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "-p - and -i - both read standard input: name a file for one of them");
    if (options->input && options->tasks > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "the size of the job is given twice: give either -i INPUT or -X TASKS");
    if (options->compare && options->sweep)
        return failure_set(failure, FAILURE_USAGE,
                           "--compare and --sweep exclude each other: choose one");
    if (!masters_check(options, failure))
        return false;
    if (options->master_computes && (options->compare || options->sweep))
        return failure_set(failure, FAILURE_USAGE,
                           "%s is about plans whose master only sends: leave --master-computes out",
                           options->compare ? "--compare" : "--sweep");
    if (choice_wanted(options) && (options->compare || options->sweep))
        return failure_set(failure, FAILURE_USAGE,
                           "%s is about all workers, and objectives and limits choose some: leave "
                           "one of them out",
                           options->compare ? "--compare" : "--sweep");
    if (options->deadline_s <= 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--deadline must be above 0: it is a time in seconds");
    if (options->budget <= 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--budget must be above 0: it is in the unit of the prices");
    if (options->pareto && (options->sbatch || options->pbs))
        return failure_set(failure, FAILURE_USAGE,
                           "--pareto prints a table, and --sbatch and --pbs print lines: leave one "
                           "of them out");
    if ((options->sbatch && options->pbs) ||
        ((options->sbatch || options->pbs) &&
         (options->json || options->compare || options->sweep || options->real_valued)))
        return failure_set(failure, FAILURE_USAGE,
                           "--sbatch and --pbs print what a job that runs the plan asks for, and "
                           "nothing else: leave the other one, --json, --compare, --sweep and "
                           "--real-valued out");
    if (options->gpus > 0 && !options->sbatch && !options->pbs)
        return failure_set(
            failure, FAILURE_USAGE,
            "--gpus-per-worker is a request to a batch system: add --sbatch or --pbs");
    if (!(options->noise >= 0 && options->noise <= 10))
        return failure_set(failure, FAILURE_USAGE, "--noise must be from 0 to 10");
    if (!(options->risk_percent >= 0.001 && options->risk_percent <= 50))
        return failure_set(failure, FAILURE_USAGE,
                           "--risk must be from 0.001 to 50: the percentage of runs that may "
                           "outlast the walltime");
    if (weights_asked(&options->weights) && options->real_valued)
        return failure_set(failure, FAILURE_USAGE,
                           "weights are of whole core tasks: leave --real-valued out");
    if (options->noise > 0 && options->real_valued)
        return failure_set(failure, FAILURE_USAGE,
                           "--noise needs whole loads: leave --real-valued out");
    return true;
}

/* --pairs and --period describe a profile for jobs of any size: options for one job or its plan are
 * refused. */
bool plan_options_check_periods(const struct plan_options *options, struct failure *failure)
{
    const char *const option = options->pairs ? "--pairs" : "--period";
    if (options->pairs && !isnan(options->period_s))
        return failure_set(failure, FAILURE_USAGE,
                           "--pairs and --period exclude each other: choose one");
    if (options->svg && !options->pairs)
        return failure_set(failure, FAILURE_USAGE,
                           "--svg draws the perfect pairs: add --pairs, or leave it out");
    if (options->period_s <= 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--period must be above 0: it is a time in "
                           "seconds");
    if (!options->profile)
        return failure_set(failure, FAILURE_USAGE,
                           "no profile given: add -p PROFILE, which 'scow calibrate' writes");
    if (options->input || options->tasks > 0 || options->resume || options->kernel ||
        options->tail || several_asked(options) || options->tree || options->output ||
        options->html || options->within || options->deadline_s > 0 || options->compare ||
        options->sweep || options->gantt || options->sbatch || options->pbs ||
        options->buffers > 0 || options->noise > 0 || options->load || options->load_by ||
        options->levels || options->master_computes ||
        strcmp(options->scheduler, SCHEDULER_AUTO) != 0)
        return failure_set(failure, FAILURE_USAGE,
                           "%s is about the costs and not about a job: give at most -n, --like, "
                           "--block, --set and --json beside it",
                           option);
    return true;
}

bool plan_options_load_by(const struct plan_options *options, enum forecast_by *by,
                          struct failure *failure)
{
    *by = FORECAST_BY_MSE;
    if (!options->load_by)
        return true;
    if (!options->load)
        return failure_set(failure, FAILURE_USAGE,
                           "--load-by says how loads are forecast: add --load FILE");
    return forecast_by_find(options->load_by, by) ||
           failure_set(failure, FAILURE_USAGE,
                       "--load-by '%.40s': give mse (mean squared error) or mae (mean absolute "
                       "error)",
                       options->load_by);
}

bool plan_options_check_strips(const struct plan_options *options, struct failure *failure)
{
    const struct {
        bool given;
        const char *name;
    } others[] = {{options->input, "-i"},
                  {options->tasks > 0, "-X"},
                  {options->resume, "--resume"},
                  {options->kernel, "-k"},
                  {options->tail, "--tail"},
                  {several_asked(options), "--masters"},
                  {options->tree, "--tree"},
                  {options->levels, "--levels"},
                  {options->within, "--within"},
                  {options->deadline_s > 0, "--deadline"},
                  {options->compare, "--compare"},
                  {options->sweep, "--sweep"},
                  {options->gantt && !options->verbose, "--gantt"},
                  {options->svg, "--svg"},
                  {options->sbatch || options->pbs, "--sbatch or --pbs"},
                  {options->buffers > 0, "--buffers"},
                  {options->noise > 0, "--noise"},
                  {options->block > 0, "--block"},
                  {options->model, "--model"},
                  {options->real_valued, "--real-valued"},
                  {options->master_computes, "--master-computes"},
                  {options->pairs, "--pairs"},
                  {!isnan(options->period_s), "--period"},
                  {weights_asked(&options->weights), "weights"},
                  {choice_wanted(options), "an objective, a limit or a price"},
                  {strcmp(options->scheduler, SCHEDULER_AUTO) != 0, "-s"}};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k].given)
            return failure_set(failure, FAILURE_USAGE,
                               "--strips does not go with %s: leave one of them out",
                               others[k].name);
    return true;
}

/* ---- the command line ---------------------------------------------------------------------- */

static size_t rows_add(const struct option_row *own, size_t count, struct option_row *rows)
{
    memcpy(rows, own, count * sizeof *own);
    return count;
}

/* Options for what is to be done, and by which workers. */
static size_t job_rows(struct plan_options *options, struct option_row *rows)
{
    const struct option_row own[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options->profile,
         "profile written by 'scow calibrate'"},
        {'i', "input", "INPUT", OPTION_TEXT, &options->input,
         "input of the job; its core tasks are counted; -: standard input"},
        {0, "resume", "OUT.h5", OPTION_TEXT, &options->resume,
         "plan what is left of a run, as scow run --resume does, in place of -p and -i"},
        {'k', "kernel", "./FILE.so", OPTION_TEXT, &options->kernel,
         "plug-in of the profile's core task (default: where it was when calibrated)"},
        {'X', "tasks", "TASKS", OPTION_COUNT, &options->tasks,
         "number of core tasks of the job, in place of -i"},
        {'n', "workers", "N", OPTION_COUNT, &options->workers,
         "use the first N workers; where the profile has fewer, more like its last ones"},
        {0, "like", "CLASS", OPTION_TEXT, &options->like,
         "workers that the profile does not have are like these: a class's name, or a rank"},
    };
    size_t count = rows_add(own, sizeof own / sizeof *own, rows);
    count += weights_rows(&options->weights, rows + count);
    rows[count++] = weights_of_row(&options->weights);
    return count + strips_rows(&options->strips, rows + count);
}

/* Options for how a plan is made. */
static size_t making_rows(struct plan_options *options, struct option_row *rows)
{
    const struct option_row own[] = {
        {'s', "scheduler", "SCHEDULER", OPTION_TEXT, &options->scheduler,
         "auto (the default) or one of those listed below"},
        {0, "production", "SHARE", OPTION_NUMBER, &options->production,
         "with -s scow-mu: the least share of the maximal production that a period has (0.9)"},
        {0, "block", "B", OPTION_COUNT, &options->block,
         "use the profile's setting with this block (default: the best one)"},
        {0, "set", "NAME=VALUE,...", OPTION_TEXT, &options->set,
         "use the settings with these values of the core task's parameters"},
        {0, "masters", "R", OPTION_TEXT, &options->masters,
         "plan R masters side by side, each with workers and a part of the job; auto: as many as "
         "are best; 1: one, also where several, or a tree, would save 2 %; with --sweep: for each "
         "number of workers"},
        {0, "tree", "R", OPTION_TEXT, &options->tree,
         "plan R groups, whose first ranks hand on what they get to the others; auto: as many as "
         "are best, or none where that saves less than 2 %; FILE: those of its lines "
         "(scow-files(5))"},
        {0, "levels", "N,...", OPTION_TEXT, &options->levels,
         "of a search in levels, how many core tasks each level after the first will have, or xF: "
         "F times those of the level before (default: as calibrate --levels has seen)"},
        {0, "real-valued", NULL, OPTION_FLAG, &options->real_valued,
         "allow fractions of tasks, to compare with published tables"},
        {0, "buffers", "N", OPTION_COUNT, &options->buffers,
         "packages that a worker receives ahead of the one it works on (2)"},
        {0, "model", "MODEL", OPTION_TEXT, &options->model,
         "operating model: what master and workers do at the same time (the profile's, or "
         "single-port)"},
        {0, "master-computes", NULL, OPTION_FLAG, &options->master_computes,
         "have the master compute core tasks, too, one at a time between packages, as many as make "
         "it end with the workers"},
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &options->tail,
         "let the run assign the plan's end on request: more of it the more packages differ, that "
         "SHARE, or all but what each worker can be relied upon to do (RULE:dependable[=K]: its "
         "rate less 3 or K standard deviations); or none"},
    };
    return rows_add(own, sizeof own / sizeof *own, rows);
}

/* Options for where the plan goes, and what it is chosen for. */
static size_t choosing_rows(struct plan_options *options, struct option_row *rows)
{
    const struct option_row own[] = {
        {'o', "output", "FILE", OPTION_TEXT, &options->output,
         "write the plan to FILE (-: standard output)"},
        {0, "html", "FILE", OPTION_TEXT, &options->html,
         "write one self-contained HTML page with charts of the plan"},
        {0, "deadline", "SECONDS", OPTION_NUMBER, &options->deadline_s,
         "limit of the run's time; without an objective, use the fewest workers whose plan meets "
         "it"},
        {0, "objective", "NAME", OPTION_TEXT, &options->objective,
         "choose workers for the least makespan, cpu (sum of busy times), cost, turnaround (with "
         "the wait in the queue) or workers"},
        {0, "budget", "CHARGE", OPTION_NUMBER, &options->budget,
         "limit of the plan's cost, in the unit of the prices: choose workers for that"},
        {0, "price", "[CLASS=]P,...", OPTION_TEXT, &options->price,
         "what a rank of a class, or master, costs a second; without a class: every rank; energy: "
         "the profile's watts"},
        {0, "require", "CLASS,...", OPTION_TEXT, &options->require,
         "use at least one worker of each of these classes (names, or ranks)"},
        {0, "exclude", "CLASS,...", OPTION_TEXT, &options->exclude,
         "use no worker of these classes"},
        {0, "at-most", "CLASS=N,...", OPTION_TEXT, &options->at_most,
         "use at most N workers of a class"},
        {0, "load", "FILE", OPTION_TEXT, &options->load,
         "for machines that others use, too: forecast what workers will have of processors and "
         "network from what 'scow sense' has seen of them"},
        {0, "load-by", "ERROR", OPTION_TEXT, &options->load_by,
         "with --load: forecast by whichever forecaster has had the least mse (mean squared error) "
         "or mae (mean absolute error) so far (mse)"},
        {0, "waits", "FILE", OPTION_TEXT, &options->waits,
         "waits in the queue: lines of ranks, walltime_s and wait_s"},
        {0, "pareto", NULL, OPTION_FLAG, &options->pareto,
         "show the Pareto front: the plans for which there is no other that is both faster and "
         "cheaper"},
        {0, "why", NULL, OPTION_FLAG, &options->why, "say why workers are left out"},
        {0, "within", "PERCENT", OPTION_TEXT, &options->within,
         "accept a makespan longer by this much, such as 5%, if that saves worker-seconds (0.1%)"},
    };
    return rows_add(own, sizeof own / sizeof *own, rows);
}

/* Options for what is shown of the plan. */
static size_t showing_rows(struct plan_options *options, struct option_row *rows)
{
    const struct option_row own[] = {
        {0, "compare", NULL, OPTION_FLAG, &options->compare, "compare the plans of all schedulers"},
        {0, "sweep", NULL, OPTION_FLAG, &options->sweep,
         "show makespan and efficiency (of the speed that each worker has alone) by the number of "
         "workers, beyond the profile's, too: under one master, or as many as --masters says"},
        {0, "pairs", NULL, OPTION_FLAG, &options->pairs,
         "for any job: show which numbers of workers one master keeps busy without a gap, with "
         "which packages"},
        {0, "svg", "FILE", OPTION_TEXT, &options->svg, "with --pairs: draw them, too"},
        {0, "period", "SECONDS", OPTION_NUMBER, &options->period_s,
         "for any job: show the packages for one such period that produce most, and that use port "
         "and workers best"},
        {0, "noise", "FRACTION", OPTION_NUMBER, &options->noise,
         "simulate with this relative standard deviation of every operation"},
        {0, "seeds", "N", OPTION_COUNT, &options->seeds, "number of simulations with noise (100)"},
        {0, "risk", "PERCENT", OPTION_NUMBER, &options->risk_percent,
         "how many percent of runs may outlast the walltime (1)"},
        {0, "effort", "SECONDS", OPTION_NUMBER, &options->effort_s,
         "about how long planning with auto may take; with another scheduler, ten times as long "
         "(1)"},
        {0, "gantt", NULL, OPTION_FLAG, &options->gantt,
         "print a Gantt chart: masters, ports, and workers"},
        {0, "json", NULL, OPTION_FLAG, &options->json,
         "print JSON: the plan, the comparison, the sweep, the pairs or the period"},
        {0, "sbatch", NULL, OPTION_FLAG, &options->sbatch,
         "print what a Slurm job that runs the plan must ask for, as lines of its script"},
        {0, "pbs", NULL, OPTION_FLAG, &options->pbs, "the same for PBS"},
        {0, "gpus-per-worker", "N", OPTION_COUNT, &options->gpus,
         "with --sbatch or --pbs: also ask for N GPUs for each worker of a node"},
        {'q', "quiet", NULL, OPTION_FLAG, &options->quiet, "do not print the plan"},
        {'v', "verbose", NULL, OPTION_FLAG, &options->verbose, "also print the chart"},
    };
    return rows_add(own, sizeof own / sizeof *own, rows);
}

enum { ROWS_MOST = 72 };

enum options_outcome plan_options_read(struct plan_options *options, int argc, char **argv,
                                       void (*list)(FILE *out), struct failure *failure)
{
    static const struct plan_options usual = {.scheduler = SCHEDULER_AUTO,
                                              .seeds = 100,
                                              /* not given */
                                              .period_s = (double)NAN,
                                              .deadline_s = (double)NAN,
                                              .budget = (double)NAN,
                                              .strips = {.tolerance = (double)NAN},
                                              .risk_percent = 100 * ADVICE_RISK,
                                              .effort_s = PLANNING_EFFORT_S};
    struct option_row rows[ROWS_MOST];
    size_t count = 0;
    int operands = 0;
    *options = usual;
    count += job_rows(options, rows + count);
    count += making_rows(options, rows + count);
    count += choosing_rows(options, rows + count);
    count += showing_rows(options, rows + count);
    const struct option_table table = {
        .usage = "scow plan {-p PROFILE [-i INPUT | -X TASKS] | --resume OUT.h5} [options]",
        .purpose = "Choose workers, rounds and package sizes for a job, and predict its makespan.",
        .rows = rows,
        .row_count = count,
        .list = list,
    };
    const enum options_outcome outcome =
        options_read(&table, argc, argv, NULL, 0, &operands, failure);
    options->weights.input = options->input;
    options->gantt = options->gantt || options->verbose;
    return outcome;
}
