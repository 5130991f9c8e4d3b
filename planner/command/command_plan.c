#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/options.h"
#include "planner/command/command.h"
#include "planner/command/pages.h"
#include "planner/command/plan_periods.h"
#include "planner/command/plan_weights.h"
#include "planner/files/load.h"
#include "planner/files/plan_json.h"
#include "planner/files/textfile.h"
#include "planner/files/waits_tsv.h"
#include "planner/library/planned.h"
#include "planner/library/wanted.h"
#include "planner/model/beyond.h"
#include "planner/model/extrapolation.h"
#include "planner/model/platform.h"
#include "planner/replan/watching.h"
#include "planner/report/describe.h"
#include "planner/report/gantt.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/ensemble.h"
#include "planner/studies/advice.h"
#include "planner/studies/batch.h"
#include "planner/studies/comparison.h"
#include "planner/studies/pareto.h"
#include "planner/studies/planning.h"
#include "planner/studies/remaining_plan.h"
#include "planner/studies/sweep.h"

struct plan_options {
    const char *profile, *input, *scheduler, *output, *html, *set, *kernel, *tail, *like, *resume;
    const char *within, *svg, *model, *objective, *require, *exclude, *at_most, *price, *waits;
    struct weights_options weights;
    int64_t tasks, workers, block, seeds, buffers, gpus;
    double deadline_s, budget, noise, risk_percent, effort_s, period_s;
    bool real_valued, compare, sweep, gantt, json, sbatch, pbs, quiet, verbose, pairs, pareto, why;
};

/* Are workers to be chosen, or the choice explained? */
static bool choice_wanted(const struct plan_options *options)
{
    return options->objective || options->budget != 0 || options->require || options->exclude ||
           options->at_most || options->price || options->waits || options->pareto || options->why;
}

/* Everything but the workers is as it was begun. */
static bool resume_check(const struct plan_options *options, struct failure *failure)
{
    if (options->profile || options->input || options->tasks > 0 || options->set ||
        options->block > 0 || options->deadline_s > 0 || options->within || options->tail ||
        options->kernel || choice_wanted(options) || options->compare || options->sweep ||
        options->real_valued || options->buffers > 0 || weights_asked(&options->weights) ||
        strcmp(options->scheduler, SCHEDULER_AUTO) != 0)
        return failure_set(failure, FAILURE_USAGE,
                           "--resume plans what is left of a run with the run's own profile, "
                           "scheduler and parameters: of what to plan, give at most -n WORKERS");
    return true;
}

static bool options_check(const struct plan_options *options, struct failure *failure)
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
    if (choice_wanted(options) && (options->compare || options->sweep))
        return failure_set(failure, FAILURE_USAGE,
                           "%s is about all workers, and objectives and limits choose some: leave "
                           "one of them out",
                           options->compare ? "--compare" : "--sweep");
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

/* Is the plan itself of no interest, and only chooses the setting? */
static bool sweep_alone(const struct plan_options *options)
{
    return options->sweep && !options->output && !options->html;
}

/* ---- what is printed ----------------------------------------------------------------------- */

static bool compare_print(const struct plan_options *options, const struct planned *planned,
                          struct failure *failure)
{
    struct comparison comparison;
    struct text text = TEXT_INIT;
    struct scenario scenario = SCENARIO_INIT;
    scenario.noise = options->noise;
    if (!comparison_make(&planned->planning, &scenario, options->noise > 0 ? options->seeds : 0,
                         &comparison, failure))
        return false;
    if (options->json) {
        comparison_json(&comparison, &text);
    } else {
        comparison_text(&comparison, &text);
        beyond_describe(&planned->plan.beyond, &text);
    }
    comparison_release(&comparison);
    return text_print(&text, "describing the plan", failure);
}

static bool sweep_print(const struct plan_options *options, const struct planning *planning,
                        struct failure *failure)
{
    struct sweep sweep;
    struct text text = TEXT_INIT;
    if (!sweep_make(planning, &sweep, failure))
        return false;
    if (options->json)
        sweep_json(&sweep, &text);
    else
        sweep_text(&sweep, &text);
    sweep_release(&sweep);
    return text_print(&text, "describing the plan", failure);
}

