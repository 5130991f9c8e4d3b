#include <stdio.h>
#include <stdlib.h>

#include "planner/command.h"
#include "planner/describe.h"
#include "planner/load.h"
#include "planner/options.h"
#include "planner/planning.h"
#include "planner/textfile.h"

struct plan_options {
    const char *profile, *image, *scheduler, *output;
    int64_t tasks, workers, block;
    bool real_valued, json, quiet, verbose;
};

static bool options_check(const struct plan_options *options, struct failure *failure)
{
    if (!options->profile)
        return failure_set(failure, FAILURE_USAGE,
                           "no profile given: add -p PROFILE, as 'scow calibrate' writes it");
    if (!options->image == (options->tasks == 0))
        return failure_set(failure, FAILURE_USAGE,
                           "how much work is it? give either -i IMAGE or -X TASKS");
    return planning_check_scheduler(options->scheduler, failure);
}

/* Core tasks of the job when it is cut into the setting's blocks. */
static bool tasks_count(const struct plan_options *options, const struct profile *profile,
                        const struct profile_setting *setting, const struct readers *readers,
                        int64_t *tasks, struct failure *failure)
{
    *tasks = options->tasks;
    if (!options->image)
        return true;
    if (!readers)
        return failure_set(failure, FAILURE_USAGE,
                           "this scow was built without image readers: give -X TASKS instead of "
                           "-i %s",
                           options->image);
    return readers->count_tasks(options->image, profile, setting->block, tasks, failure);
}

/* The settings to try: [*first, *end). */
static bool settings_choose(const struct plan_options *options, const struct profile *profile,
                            size_t *first, size_t *end, struct failure *failure)
{
    *first = 0;
    *end = profile->setting_count;
    if (options->block > 0) {
        const struct profile_setting *setting =
            options->block <= INT32_MAX ? profile_find(profile, (int)options->block) : NULL;
        if (!setting)
            return failure_set(failure, FAILURE_MISMATCH,
                               "'%s' has no setting for blocks of %lld: calibrate with --blocks "
                               "%lld, or choose another",
                               options->profile, (long long)options->block,
                               (long long)options->block);
        *first = (size_t)(setting - profile->settings);
        *end = *first + 1;
    }
    if (!options->image && *end - *first > 1)
        return failure_set(
            failure, FAILURE_USAGE,
            "'%s' has several block sizes, and how many core tasks a job has depends "
            "on it: with -X say which by --block",
            options->profile);
    return true;
}

/* The best plan so far; found false: none, and *refused says why. */
struct choice {
    struct planning planning;
    struct plan plan; /* owned */
    bool found;
    struct failure refused;
};

/* Let one setting compete. What is infeasible with one may be feasible with another; any other
 * failure ends the choice. */
static bool choice_try(struct choice *choice, const struct planning *planning,
                       struct failure *failure)
{
    struct plan made;
    struct failure here = FAILURE_INIT;
    if (!planning_make(planning, &made, &here)) {
        failure_set(&choice->refused, here.code, "%s", here.text);
        return here.code == FAILURE_INFEASIBLE || failure_set(failure, here.code, "%s", here.text);
    }
    if (choice->found && made.predicted.makespan_s >= choice->plan.predicted.makespan_s) {
        plan_release(&made);
        return true;
    }
    plan_release(&choice->plan);
    choice->plan = made;
    choice->planning = *planning;
    choice->found = true;
    return true;
}

