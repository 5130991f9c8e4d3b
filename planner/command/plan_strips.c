#include "planner/command/plan_strips.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/command/pages.h"
#include "planner/files/load.h"
#include "planner/files/observations_tsv.h"
#include "planner/files/strips_json.h"
#include "planner/files/textfile.h"
#include "planner/library/wanted.h"
#include "planner/model/shared.h"
#include "planner/strips/strips_plan.h"
#include "planner/studies/shares.h"

enum { EVERY_USUAL = 100 };

/* ---- options ------------------------------------------------------------------------------- */

size_t strips_rows(struct strips_options *options, struct option_row *rows)
{
    const struct option_row own[STRIPS_ROWS_OF_OPTIONS] = {
        {0, "strips", NULL, OPTION_FLAG, &options->strips,
         "plan Jacobi's iteration on a grid that is cut into strips of columns, one for each "
         "worker, of a profile of the core task jacobi"},
        {0, "rows", "N", OPTION_COUNT, &options->rows,
         "with --strips: cells of a column (the profile's)"},
        {0, "columns", "M", OPTION_COUNT, &options->columns,
         "with --strips: columns (the profile's)"},
        {0, "iterations", "K", OPTION_COUNT, &options->iterations,
         "with --strips: how many iterations"},
        {0, "tolerance", "E", OPTION_NUMBER, &options->tolerance,
         "with --strips: end when no cell changes by more in an iteration"},
        {0, "every", "C", OPTION_COUNT, &options->every,
         "with --strips: iterations between two tests whether to go on (100)"},
        {0, "keep", NULL, OPTION_FLAG, &options->keep,
         "with --strips: write the grid at every test, and not only in the end"},
    };
    memcpy(rows, own, sizeof own);
    return STRIPS_ROWS_OF_OPTIONS;
}

bool strips_options_alone(const struct strips_options *options, struct failure *failure)
{
    const char *alone = options->rows > 0            ? "--rows"
                        : options->columns > 0       ? "--columns"
                        : options->iterations > 0    ? "--iterations"
                        : options->every > 0         ? "--every"
                        : !isnan(options->tolerance) ? "--tolerance"
                        : options->keep              ? "--keep"
                                                     : NULL;
    return options->strips || !alone ||
           failure_set(failure, FAILURE_USAGE, "%s is for strips of a grid: add --strips", alone);
}

static bool options_check(const struct strips_asked *asked, struct failure *failure)
{
    const struct strips_options *options = asked->options;
    if (!asked->profile)
        return failure_set(failure, FAILURE_USAGE,
                           "no profile given: add -p PROFILE, which 'scow calibrate -k jacobi' "
                           "writes");
    if (options->iterations == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "how many iterations is not said: add --iterations K");
    if (!isnan(options->tolerance) && !(options->tolerance > 0))
        return failure_set(failure, FAILURE_USAGE,
                           "--tolerance must be above 0: it is a difference of two values of a "
                           "cell");
    return true;
}

/* ---- the grid ------------------------------------------------------------------------------ */

/* Parameters that change no cost, so that a plan may have other values than the profile. */
static const char *const value_names[] = {"north", "south", "west", "east", "inside"};

static bool is_value(const char *name)
{
    for (size_t k = 0; k < sizeof value_names / sizeof *value_names; k++)
        if (strcmp(name, value_names[k]) == 0)
            return true;
    return false;
}

/* Divides what --set gives: values that a plan may have of its own, and wanted ones that must be
 * those of the profile. */
static bool set_split(const struct strips_asked *asked, const struct profile *profile,
                      struct parameter_list *values, struct parameter_list *wanted,
                      struct failure *failure)
{
    struct parameter_list all = {0};
    bool good = wanted_read(asked->set, 0, &all, failure);
    for (size_t k = 0; good && k < all.count; k++) {
        const struct parameter *item = &all.items[k];
        if (is_value(item->name) && item->word && strcmp(item->name, "inside") != 0)
            good = failure_set(failure, FAILURE_USAGE, "--set %.20s=%.40s: give a number",
                               item->name, item->word);
        else if (!parameter_list_add(is_value(item->name) ? values : wanted, item->name, item->word,
                                     item->number))
            good = failure_memory(failure, "reading the command line");
    }
    parameter_list_release(&all);
    return good && wanted_check(profile, asked->profile, wanted, failure);
}