static bool pareto_print(const struct plan_options *options, const struct planned *planned,
                         struct failure *failure)
{
    struct pareto pareto;
    struct text text = TEXT_INIT;
    if (!pareto_make(&planned->chosen, &pareto))
        return failure_memory(failure, "describing the plan");
    if (options->json)
        pareto_json(&pareto, &text);
    else
        pareto_text(&pareto, &text);
    pareto_release(&pareto);
    if (planned->why && !options->json)
        text_add(&text, "\n%s", planned->why);
    return text_print(&text, "describing the plan", failure);
}

static void robustness_add(const struct plan_options *options,
                           const struct ensemble_summary *robustness, struct text *text)
{
    text_add(text, "noise       %.3g %% on every operation, %" PRId64 " seeds: median ",
             100 * options->noise, options->seeds);
    text_add_seconds(text, robustness->median_s);
    text_add(text, ", 95 %% within ");
    text_add_seconds(text, robustness->p95_s);
    text_add(text, "\n");
}

/* The plan, with its tail where it has one, under the noise that was asked for. */
static bool noise_study(const struct plan_options *options, const struct planning *planning,
                        const struct plan *plan, struct ensemble_summary *robustness,
                        struct failure *failure)
{
    const struct watching_request request = planning_watching(planning, plan->tail, plan);
    struct scenario scenario = SCENARIO_INIT;
    struct watching watching;
    scenario.noise = options->noise;
    if (!watching_init(&watching, &request, failure))
        return false;
    const bool good =
        ensemble_study(&(const struct ensemble_setup){&watching.platform, &watching.decision,
                                                      &scenario, options->seeds},
                       robustness, failure);
    watching_release(&watching);
    return good;
}

static bool gantt_add(const struct planning *planning, const struct plan *plan, struct text *text,
                      struct failure *failure)
{
    struct trace trace = {.count = 0};
    struct simulation simulation;
    text_add(text, "\n");
    const bool good = gantt_check(plan, failure) &&
                      planning_simulate(planning, plan, &trace, &simulation, failure) &&
                      gantt_draw(plan, &trace, text, failure);
    trace_release(&trace);
    return good;
}

/* The table's last lines. */
static bool outlook_add(const struct plan_options *options, const struct planning *planning,
                        struct advice advice, struct text *text, struct failure *failure)
{
    struct ensemble_summary robustness;
    const bool noisy = options->noise > 0;
    if (noisy && !noise_study(options, planning, advice.plan, &robustness, failure))
        return false;
    text_add(text, "\n");
    if (noisy)
        robustness_add(options, &robustness, text);
    advice.robustness = noisy ? &robustness : NULL;
    advice_text(&advice, text);
    advice_places(&advice, text);
    return advice_unequal(&advice, text, failure) &&
           advice_feeding(&advice, options->workers, options->input != NULL, text, failure) &&
           (!options->gantt || gantt_add(planning, advice.plan, text, failure));
}

static bool table_print(const struct plan_options *options, const struct planned *planned,
                        const struct advice *advice, struct failure *failure)
{
    struct text text = TEXT_INIT;
    struct platform platform;
    if (!platform_init(&platform, advice->setting, options->workers, failure))
        return false;
    describe_plan(advice->plan, platform.worker_count, &text);
    platform_release(&platform);
    planning_omissions(&planned->omissions, planned->planning.effort_s, &text);
    if (planned->why)
        text_add(&text, "%s", planned->why);
    extrapolation_describe(&advice->setting->extrapolation, &text);
    platform_describe_results(advice->setting, &text);
    if (outlook_add(options, &planned->planning, *advice, &text, failure))
        return text_print(&text, "describing the plan", failure);
    text_release(&text);
    return false;
}

/* Lines for a batch job that runs the plan. */
static bool lines_print(const struct plan_options *options, const struct advice *advice,
                        struct failure *failure)
{
    struct batch batch;
    struct text text = TEXT_INIT;
    batch_find(advice, &batch);
    batch.gpus = options->gpus;
    if (options->sbatch)
        batch_slurm(&batch, &text);
    else
        batch_pbs(&batch, &text);
    return text_print(&text, "describing the batch job", failure);
}

/* Where standard output has the plan alone. */
static void omissions_tell(const struct planned *planned)
{
    struct text text = TEXT_INIT;
    planning_omissions(&planned->omissions, planned->planning.effort_s, &text);
    if (planned->why)
        text_add(&text, "%s", planned->why);
    extrapolation_describe(&planned->planning.setting->extrapolation, &text);
    platform_describe_results(planned->planning.setting, &text);
    if (text.bytes)
        fprintf(stderr, "%s", text.bytes);
    text_release(&text);
}

