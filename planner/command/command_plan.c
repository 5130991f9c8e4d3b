#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/options.h"
#include "planner/command/command.h"
#include "planner/command/pages.h"
#include "planner/command/wanted.h"
#include "planner/files/load.h"
#include "planner/files/plan_json.h"
#include "planner/files/textfile.h"
#include "planner/model/beyond.h"
#include "planner/model/platform.h"
#include "planner/report/describe.h"
#include "planner/report/gantt.h"
#include "planner/schedulers/scheduler.h"
#include "planner/simulate/robustness.h"
#include "planner/studies/advice.h"
#include "planner/studies/batch.h"
#include "planner/studies/comparison.h"
#include "planner/studies/planning.h"
#include "planner/studies/remainder.h"
#include "planner/studies/sweep.h"
#include "planner/studies/watching.h"

struct plan_options {
    const char *profile, *input, *scheduler, *output, *html, *set, *kernel, *tail, *like, *resume;
    int64_t tasks, workers, block, seeds, buffers;
    double deadline_s, noise, risk_percent, effort_s;
    bool real_valued, compare, sweep, gantt, json, sbatch, pbs, quiet, verbose;
};

/* Everything but the workers is as it was begun. */
static bool resume_check(const struct plan_options *options, struct failure *failure)
{
    if (options->profile || options->input || options->tasks > 0 || options->set ||
        options->block > 0 || options->deadline_s > 0 || options->tail || options->kernel ||
        options->compare || options->sweep || options->real_valued || options->buffers > 0 ||
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
    if (options->input && options->tasks > 0)
        return failure_set(failure, FAILURE_USAGE,
                           "the size of the job is given twice: give either -i INPUT or -X TASKS");
    if (options->compare && options->sweep)
        return failure_set(failure, FAILURE_USAGE,
                           "--compare and --sweep exclude each other: choose one");
    if ((options->sbatch && options->pbs) ||
        ((options->sbatch || options->pbs) &&
         (options->json || options->compare || options->sweep || options->real_valued)))
        return failure_set(failure, FAILURE_USAGE,
                           "--sbatch and --pbs print what a job that runs the plan asks for, and "
                           "nothing else: leave the other one, --json, --compare, --sweep and "
                           "--real-valued out");
    if (!(options->deadline_s >= 0 && options->noise >= 0 && options->noise <= 10))
        return failure_set(failure, FAILURE_USAGE,
                           "--deadline must not be negative, --noise must be from 0 to 10");
    if (!(options->risk_percent >= 0.001 && options->risk_percent <= 50))
        return failure_set(failure, FAILURE_USAGE,
                           "--risk must be from 0.001 to 50: the percentage of runs that may "
                           "outlast the walltime");
    if (!(options->effort_s > 0 && options->effort_s <= 1e6))
        return failure_set(failure, FAILURE_USAGE,
                           "--effort must be above 0 and at most 1000000: about how many seconds "
                           "planning with auto may take");
    if (options->buffers > LIMIT_BUFFERS)
        return failure_set(failure, FAILURE_USAGE, "--buffers is at most %" PRId64 ": give less",
                           LIMIT_BUFFERS);
    if (options->noise > 0 && options->real_valued)
        return failure_set(failure, FAILURE_USAGE,
                           "--noise needs whole loads: leave --real-valued out");
    if (options->tail && options->real_valued)
        return failure_set(failure, FAILURE_USAGE,
                           "--tail needs whole loads: leave --real-valued out");
    return planning_check_scheduler(options->scheduler, failure);
}

/* Core tasks of the job with the setting's parameters. */
static bool tasks_count(const struct plan_options *options, const struct profile *profile,
                        const struct profile_setting *setting, const struct readers *readers,
                        int64_t *tasks, struct failure *failure)
{
    *tasks = options->tasks;
    if (options->tasks > 0)
        return true;
    if (!readers)
        return failure_set(
            failure, FAILURE_USAGE,
            "this scow was built without readers of inputs: give -X TASKS instead%s%s",
            options->input ? " of -i " : "", options->input ? options->input : "");
    return readers->count_tasks(options->input, options->kernel, profile, setting, tasks, failure);
}

/* How many settings are to be tried. */
static size_t settings_wanted(const struct profile *profile, const struct parameter_list *wanted)
{
    size_t count = 0;
    for (size_t k = 0; k < profile->setting_count; k++)
        count += profile_setting_suits(&profile->settings[k], wanted);
    return count;
}

/* Has `list` what `part` says of the job itself? How it is done may differ. */
static bool job_has(const struct parameter_list *list, const struct parameter_list *part)
{
    for (size_t k = 0; k < part->count; k++) {
        const struct parameter *item = &part->items[k];
        const struct parameter *own = parameter_list_find(list, item->name);
        if (strcmp(item->name, PLATFORM_WRITE_BEHIND) != 0 && strcmp(item->name, "staged") != 0 &&
            !(own && parameter_equal(own, item)))
            return false;
    }
    return true;
}

/* Do all of them have the same job, and do it otherwise, or with other threads? */
static bool settings_alike(const struct profile *profile, const struct parameter_list *wanted)
{
    const struct profile_setting *first = NULL;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        if (!profile_setting_suits(setting, wanted))
            continue;
        if (first && !(job_has(&first->parameters, &setting->parameters) &&
                       job_has(&setting->parameters, &first->parameters)))
            return false;
        first = setting;
    }
    return true;
}