/* The length of a side of the grid: as given or, if it is not, as the profile was measured; 0 with
 * *failure set. */
static int64_t side_find(const struct profile *profile, const struct profile_setting *setting,
                         const char *name, int64_t given, double most, struct failure *failure)
{
    const struct parameter *own = parameter_list_find(&setting->parameters, name);
    own = own ? own : parameter_list_find(&profile->parameters, name);
    const double measured = own && !own->word ? own->number : 0;
    const double side = given > 0 ? (double)given : measured;
    if (side >= 1 && side <= most)
        return (int64_t)side;
    if (side > most)
        failure_set(failure, FAILURE_USAGE, "--%s %.0f: can be %.0f at most", name, side, most);
    else
        failure_set(failure, FAILURE_MISMATCH,
                    "the profile says nothing of %s: is it of the core task jacobi?", name);
    return 0;
}

static bool job_find(const struct strips_asked *asked, const struct profile *profile,
                     const struct profile_setting *setting, struct strips_job *job,
                     struct failure *failure)
{
    const struct strips_options *options = asked->options;
    const int64_t every = options->every > 0 ? options->every : EVERY_USUAL;
    *job = (struct strips_job){
        .rows = side_find(profile, setting, "rows", options->rows, STRIPS_ROWS_MOST, failure),
        .columns = side_find(profile, setting, "columns", options->columns,
                             (double)STRIPS_COLUMNS_MOST, failure),
        .iterations = options->iterations,
        .every = every < options->iterations ? every : options->iterations,
        .tolerance = isnan(options->tolerance) ? 0 : options->tolerance,
        .keep = options->keep,
    };
    if (failure->code == FAILURE_NONE && options->iterations > STRIPS_ITERATIONS_MOST)
        failure_set(failure, FAILURE_USAGE, "--iterations can be %" PRId64 " at most",
                    STRIPS_ITERATIONS_MOST);
    return failure->code == FAILURE_NONE;
}

/* ---- the plan ------------------------------------------------------------------------------ */

static bool setting_plan(const struct strips_asked *asked, const struct profile *profile,
                         const struct profile_setting *setting, struct strips_plan *plan,
                         struct failure *failure)
{
    struct strips_request request = {.profile = profile, .setting = setting};
    request.workers = profile_workers(&setting->windows[0]);
    if (asked->workers > 0 && asked->workers < request.workers)
        request.workers = asked->workers;
    if (request.workers > STRIPS_WORKERS_MOST)
        return failure_set(failure, FAILURE_USAGE,
                           "strips are planned for %d workers at most: give -n",
                           STRIPS_WORKERS_MOST);
    return job_find(asked, profile, setting, &request.job, failure) &&
           strips_choose(&request, plan, failure);
}

/* Plans with each of the profile's settings and keeps the least time; *best becomes the setting of
 * that plan. */
static bool settings_plan(const struct strips_asked *asked, const struct profile *profile,
                          const struct parameter_list *wanted, struct strips_plan *plan,
                          const struct profile_setting **best, struct failure *failure)
{
    *best = NULL;
    for (size_t k = 0; k < profile->setting_count; k++) {
        const struct profile_setting *setting = &profile->settings[k];
        struct strips_plan made = {.kernel = NULL};
        if (!profile_setting_suits(setting, wanted))
            continue;
        if (!setting_plan(asked, profile, setting, &made, failure))
            return false;
        if (*best && made.predicted.total_s >= plan->predicted.total_s) {
            strips_plan_release(&made);
            continue;
        }
        strips_plan_release(plan);
        *plan = made;
        *best = setting;
    }
    return *best ||
           failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has no setting with these parameters: 'scow show %s' lists them",
                       asked->profile, asked->profile);
}

/* Gives the plan the parameters of the profile and its setting, with the given values in place of
 * theirs. */