/* Is the plan's file standard output? */
static bool plan_piped(const struct plan_options *options)
{
    return options->output && strcmp(options->output, "-") == 0;
}

static bool plan_put(const struct plan_options *options, const struct planned *planned, double pace,
                     struct failure *failure)
{
    const struct advice advice = planned_advice(planned, options->risk_percent / 100, pace);
    const bool piped = plan_piped(options);
    const bool alone =
        piped || (options->json && !options->compare && !options->sweep && !options->pareto);
    if (alone && !options->quiet)
        omissions_tell(planned);
    char *text = plan_print(&planned->plan);
    if (!text)
        return failure_memory(failure, "writing the plan");
    bool good = !options->output || textfile_write(options->output, text, failure);
    good = good &&
           (!options->html || page_of_plan(options->html, &planned->planning, &advice, failure));
    if (good && alone && !piped)
        fputs(text, stdout);
    free(text);
    if (!good || alone || options->quiet)
        return good;
    if (options->sbatch || options->pbs)
        return lines_print(options, &advice, failure);
    if (options->pareto)
        return pareto_print(options, planned, failure);
    if (options->compare)
        return compare_print(options, planned, failure);
    if (options->sweep)
        return sweep_print(options, &planned->planning, failure);
    return table_print(options, planned, &advice, failure);
}

/* ---- a job --------------------------------------------------------------------------------- */

/* What counts the core tasks of a job's input. */
struct counting {
    const struct plan_options *options;
    const struct readers *readers; /* may be NULL */
};

static bool tasks_count(const void *context, const struct profile *profile,
                        const struct profile_setting *setting, int64_t *tasks,
                        struct failure *failure)
{
    const struct counting *counting = context;
    const struct plan_options *options = counting->options;
    const struct readers *readers = counting->readers;
    if (!readers)
        return failure_set(
            failure, FAILURE_USAGE,
            "this scow was built without readers of inputs: give -X TASKS instead%s%s",
            options->input ? " of -i " : "", options->input ? options->input : "");
    return readers->count_tasks(options->input, options->kernel, profile, setting, tasks, failure);
}

static struct plan_request request_of(const struct plan_options *options)
{
    const bool hasty = sweep_alone(options) && strcmp(options->scheduler, SCHEDULER_AUTO) == 0;
    return (struct plan_request){.path = options->profile,
                                 /* standard input, which nobody can read again */
                                 .unnamed = options->profile && strcmp(options->profile, "-") == 0,
                                 .scheduler = hasty ? SCHEDULER_QUICK : options->scheduler,
                                 .set = options->set,
                                 .block = options->block,
                                 .tail = options->tail,
                                 .model = options->model,
                                 .like = options->like,
                                 .tasks = options->tasks,
                                 .workers = options->workers,
                                 .buffers = options->buffers,
                                 .deadline_s = options->deadline_s,
                                 .objective = options->objective,
                                 .budget = options->budget,
                                 .require = options->require,
                                 .exclude = options->exclude,
                                 .at_most = options->at_most,
                                 .price = options->price,
                                 .front = options->pareto,
                                 .why = options->why,
                                 .within = options->within,
                                 .effort_s = options->effort_s,
                                 .real_valued = options->real_valued,
                                 .bare = sweep_alone(options),
                                 .count = tasks_count};
}

/* NULL: none. */
static bool waits_load(const char *path, struct waits *waits, struct failure *failure)
{
    size_t length = 0;
    char *text = path ? textfile_read(path, &length, failure) : NULL;
    const bool good = !path || (text && waits_parse(waits, text, path, failure));
    free(text);
    return good;
}

static bool plan_run(const struct plan_options *options, const struct readers *readers,
                     struct failure *failure)
{
    struct profile profile;
    struct planned planned;
    char digest[65];
    const struct counting counting = {options, readers};
    struct plan_request request = request_of(options);
    request.digest = digest;
    request.context = &counting;
    struct waits waits = {.rows = NULL};
    struct task_weights *weights = NULL;
    if (!waits_load(options->waits, &waits, failure))
        return false;
    request.waits = options->waits ? &waits : NULL;
    if (!load_profile(options->profile, &profile, digest, failure)) {
        waits_release(&waits);
        return false;
    }
    bool good = weights_find(&options->weights, readers, &weights, failure);
    request.weights = weights;
    if (weights && !options->input && options->tasks == 0)
        request.tasks = weights->work.tasks;
    good = good && planned_make(&profile, &request, &planned, failure);
    waits_release(&waits);
    if (good) {
        good = plan_put(options, &planned, 1, failure);
        planned_release(&planned);
    }
    weights_free(weights);
    profile_release(&profile);
    return good;
}