/* The best plan over the settings, and what it was made from. */
static bool plan_choose(const struct plan_options *options, const struct readers *readers,
                        struct planning *planning, struct plan *plan, struct failure *failure)
{
    size_t first = 0, end = 0;
    struct choice choice = {.found = false};
    bool good = settings_choose(options, planning->profile, &first, &end, failure);
    for (size_t k = first; good && k < end; k++) {
        int64_t tasks = 0;
        planning->setting = &planning->profile->settings[k];
        good = tasks_count(options, planning->profile, planning->setting, readers, &tasks, failure);
        planning->tasks = (double)tasks;
        good = good && choice_try(&choice, planning, failure);
    }
    if (good && !choice.found)
        good = failure_set(failure, choice.refused.code, "%s", choice.refused.text);
    if (!good) {
        plan_release(&choice.plan);
        return false;
    }
    *plan = choice.plan;
    *planning = choice.planning;
    return true;
}

static bool plan_write(const struct plan_options *options, const struct plan *plan,
                       struct failure *failure)
{
    char *text = plan_print(plan);
    if (!text)
        return failure_memory(failure, "writing the plan");
    bool good = !options->output || textfile_write(options->output, text, failure);
    if (good && options->json)
        fputs(text, stdout);
    free(text);
    return good;
}

static bool table_print(const struct plan_options *options, const struct plan *plan,
                        const struct planning *planning, struct failure *failure)
{
    struct text text = TEXT_INIT;
    int64_t available = profile_workers(&planning->setting->windows[0]);
    if (options->workers > 0 && options->workers < available)
        available = options->workers;
    describe_plan(plan, available, &text);
    char *words = text_take(&text);
    if (!words)
        return failure_memory(failure, "describing the plan");
    fputs(words, stdout);
    free(words);
    return true;
}

static bool plan_run(const struct plan_options *options, const struct readers *readers,
                     struct failure *failure)
{
    struct profile profile;
    struct plan plan;
    char digest[65];
    if (!load_profile(options->profile, &profile, digest, failure))
        return false;
    struct planning planning = {.profile = &profile,
                                .path = options->profile,
                                .digest = digest,
                                .scheduler = options->scheduler,
                                .workers = options->workers,
                                .real_valued = options->real_valued};
    bool good = plan_choose(options, readers, &planning, &plan, failure);
    if (good) {
        good = plan_write(options, &plan, failure) &&
               (options->json || options->quiet || table_print(options, &plan, &planning, failure));
        plan_release(&plan);
    }
    profile_release(&profile);
    return good;
}

bool command_plan(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    struct plan_options options = {.scheduler = "auto"};
    bool help = false;
    int operands = 0;
    const struct option_row rows[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options.profile, "what 'scow calibrate' wrote"},
        {'i', "image", "IMAGE", OPTION_TEXT, &options.image, "the job: count its core tasks"},
        {'X', "tasks", "TASKS", OPTION_COUNT, &options.tasks, "or the number of core tasks"},
        {'n', "workers", "WORKERS", OPTION_COUNT, &options.workers, "use the first so many only"},
        {'s', "scheduler", "SCHEDULER", OPTION_TEXT, &options.scheduler,
         "auto (the default) or one of them"},
        {0, "block", "B", OPTION_COUNT, &options.block, "that block size, not the best one"},
        {0, "real-valued", NULL, OPTION_FLAG, &options.real_valued,
         "allow fractions of tasks, to compare with published tables"},
        {'o', "output", "FILE", OPTION_TEXT, &options.output, "write the plan there"},
        {0, "json", NULL, OPTION_FLAG, &options.json, "print the plan as JSON, not as a table"},
        {'q', "quiet", NULL, OPTION_FLAG, &options.quiet, "print no table"},
        {'v', "verbose", NULL, OPTION_FLAG, &options.verbose, "print more"},
    };
    const struct option_table table = {
        "scow plan -p PROFILE (-i IMAGE | -X TASKS) [options]",
        "Decides workers, rounds and package sizes for a job, and predicts its makespan.", rows,
        sizeof rows / sizeof *rows, NULL};
    if (!options_parse(&table, argc, argv, NULL, 0, &operands, &help, failure))
        return false;
    if (help) {
        options_help(&table, stdout);
        return true;
    }
    return options_check(&options, failure) && plan_run(&options, readers, failure);
}
