#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/command/command.h"
#include "planner/command/pages.h"
#include "planner/command/plan_options.h"
#include "planner/command/plan_periods.h"
#include "planner/command/plan_strips.h"
#include "planner/command/readers.h"
#include "planner/files/load.h"
#include "planner/files/observations_tsv.h"
#include "planner/files/plan_json.h"
#include "planner/files/textfile.h"
#include "planner/library/planned.h"
#include "planner/library/wanted.h"
#include "planner/model/beyond.h"
#include "planner/model/extrapolation.h"
#include "planner/model/platform.h"
#include "planner/report/describe.h"
#include "planner/report/gantt.h"
#include "planner/report/levels.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/ensemble.h"
#include "planner/studies/advice.h"
#include "planner/studies/batch.h"
#include "planner/studies/comparison.h"
#include "planner/studies/pareto.h"
#include "planner/studies/planning.h"
#include "planner/studies/remaining_plan.h"
#include "planner/studies/repeated.h"
#include "planner/studies/several.h"
#include "planner/studies/sweep.h"

/* With --sweep and no file to write, the plan itself is of no interest: it only chooses the
 * setting. */
static bool sweep_alone(const struct plan_options *options)
{
    return options->sweep && !options->output && !options->html;
}

/* ---- what is printed ----------------------------------------------------------------------- */

/* The masters that were asked for or, where none were, the numbers that "plan" chooses from. */
static enum comparison_masters masters_compared(const struct plan_options *options)
{
    if (options->masters || options->tree)
        return COMPARISON_PLANNED;
    return plan_options_several(options) ? COMPARISON_BEST : COMPARISON_ONE;
}

static bool compare_print(const struct plan_options *options, const struct planned *planned,
                          struct failure *failure)
{
    struct comparison comparison;
    struct text text = TEXT_INIT;
    struct scenario scenario = SCENARIO_INIT;
    scenario.noise = options->noise;
    if (!comparison_make_with(&planned->planning, &scenario,
                              options->noise > 0 ? options->seeds : 0, masters_compared(options),
                              &planned->plan, &comparison, failure))
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
    if (!sweep_make_with(planning, plan_options_masters(options), &sweep, failure))
        return false;
    if (options->json)
        sweep_json(&sweep, &text);
    else
        sweep_text(&sweep, &text);
    sweep_release(&sweep);
    return text_print(&text, "describing the plan", failure);
}