/* ---- what is left of a run ----------------------------------------------------------------- */

static bool rest_check(const struct plan_options *options, const struct run_record *record,
                       struct failure *failure)
{
    if (record->tasks_done >= record->tasks)
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: all its core tasks are done: nothing is left to plan",
                           options->resume);
    return record->has_profile ||
           failure_set(failure, FAILURE_MISMATCH,
                       "%s: contains no profile, so the time of the remaining core tasks is not "
                       "known: run plans with their profile (-p)",
                       options->resume);
}

static bool rest_answer(const struct plan_options *options, const struct run_record *record,
                        int64_t workers, struct failure *failure)
{
    const struct remaining_request request = {.plan = &record->plan,
                                              .profile = &record->profile,
                                              .tasks = record->tasks - record->tasks_done,
                                              .workers = workers};
    const double pace = remaining_pace(&record->plan, record->parts, record->part_count);
    struct planned planned = {.planning = {.profile = &record->profile}};
    struct plan *plan = &planned.plan;
    if (!remaining_measured(&request, plan))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: its profile does not hold for what is left: %" PRId64
                           " core tasks to %" PRId64 " workers; give fewer workers with -n",
                           options->resume, request.tasks, workers);
    planned.planning = (struct planning){
        .profile = &record->profile,
        .setting = profile_find(&record->profile, &plan->parameters, plan->threads),
        .path = record->plan.profile,
        .digest = record->plan.profile_sha256,
        .scheduler = plan->scheduler,
        .tasks = plan->tasks,
        .workers = workers,
        .remaining = true};
    const bool good = planned_draw(&planned, failure) && plan_put(options, &planned, pace, failure);
    planned_release(&planned);
    return good;
}

/* As scow run --resume plans it. */
static bool rest_run(const struct plan_options *options, const struct readers *readers,
                     struct failure *failure)
{
    struct run_record record = {0};
    if (!readers)
        return failure_set(failure, FAILURE_USAGE,
                           "this scow was built without readers of outputs: plan with -p PROFILE "
                           "-X TASKS");
    if (!readers->read_run(options->resume, 1, &record, failure))
        return false;
    const int64_t workers =
        options->workers > 0 ? options->workers : plan_workers_needed(&record.plan);
    const bool good = rest_check(options, &record, failure) &&
                      (options->workers == 0 || wanted_workers(&record.profile, options->resume,
                                                               workers, options->like, failure)) &&
                      rest_answer(options, &record, workers, failure);
    run_record_release(&record);
    return good;
}

static void models_list(FILE *out)
{
    fprintf(out, "\nOperating models:\n");
    for (int k = 0; k < OPERATING_COUNT; k++) {
        const struct operating_traits *traits = operating_traits((enum operating)k);
        fprintf(out, "  %-19s  %s\n", traits->name, traits->summary);
    }
}

static void names_list(FILE *out)
{
    size_t count = 0;
    const struct scheduler *schedulers = scheduler_list(&count);
    fprintf(out, "\nSchedulers:\n  %-10s  %s\n", SCHEDULER_AUTO,
            "the least predicted makespan, and within 0.1 % of it the least worker-seconds");
    for (size_t k = 0; k < count; k++)
        fprintf(out, "  %-10s  %s\n", schedulers[k].name, schedulers[k].summary);
    models_list(out);
}

/* Pairs and periods are of every job: what one job or its plan alone has does not go with them. */
static bool periods_check(const struct plan_options *options, struct failure *failure)
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
        options->tail || options->output || options->html || options->within ||
        options->deadline_s > 0 || options->compare || options->sweep || options->gantt ||
        options->sbatch || options->pbs || options->buffers > 0 || options->noise > 0 ||
        strcmp(options->scheduler, SCHEDULER_AUTO) != 0)
        return failure_set(failure, FAILURE_USAGE,
                           "%s is about the costs and not about a job: give at most -n, --like, "
                           "--block, --set and --json beside it",
                           option);
    return true;
}