static bool settings_check(const struct plan_options *options, const struct profile *profile,
                           const struct parameter_list *wanted, struct failure *failure)
{
    const size_t count = settings_wanted(profile, wanted);
    if (count == 0 && options->block > 0 && !options->set)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has no setting for blocks of %" PRId64
                           ": calibrate with --blocks %" PRId64 ", or choose another",
                           options->profile, options->block, options->block);
    if (count == 0)
        return failure_set(failure, FAILURE_MISMATCH,
                           "'%s' has no setting with these parameters: 'scow show %s' lists them",
                           options->profile, options->profile);
    if (options->tasks > 0 && !settings_alike(profile, wanted))
        return failure_set(
            failure, FAILURE_USAGE,
            "'%s' has several settings, and how many core tasks a job has may depend "
            "on that: with -X say which by --block or --set",
            options->profile);
    return true;
}

/* The best plan so far; found false: none, and *refused says why. */
struct choice {
    struct planning planning;
    struct plan plan; /* owned */
    bool found;
    struct plan_other *others; /* owned; of every setting with a plan, the best one's included */
    size_t other_count, best;  /* the best one's place among them */
    struct schedule_omissions omissions; /* of the best one's */
    struct failure refused;
};

/* With a deadline the fewest workers win, else the least makespan. */
static bool plan_better(const struct plan_options *options, const struct plan *plan,
                        const struct plan *than)
{
    int64_t workers = plan_workers_used(plan), than_workers = plan_workers_used(than);
    if (options->deadline_s > 0 && workers != than_workers)
        return workers < than_workers;
    return plan->predicted.makespan_s < than->predicted.makespan_s;
}

/* Let one setting compete. What is infeasible with one may be feasible with another; any other
 * failure ends the choice. */
static bool choice_try(struct choice *choice, const struct plan_options *options,
                       struct planning *planning, struct failure *failure)
{
    struct plan made;
    struct schedule_omissions omissions = {.count = 0};
    struct failure here = FAILURE_INIT;
    planning->omissions = options->deadline_s > 0 ? NULL : &omissions;
    bool good = options->deadline_s > 0
                    ? sweep_deadline(planning, options->deadline_s, &made, &here)
                    : planning_make(planning, &made, &here);
    planning->omissions = NULL;
    if (!good) {
        failure_set(&choice->refused, here.code, "%s", here.text);
        return here.code == FAILURE_INFEASIBLE || failure_set(failure, here.code, "%s", here.text);
    }
    struct plan_other *other = &choice->others[choice->other_count++];
    *other = (struct plan_other){.threads = planning->setting->threads,
                                 .makespan_s = made.predicted.makespan_s};
    if (!parameter_list_copy(&other->parameters, &planning->setting->parameters)) {
        plan_release(&made);
        return failure_memory(failure, "comparing settings");
    }
    if (choice->found && !plan_better(options, &made, &choice->plan)) {
        plan_release(&made);
        return true;
    }
    plan_release(&choice->plan);
    choice->plan = made;
    choice->best = choice->other_count - 1;
    choice->planning = *planning;
    choice->omissions = omissions;
    choice->found = true;
    return true;
}