static bool plan_name(const struct strips_asked *asked, const struct profile *profile,
                      const struct profile_setting *setting, const struct parameter_list *values,
                      const char *digest, struct strips_plan *plan)
{
    const struct parameter_list *lists[] = {&profile->parameters, &setting->parameters};
    for (size_t l = 0; l < 2; l++)
        for (size_t k = 0; k < lists[l]->count; k++) {
            const struct parameter *item = &lists[l]->items[k];
            if (is_value(item->name) &&
                !parameter_list_add(&plan->parameters, item->name, item->word, item->number))
                return false;
        }
    const bool unnamed = strcmp(asked->profile, "-") == 0;
    plan->kernel = strdup(profile->kernel);
    plan->profile = unnamed ? NULL : strdup(asked->profile);
    plan->profile_sha256 = strdup(digest);
    return parameter_list_merge(&plan->parameters, values) && plan->kernel &&
           (unnamed || plan->profile) && plan->profile_sha256;
}

/* Says where strips are wider than what was measured, so that their costs are extrapolated. */
static void wide_describe(const struct profile_setting *setting, const struct strips_plan *plan,
                          struct text *text)
{
    const int64_t timed = setting->windows[setting->window_count - 1].greatest;
    int64_t widest = 0;
    for (size_t k = 0; k < plan->strip_count; k++)
        widest = plan->strips[k].columns > widest ? plan->strips[k].columns : widest;
    if (widest > timed)
        text_add(text,
                 "unsure      strips of %" PRId64 " columns are wider than all that were timed "
                 "(%" PRId64 "): calibrate with more --columns\n",
                 widest, timed);
}

static bool plan_put(const struct strips_asked *asked, const struct profile_setting *setting,
                     const struct strips_plan *plan, struct failure *failure)
{
    const bool piped = asked->output && strcmp(asked->output, "-") == 0;
    struct text text = TEXT_INIT;
    char *json = strips_print(plan);
    if (!json)
        return failure_memory(failure, "writing the plan");
    bool good = (!asked->output || textfile_write(asked->output, json, failure)) &&
                (!asked->html || page_of_strips(asked->html, NULL, plan, NULL, failure));
    if (good && asked->json && !piped)
        fputs(json, stdout);
    free(json);
    if (!good || asked->json || piped || asked->quiet)
        return good;
    strips_describe(plan, &text);
    wide_describe(setting, plan, &text);
    return text_print(&text, "describing the plan", failure);
}

/* Forecasts which share of their processors workers will have, over the least time that all
 * iterations can take. A profile of strips counts columns as its core tasks. */
static bool shares_find(const struct strips_asked *asked, struct profile *profile,
                        struct strips_plan *plan, struct failure *failure)
{
    struct observations load = {.nodes = NULL};
    struct strips_job job;
    if (!asked->load)
        return true;
    bool good = job_find(asked, profile, &profile->settings[0], &job, failure) &&
                observations_read(&load, asked->load, failure);
    load.by = asked->load_by;
    good = good && shares_forecast(&load, asked->load, profile,
                                   (double)job.columns * (double)job.iterations, &plan->shared,
                                   &plan->shared_count, failure);
    observations_release(&load);
    if (good)
        shared_follow(profile, plan->shared, plan->shared_count);
    return good;
}

static bool profile_answer(const struct strips_asked *asked, struct profile *profile,
                           const char *digest, struct failure *failure)
{
    struct parameter_list values = {0}, wanted = {0};
    struct strips_plan plan = {.kernel = NULL}, shares = {.kernel = NULL};
    const struct profile_setting *setting = NULL;
    bool good = set_split(asked, profile, &values, &wanted, failure) &&
                wanted_workers(profile, asked->profile, asked->workers, asked->like, failure) &&
                shares_find(asked, profile, &shares, failure) &&
                settings_plan(asked, profile, &wanted, &plan, &setting, failure);
    plan.shared = shares.shared;
    plan.shared_count = shares.shared_count;
    good = good && setting;
    if (good && !plan_name(asked, profile, setting, &values, digest, &plan))
        good = failure_memory(failure, "planning strips");
    good = good && plan_put(asked, setting, &plan, failure);
    strips_plan_release(&plan);
    parameter_list_release(&values);
    parameter_list_release(&wanted);
    return good;
}

bool strips_answer(const struct strips_asked *asked, struct failure *failure)
{
    struct profile profile;
    char digest[65];
    if (!options_check(asked, failure) || !load_profile(asked->profile, &profile, digest, failure))
        return false;
    const bool good = profile_answer(asked, &profile, digest, failure);
    profile_release(&profile);
    return good;
}