static bool periods_run(const struct plan_options *options, struct failure *failure)
{
    const struct periods_request request = {.profile = options->profile,
                                            .set = options->set,
                                            .block = options->block,
                                            .workers = options->workers,
                                            .like = options->like,
                                            .period_s = options->pairs ? 0 : options->period_s,
                                            .svg = options->svg,
                                            .json = options->json,
                                            .quiet = options->quiet};
    return periods_check(options, failure) && periods_answer(&request, failure);
}

/* What was asked for, if it can be. */
static bool checked_run(const struct plan_options *options, const struct readers *readers,
                        struct failure *failure)
{
    struct plan_request request = request_of(options);
    static const struct waits waited = {.rows = NULL}; /* read where a plan is made */
    request.waits = options->waits ? &waited : NULL;
    if (options->pairs || options->svg || !isnan(options->period_s))
        return periods_run(options, failure);
    if (!options_check(options, failure) || !weights_options_check(&options->weights, failure) ||
        !plan_request_check(&request, failure))
        return false;
    return options->resume ? rest_run(options, readers, failure)
                           : plan_run(options, readers, failure);
}

static struct option_table table_of(const struct option_row *rows, size_t count)
{
    return (struct option_table){
        .usage = "scow plan {-p PROFILE [-i INPUT | -X TASKS] | --resume OUT.h5} [options]",
        .purpose = "Choose workers, rounds and package sizes for a job, and predict its makespan.",
        .rows = rows,
        .row_count = count,
        .list = names_list,
    };
}

static const struct plan_options usual = {.scheduler = SCHEDULER_AUTO,
                                          .seeds = 100,
                                          .period_s = NAN, /* not given */
                                          .risk_percent = 100 * ADVICE_RISK,
                                          .effort_s = PLANNING_EFFORT_S};