/* The best plan over the settings that are wanted. */
static bool settings_try(const struct plan_options *options, const struct readers *readers,
                         const struct parameter_list *wanted, struct planning *planning,
                         struct choice *choice, struct failure *failure)
{
    const struct profile *profile = planning->profile;
    bool good = true;
    planning->effort_s = options->effort_s / (double)settings_wanted(profile, wanted);
    for (size_t k = 0; good && k < profile->setting_count; k++) {
        int64_t tasks = 0;
        planning->setting = &profile->settings[k];
        if (!profile_setting_suits(planning->setting, wanted))
            continue;
        good = tasks_count(options, profile, planning->setting, readers, &tasks, failure);
        planning->tasks = (double)tasks;
        good = good && choice_try(choice, options, planning, failure);
    }
    return good && (choice->found ||
                    failure_set(failure, choice->refused.code, "%s", choice->refused.text));
}

/* The others go with the plan that is better than they. */
static void others_hand_over(struct choice *choice)
{
    struct plan *plan = &choice->plan;
    parameter_list_release(&choice->others[choice->best].parameters);
    choice->other_count--;
    for (size_t k = choice->best; k < choice->other_count; k++)
        choice->others[k] = choice->others[k + 1];
    plan->others = choice->others;
    plan->other_count = choice->other_count;
}

static void choice_release(struct choice *choice)
{
    plan_release(&choice->plan);
    for (size_t k = 0; k < choice->other_count; k++)
        parameter_list_release(&choice->others[k].parameters);
    free(choice->others);
}

/* The best plan, and what it was made from, and without whom. */
static bool plan_choose(const struct plan_options *options, const struct readers *readers,
                        struct planning *planning, struct plan *plan,
                        struct schedule_omissions *omissions, struct failure *failure)
{
    struct choice choice = {.refused = FAILURE_INIT};
    struct parameter_list wanted = {0};
    choice.others = calloc(planning->profile->setting_count, sizeof *choice.others);
    if (!choice.others)
        return failure_memory(failure, "comparing settings");
    const bool good = wanted_read(options->set, options->block, &wanted, failure) &&
                      wanted_check(planning->profile, options->profile, &wanted, failure) &&
                      settings_check(options, planning->profile, &wanted, failure) &&
                      settings_try(options, readers, &wanted, planning, &choice, failure);
    parameter_list_release(&wanted);
    if (!good) {
        choice_release(&choice);
        return false;
    }
    others_hand_over(&choice);
    *plan = choice.plan;
    *planning = choice.planning;
    *omissions = choice.omissions;
    return true;
}