static bool pareto_print(const struct plan_options *options, const struct planned *planned,
                         const struct pareto *pareto, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (options->json)
        pareto_json(pareto, &text);
    else
        pareto_text(pareto, &text);
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

/* Simulates the plan, including its tail if it has one, with the noise that was asked for. */
static bool noise_study(const struct plan_options *options, const struct planning *planning,
                        const struct plan *plan, struct ensemble_summary *robustness,
                        struct failure *failure)
{
    struct scenario scenario = SCENARIO_INIT;
    scenario.noise = options->noise;
    return repeated_study(planning, plan, &scenario, options->seeds, robustness, failure);
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

/* Tells whether several masters would save time: only of a plan for the least makespan and for a
 * whole job. */
static bool masters_add(const struct plan_options *options, const struct planned *planned,
                        struct text *text, struct failure *failure)
{
    const struct plan *plan = &planned->plan;
    if (!plan_options_open(options) || plan->objective)
        return true;
    return several_offer(&planned->planning, &planned->several, plan, text, failure);
}

/* Adds the lines that only a plan of one master has. */
static bool single_add(const struct plan_options *options, const struct planned *planned,
                       const struct advice *advice, struct text *text, struct failure *failure)
{
    return plan_is_several(advice->plan) ||
           (advice_feeding(advice, options->workers, options->input != NULL, text, failure) &&
            masters_add(options, planned, text, failure));
}

/* Adds the table's last lines: what to expect of the run. */
static bool outlook_add(const struct plan_options *options, const struct planned *planned,
                        struct advice advice, struct text *text, struct failure *failure)
{
    const struct planning *planning = &planned->planning;
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
           single_add(options, planned, &advice, text, failure) &&
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
    planned_left_out(planned, &text);
    platform_describe_results(advice->setting, &text);
    levels_plan_text(advice->plan, &text);
    if (outlook_add(options, planned, *advice, &text, failure))
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

/* Tells on standard error what the description would say, where standard output has the plan
 * alone. */
static void omissions_tell(const struct planned *planned)
{
    struct text text = TEXT_INIT;
    planning_omissions(&planned->omissions, planned->planning.effort_s, &text);
    if (planned->why)
        text_add(&text, "%s", planned->why);
    extrapolation_describe(&planned->planning.setting->extrapolation, &text);
    planned_left_out(planned, &text);
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

/* Is standard output the plan and nothing else? */
static bool plan_alone(const struct plan_options *options)
{
    return plan_piped(options) ||
           (options->json && !options->compare && !options->sweep && !options->pareto);
}

/* Writes the files that were asked for, and the plan to standard output where nothing else goes
 * there. */
static bool plan_write(const struct plan_options *options, const struct planned *planned,
                       const struct advice *advice, const struct pareto *pareto,
                       struct failure *failure)
{
    char *text = plan_print(&planned->plan);
    if (!text)
        return failure_memory(failure, "writing the plan");
    bool good = !options->output || textfile_write(options->output, text, failure);
    good = good && (!options->html ||
                    page_of_plan(options->html, &planned->planning, advice, pareto, failure));
    if (good && plan_alone(options) && !plan_piped(options))
        fputs(text, stdout);
    free(text);
    return good;
}

static bool plan_show(const struct plan_options *options, const struct planned *planned,
                      const struct advice *advice, const struct pareto *pareto,
                      struct failure *failure)
{
    if (options->sbatch || options->pbs)
        return lines_print(options, advice, failure);
    if (options->pareto)
        return pareto_print(options, planned, pareto, failure);
    if (options->compare)
        return compare_print(options, planned, failure);
    if (options->sweep)
        return sweep_print(options, &planned->planning, failure);
    return table_print(options, planned, advice, failure);
}

static bool plan_put(const struct plan_options *options, const struct planned *planned, double pace,
                     struct failure *failure)
{
    const struct advice advice = planned_advice(planned, options->risk_percent / 100, pace);
    const bool alone = plan_alone(options);
    struct pareto pareto = {.rows = NULL};
    if (options->pareto && !pareto_make(&planned->chosen, &pareto))
        return failure_memory(failure, "describing the plan");
    if (alone && !options->quiet)
        omissions_tell(planned);
    const bool good =
        plan_write(options, planned, &advice, options->pareto ? &pareto : NULL, failure) &&
        (alone || options->quiet || plan_show(options, planned, &advice, &pareto, failure));
    pareto_release(&pareto);
    return good;
}

/* ---- a job --------------------------------------------------------------------------------- */

static bool tasks_count(const void *context, const struct profile *profile,
                        const struct profile_setting *setting, int64_t *tasks,
                        struct failure *failure)
{
    const struct plan_options *options = context;
    const struct readers *readers = readers_find("give -X TASKS in place of an input", failure);
    return readers &&
           readers->count_tasks(options->input, options->kernel, profile, setting, tasks, failure);
}

static struct plan_request request_of(const struct plan_options *options)
{
    const bool hasty = sweep_alone(options) && strcmp(options->scheduler, SCHEDULER_AUTO) == 0;
    const int64_t masters = plan_options_masters(options);
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
                                 .masters = sweep_alone(options) || masters == 1 ? 0 : masters,
                                 .tree = plan_options_tree(options),
                                 .levels = options->levels,
                                 .several = plan_options_several(options),
                                 .buffers = options->buffers,
                                 .deadline_s = isnan(options->deadline_s) ? 0 : options->deadline_s,
                                 .objective = options->objective,
                                 .budget = isnan(options->budget) ? 0 : options->budget,
                                 .require = options->require,
                                 .exclude = options->exclude,
                                 .at_most = options->at_most,
                                 .price = options->price,
                                 .front = options->pareto,
                                 .why = options->why,
                                 .within = options->within,
                                 .effort_s = options->effort_s,
                                 .real_valued = options->real_valued,
                                 .production = options->production,
                                 .master_computes = options->master_computes,
                                 .bare = sweep_alone(options),
                                 .count = tasks_count};
}

/* Does the profile know weights that only the core task can tell, and nothing else is asked for? */
static bool weights_implied(const struct plan_options *options, const struct profile *profile)
{
    const char *source = profile->weights.source;
    return source && strncmp(source, WEIGHTS_OF_TASK, strlen(WEIGHTS_OF_TASK)) == 0 &&
           !weights_work_asked(&options->weights) && options->tasks == 0;
}

/* What is no number of groups may be a name that is not spelled right, or not meant as one. */
static bool groups_load(const char *path, const struct profile *profile, struct group *grouping,
                        struct failure *failure)
{
    struct failure absent = FAILURE_INIT;
    if (!textfile_there(path, &absent))
        return failure_set(failure, absent.code,
                           "--tree takes a number of groups, auto, or a file that has them: %s",
                           absent.text);
    return load_grouping(path, profile, grouping, failure);
}

static bool plan_run(const struct plan_options *options, struct failure *failure)
{
    struct profile profile;
    struct planned planned;
    char digest[65];
    struct plan_request request = request_of(options);
    request.digest = digest;
    request.context = options;
    struct waits waits = {.rows = NULL};
    struct observations load = {.nodes = NULL};
    enum forecast_by by;
    struct task_weights *weights = NULL;
    struct group grouping = {.master = 0};
    const char *const groups = plan_options_groups(options);
    if (!plan_options_load_by(options, &by, failure) ||
        (options->waits && !load_waits(options->waits, &waits, failure)))
        return false;
    request.waits = options->waits ? &waits : NULL;
    if ((options->load && !observations_read(&load, options->load, failure)) ||
        !load_profile(options->profile, &profile, digest, failure)) {
        observations_release(&load);
        waits_release(&waits);
        return false;
    }
    load.by = by;
    request.load = options->load ? &load : NULL;
    request.load_path = options->load;
    const struct weights_job job = {&profile, options->profile, options->kernel,
                                    weights_implied(options, &profile)};
    bool good = weights_of_job(&options->weights, &job, &weights, failure);
    request.weights = weights;
    if (weights && !options->input && options->tasks == 0)
        request.tasks = weights->work.tasks;
    good = good && (!groups || groups_load(groups, &profile, &grouping, failure));
    request.grouping = groups ? &grouping : NULL;
    request.grouping_path = groups;
    good = good && planned_make(&profile, &request, &planned, failure);
    grouping_release(&grouping);
    waits_release(&waits);
    observations_release(&load);
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

static struct remaining_request rest_request(const struct run_record *record, int64_t workers)
{
    return (struct remaining_request){.plan = &record->plan,
                                      .profile = &record->profile,
                                      .tasks = record->tasks - record->tasks_done,
                                      .workers = workers,
                                      .ranges = record->not_done,
                                      .range_count = record->not_done_count};
}

static bool rest_answer(const struct plan_options *options, const struct run_record *record,
                        int64_t workers, struct failure *failure)
{
    const struct remaining_request request = rest_request(record, workers);
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

/* Plans what is left of a run, as scow run --resume does. */
static bool rest_run(const struct plan_options *options, struct failure *failure)
{
    struct run_record record = {0};
    const struct readers *readers = readers_find("plan with -p PROFILE -X TASKS", failure);
    if (!readers || !readers->read_run(options->resume, 1, &record, failure))
        return false;
    const int64_t workers =
        options->workers > 0 ? options->workers : plan_workers_needed(&record.plan);
    const struct remaining_request request = rest_request(&record, workers);
    struct task_weights *weights = remaining_weights(&request);
    profile_weigh(&record.profile, weights);
    const bool good = rest_check(options, &record, failure) &&
                      (options->workers == 0 || wanted_workers(&record.profile, options->resume,
                                                               workers, options->like, failure)) &&
                      rest_answer(options, &record, workers, failure);
    weights_free(weights);
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
    return plan_options_check_periods(options, failure) && periods_answer(&request, failure);
}

static bool strips_run(const struct plan_options *options, struct failure *failure)
{
    struct strips_asked asked = {.options = &options->strips,
                                 .profile = options->profile,
                                 .set = options->set,
                                 .like = options->like,
                                 .load = options->load,
                                 .output = options->output,
                                 .html = options->html,
                                 .workers = options->workers,
                                 .json = options->json,
                                 .quiet = options->quiet};
    return plan_options_check_strips(options, failure) &&
           plan_options_load_by(options, &asked.load_by, failure) && strips_answer(&asked, failure);
}

/* Answers what was asked for, after a check that the options go together. */
static bool checked_run(const struct plan_options *options, struct failure *failure)
{
    struct plan_request request = request_of(options);
    static const struct waits waited = {.rows = NULL}; /* read where a plan is made */
    request.waits = options->waits ? &waited : NULL;
    if (options->strips.strips)
        return strips_run(options, failure);
    if (!strips_options_alone(&options->strips, failure))
        return false;
    if (options->pairs || options->svg || !isnan(options->period_s))
        return periods_run(options, failure);
    if (!plan_options_check(options, failure) ||
        !weights_options_check(&options->weights, failure) ||
        !plan_request_check(&request, failure))
        return false;
    return options->resume ? rest_run(options, failure) : plan_run(options, failure);
}

bool command_plan(int argc, char **argv, struct failure *failure)
{
    struct plan_options options;
    const enum options_outcome outcome =
        plan_options_read(&options, argc, argv, names_list, failure);
    return outcome == OPTIONS_READ ? checked_run(&options, failure) : outcome == OPTIONS_HELPED;
}