bool command_plan(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    struct plan_options options = usual;
    int operands = 0;
    const struct option_row rows[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options.profile,
         "profile written by 'scow calibrate'"},
        {'i', "input", "INPUT", OPTION_TEXT, &options.input,
         "input of the job; its core tasks are counted; -: standard input"},
        {0, "resume", "OUT.h5", OPTION_TEXT, &options.resume,
         "plan what is left of a run, as scow run --resume does, in place of -p and -i"},
        {'k', "kernel", "./FILE.so", OPTION_TEXT, &options.kernel,
         "plug-in of the profile's core task (default: where it was when calibrated)"},
        {'X', "tasks", "TASKS", OPTION_COUNT, &options.tasks,
         "number of core tasks of the job, in place of -i"},
        {0, "weights", "FILE", OPTION_TEXT, &options.weights.file,
         "what core tasks are worth, a number a line; size: that of the files that lines name"},
        {0, "weights-from", "LOG", OPTION_TEXT, &options.weights.from,
         "the times of a run's output, a --joblog of GNU parallel or 'sacct -P' as weights"},
        {0, "weights-column", "N", OPTION_COUNT, &options.weights.column,
         "column N of the input's lines as weights"},
        {'n', "workers", "N", OPTION_COUNT, &options.workers,
         "use the first N workers; where the profile has fewer, more like its last ones"},
        {0, "like", "CLASS", OPTION_TEXT, &options.like,
         "workers that the profile does not have are like these: a class's name, or a rank"},
        {'s', "scheduler", "SCHEDULER", OPTION_TEXT, &options.scheduler,
         "auto (the default) or one of those listed below"},
        {0, "block", "B", OPTION_COUNT, &options.block,
         "use the profile's setting with this block (default: the best one)"},
        {0, "set", "NAME=VALUE,...", OPTION_TEXT, &options.set,
         "use the settings with these values of the core task's parameters"},
        {0, "real-valued", NULL, OPTION_FLAG, &options.real_valued,
         "allow fractions of tasks, to compare with published tables"},
        {0, "buffers", "N", OPTION_COUNT, &options.buffers,
         "packages that a worker receives ahead of the one it works on (2)"},
        {0, "model", "MODEL", OPTION_TEXT, &options.model,
         "operating model: what master and workers do at the same time (the profile's, or "
         "single-port)"},
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &options.tail,
         "let the run assign the plan's end on request, more of it the more packages differ; or "
         "none"},
        {'o', "output", "FILE", OPTION_TEXT, &options.output,
         "write the plan to FILE (-: standard output)"},
        {0, "html", "FILE", OPTION_TEXT, &options.html,
         "write one self-contained HTML page with charts of the plan"},
        {0, "deadline", "SECONDS", OPTION_NUMBER, &options.deadline_s,
         "take no longer; without an objective, use the fewest workers whose plan meets that"},
        {0, "objective", "NAME", OPTION_TEXT, &options.objective,
         "choose workers for the least makespan, cpu (sum of busy times), cost, turnaround (with "
         "the wait in the queue) or workers"},
        {0, "budget", "CHARGE", OPTION_NUMBER, &options.budget,
         "choose workers whose plan costs no more, in the unit of the prices"},
        {0, "price", "[CLASS=]P,...", OPTION_TEXT, &options.price,
         "what a rank of a class, or master, costs a second (or its watts); without a class: every "
         "rank"},
        {0, "require", "CLASS,...", OPTION_TEXT, &options.require,
         "use at least one worker of each of these classes (names, or ranks)"},
        {0, "exclude", "CLASS,...", OPTION_TEXT, &options.exclude,
         "use no worker of these classes"},
        {0, "at-most", "CLASS=N,...", OPTION_TEXT, &options.at_most,
         "use at most N workers of a class"},
        {0, "waits", "FILE", OPTION_TEXT, &options.waits,
         "waits in the queue: lines of ranks, walltime_s and wait_s"},
        {0, "pareto", NULL, OPTION_FLAG, &options.pareto,
         "show all plans than which none is both as fast and as cheap"},
        {0, "why", NULL, OPTION_FLAG, &options.why, "say why workers are left out"},
        {0, "within", "PERCENT", OPTION_TEXT, &options.within,
         "accept a makespan longer by this much, such as 5%, if that saves worker-seconds (0.1%)"},
        {0, "compare", NULL, OPTION_FLAG, &options.compare, "compare the plans of all schedulers"},
        {0, "sweep", NULL, OPTION_FLAG, &options.sweep,
         "show makespan and efficiency (of the speed that each worker has alone) by the number of "
         "workers, beyond the profile's, too"},
        {0, "pairs", NULL, OPTION_FLAG, &options.pairs,
         "for any job: show which numbers of workers one master keeps busy without a gap, with "
         "which packages"},
        {0, "svg", "FILE", OPTION_TEXT, &options.svg, "with --pairs: draw them, too"},
        {0, "period", "SECONDS", OPTION_NUMBER, &options.period_s,
         "for any job: show the packages for one such period that produce most, and that use port "
         "and workers best"},
        {0, "noise", "FRACTION", OPTION_NUMBER, &options.noise,
         "simulate with this relative standard deviation of every operation"},
        {0, "seeds", "N", OPTION_COUNT, &options.seeds, "number of simulations with noise (100)"},
        {0, "risk", "PERCENT", OPTION_NUMBER, &options.risk_percent,
         "share of runs that may outlast the walltime (1)"},
        {0, "effort", "SECONDS", OPTION_NUMBER, &options.effort_s,
         "about how long planning with auto may take; with another scheduler, ten times as long "
         "(1)"},
        {0, "gantt", NULL, OPTION_FLAG, &options.gantt, "print a Gantt chart"},
        {0, "json", NULL, OPTION_FLAG, &options.json,
         "print JSON: the plan, the comparison, the sweep, the pairs or the period"},
        {0, "sbatch", NULL, OPTION_FLAG, &options.sbatch,
         "print what a Slurm job that runs the plan must ask for, as lines of its script"},
        {0, "pbs", NULL, OPTION_FLAG, &options.pbs, "the same for PBS"},
        {0, "gpus-per-worker", "N", OPTION_COUNT, &options.gpus,
         "with --sbatch or --pbs: also ask for N GPUs for each worker of a node"},
        {'q', "quiet", NULL, OPTION_FLAG, &options.quiet, "do not print the plan"},
        {'v', "verbose", NULL, OPTION_FLAG, &options.verbose, "also print the chart"},
    };
    const struct option_table table = table_of(rows, sizeof rows / sizeof *rows);
    const enum options_outcome outcome =
        options_read(&table, argc, argv, NULL, 0, &operands, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    options.weights.input = options.input;
    options.gantt = options.gantt || options.verbose;
    return checked_run(&options, readers, failure);
}