static bool compare_print(const struct plan_options *options, const struct planning *planning,
                          const struct plan *plan, struct failure *failure)
{
    struct comparison comparison;
    struct text text = TEXT_INIT;
    struct scenario scenario = SCENARIO_INIT;
    scenario.noise = options->noise;
    if (!comparison_make(planning, &scenario, options->noise > 0 ? options->seeds : 0, &comparison,
                         failure))
        return false;
    if (options->json) {
        comparison_json(&comparison, &text);
    } else {
        comparison_text(&comparison, &text);
        beyond_describe(&plan->beyond, &text);
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

static void robustness_add(const struct plan_options *options, const struct robustness *robustness,
                           struct text *text)
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
                        const struct plan *plan, struct robustness *robustness,
                        struct failure *failure)
{
    const struct watching_request request = planning_watching(planning, plan->tail, plan);
    struct scenario scenario = SCENARIO_INIT;
    struct watching watching;
    scenario.noise = options->noise;
    if (!watching_init(&watching, &request, failure))
        return false;
    const bool good = robustness_measure(&watching.platform, &watching.decision, &scenario,
                                         options->seeds, robustness, failure);
    watching_release(&watching);
    return good;
}

static bool gantt_add(const struct planning *planning, const struct plan *plan, struct text *text,
                      struct failure *failure)
{
    struct trace trace = {NULL, 0, 0};
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
    struct robustness robustness;
    const bool noisy = options->noise > 0;
    if (noisy && !noise_study(options, planning, advice.plan, &robustness, failure))
        return false;
    text_add(text, "\n");
    if (noisy)
        robustness_add(options, &robustness, text);
    advice.robustness = noisy ? &robustness : NULL;
    advice_text(&advice, text);
    return advice_unequal(&advice, text, failure) &&
           advice_feeding(&advice, options->workers, options->input != NULL, text, failure) &&
           (!options->gantt || gantt_add(planning, advice.plan, text, failure));
}

static bool table_print(const struct plan_options *options, const struct planning *planning,
                        const struct advice *advice, struct failure *failure)
{
    struct text text = TEXT_INIT;
    struct platform platform;
    if (!platform_init(&platform, advice->setting, options->workers, failure))
        return false;
    describe_plan(advice->plan, platform.worker_count, &text);
    platform_release(&platform);
    if (planning->omissions)
        planning_omissions(planning->omissions, planning->effort_s, &text);
    if (outlook_add(options, planning, *advice, &text, failure))
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
    if (options->sbatch)
        batch_slurm(&batch, &text);
    else
        batch_pbs(&batch, &text);
    return text_print(&text, "describing the batch job", failure);
}

/* Where standard output has the plan alone. */
static void omissions_tell(const struct planning *planning)
{
    struct text text = TEXT_INIT;
    planning_omissions(planning->omissions, planning->effort_s, &text);
    if (text.bytes)
        fprintf(stderr, "%s", text.bytes);
    text_release(&text);
}

/* Is the plan's file standard output? */
static bool plan_piped(const struct plan_options *options)
{
    return options->output && strcmp(options->output, "-") == 0;
}

static bool plan_put(const struct plan_options *options, const struct planning *planning,
                     const struct advice *advice, struct failure *failure)
{
    const bool piped = plan_piped(options);
    const bool alone = piped || (options->json && !options->compare && !options->sweep);
    if (alone && !options->quiet)
        omissions_tell(planning);
    char *text = plan_print(advice->plan);
    if (!text)
        return failure_memory(failure, "writing the plan");
    bool good = !options->output || textfile_write(options->output, text, failure);
    good = good && (!options->html || page_of_plan(options->html, planning, advice, failure));
    if (good && alone && !piped)
        fputs(text, stdout);
    free(text);
    if (!good || alone || options->quiet)
        return good;
    if (options->sbatch || options->pbs)
        return lines_print(options, advice, failure);
    if (options->compare)
        return compare_print(options, planning, advice->plan, failure);
    if (options->sweep)
        return sweep_print(options, planning, failure);
    return table_print(options, planning, advice, failure);
}

/* Is the plan itself of no interest, and only chooses the setting? */
static bool sweep_alone(const struct plan_options *options)
{
    return options->sweep && !options->output && !options->html;
}

/* Draw the interval, where the profile says how sure it is, and print what was asked for. Draws
 * that leave out a tail say what is exceeded rarely, but not between which limits runs will lie. */
static bool plan_answer(const struct plan_options *options, const struct planning *planning,
                        struct plan *plan, double pace, struct failure *failure)
{
    const struct profile *profile = planning->profile;
    const struct profile_setting *setting = planning->setting;
    const struct interval_request request = {
        .profile = profile, .setting = setting, .plan = plan, .workers = planning->workers};
    struct interval interval = {.draws = 0};
    const bool known = !sweep_alone(options) && interval_known(profile, setting);
    const struct advice advice = {.plan = plan,
                                  .profile = profile,
                                  .setting = setting,
                                  .interval = known ? &interval : NULL,
                                  .risk = options->risk_percent / 100,
                                  .workers = planning->workers,
                                  .pace = pace};
    if (known && !interval_draw(&request, &interval, failure))
        return false;
    if (known && !interval.without_tail) {
        plan->predicted.interval_s[0] = interval_quantile(&interval, 0.05);
        plan->predicted.interval_s[1] = interval_quantile(&interval, 0.95);
    }
    bool good = plan_put(options, planning, &advice, failure);
    interval_release(&interval);
    return good;
}

/* The tail that was asked for; NULL: none. */
static const char *tail_wanted(const struct plan_options *options)
{
    return options->tail && strcmp(options->tail, WATCHING_NO_TAIL) != 0 ? options->tail : NULL;
}

/* May the plan have a tail that nobody asked for? */
static bool tail_open(const struct plan_options *options)
{
    return !options->tail && !options->real_valued && !sweep_alone(options) &&
           strcmp(options->scheduler, SCHEDULER_AUTO) == 0;
}

static bool plan_run(const struct plan_options *options, const struct readers *readers,
                     struct failure *failure)
{
    struct profile profile;
    struct plan plan;
    char digest[65];
    const bool hasty = sweep_alone(options) && strcmp(options->scheduler, SCHEDULER_AUTO) == 0;
    if (!load_profile(options->profile, &profile, digest, failure))
        return false;
    const bool read_on = strcmp(options->profile, "-") == 0; /* which nobody can read again */
    struct planning planning = {.profile = &profile,
                                .path = read_on ? NULL : options->profile,
                                .digest = digest,
                                .scheduler = hasty ? SCHEDULER_QUICK : options->scheduler,
                                .workers = options->workers,
                                .buffers = (int)options->buffers,
                                .real_valued = options->real_valued,
                                .tail = tail_wanted(options)};
    struct schedule_omissions omissions;
    bool good =
        wanted_workers(&profile, options->profile, options->workers, options->like, failure) &&
        plan_choose(options, readers, &planning, &plan, &omissions, failure);
    planning.omissions = &omissions;
    if (good) {
        good = (!tail_open(options) || planning_tail_unequal(&planning, &plan, failure)) &&
               plan_answer(options, &planning, &plan, 1, failure);
        plan_release(&plan);
    }
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
                       "%s: holds no profile, so nothing is known of how long the rest takes: "
                       "run plans with their profile (-p)",
                       options->resume);
}

static bool rest_answer(const struct plan_options *options, const struct run_record *record,
                        int64_t workers, struct failure *failure)
{
    const struct remainder_request request = {.plan = &record->plan,
                                              .profile = &record->profile,
                                              .tasks = record->tasks - record->tasks_done,
                                              .workers = workers};
    const double pace = remainder_pace(&record->plan, record->parts, record->part_count);
    struct schedule_omissions omissions = {.count = 0};
    struct plan plan;
    if (!remainder_measured(&request, &plan))
        return failure_set(failure, FAILURE_MISMATCH,
                           "%s: its profile does not hold for what is left: %" PRId64
                           " core tasks to %" PRId64 " workers; give fewer workers with -n",
                           options->resume, request.tasks, workers);
    const struct planning planning = {
        .profile = &record->profile,
        .setting = profile_find(&record->profile, &plan.parameters, plan.threads),
        .path = record->plan.profile,
        .digest = record->plan.profile_sha256,
        .scheduler = plan.scheduler,
        .tasks = plan.tasks,
        .workers = workers,
        .omissions = &omissions};
    const bool good = plan_answer(options, &planning, &plan, pace, failure);
    plan_release(&plan);
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
    if (!readers->read_run(options->resume, &record, failure))
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

static void schedulers_list(FILE *out)
{
    size_t count = 0;
    const struct scheduler *schedulers = scheduler_list(&count);
    fprintf(out, "\nSchedulers:\n  %-10s  %s\n", SCHEDULER_AUTO,
            "the scheduler with the least predicted makespan");
    for (size_t k = 0; k < count; k++)
        fprintf(out, "  %-10s  %s\n", schedulers[k].name, schedulers[k].summary);
}

bool command_plan(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    struct plan_options options = {.scheduler = SCHEDULER_AUTO,
                                   .seeds = 100,
                                   .risk_percent = 100 * ADVICE_RISK,
                                   .effort_s = PLANNING_EFFORT_S};
    int operands = 0;
    const struct option_row rows[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options.profile,
         "profile written by 'scow calibrate'"},
        {'i', "input", "INPUT", OPTION_TEXT, &options.input,
         "input of the job; its core tasks are counted"},
        {0, "resume", "OUT.h5", OPTION_TEXT, &options.resume,
         "plan what is left of a run, as scow run --resume does, in place of -p and -i"},
        {'k', "kernel", "./FILE.so", OPTION_TEXT, &options.kernel,
         "plug-in of the profile's core task (default: where it was when calibrated)"},
        {'X', "tasks", "TASKS", OPTION_COUNT, &options.tasks,
         "number of core tasks of the job, in place of -i"},
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
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &options.tail,
         "let the run deal the plan's end on request, as much as packages differ; or none"},
        {'o', "output", "FILE", OPTION_TEXT, &options.output,
         "write the plan to FILE (-: standard output)"},
        {0, "html", "FILE", OPTION_TEXT, &options.html,
         "write a page with charts of the plan that needs nothing beside it"},
        {0, "deadline", "SECONDS", OPTION_NUMBER, &options.deadline_s,
         "use the fewest workers whose plan meets the deadline"},
        {0, "compare", NULL, OPTION_FLAG, &options.compare, "compare the plans of all schedulers"},
        {0, "sweep", NULL, OPTION_FLAG, &options.sweep,
         "show makespan and efficiency (of the speed that each worker has alone) by the number of "
         "workers, beyond the profile's, too"},
        {0, "noise", "FRACTION", OPTION_NUMBER, &options.noise,
         "simulate with this relative standard deviation of every operation"},
        {0, "seeds", "N", OPTION_COUNT, &options.seeds, "number of simulations with noise (100)"},
        {0, "risk", "PERCENT", OPTION_NUMBER, &options.risk_percent,
         "share of runs that may outlast the walltime (1)"},
        {0, "effort", "SECONDS", OPTION_NUMBER, &options.effort_s,
         "about how long planning with auto may take, the input's reading not counted (1)"},
        {0, "gantt", NULL, OPTION_FLAG, &options.gantt, "print a Gantt chart"},
        {0, "json", NULL, OPTION_FLAG, &options.json,
         "print JSON: the plan, the comparison or the sweep"},
        {0, "sbatch", NULL, OPTION_FLAG, &options.sbatch,
         "print what a Slurm job that runs the plan must ask for, as lines of its script"},
        {0, "pbs", NULL, OPTION_FLAG, &options.pbs, "the same for PBS"},
        {'q', "quiet", NULL, OPTION_FLAG, &options.quiet, "do not print the plan"},
        {'v', "verbose", NULL, OPTION_FLAG, &options.verbose, "also print the chart"},
    };
    const struct option_table table = {
        .usage = "scow plan {-p PROFILE [-i INPUT | -X TASKS] | --resume OUT.h5} [options]",
        .purpose = "Choose workers, rounds and package sizes for a job, and predict its makespan.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .list = schedulers_list,
    };
    const enum options_outcome outcome =
        options_read(&table, argc, argv, NULL, 0, &operands, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    options.gantt = options.gantt || options.verbose;
    if (!options_check(&options, failure))
        return false;
    return options.resume ? rest_run(&options, readers, failure)
                          : plan_run(&options, readers, failure);
}
