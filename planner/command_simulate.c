#include <stdio.h>
#include <stdlib.h>

#include "planner/command.h"
#include "planner/load.h"
#include "planner/options.h"
#include "planner/simulate.h"
#include "planner/text.h"

struct simulate_options {
    const char *profile;
    char *plan;
    int64_t workers;
    bool json;
};

static void simulation_text(const struct simulation *simulation, struct text *text)
{
    double used = (double)simulation->workers_used;
    double master_s = simulation->master_busy_s, port_s = simulation->port_busy_s;
    text_add(text, "makespan    ");
    text_add_seconds(text, simulation->makespan_s);
    text_add(text, "\nworkers     %lld\npackages    %lld\n", (long long)simulation->workers_used,
             (long long)simulation->packages);
    text_add(text, "utilization %.1f %% of the workers, %.1f %% of the network\n",
             100 * simulation->worker_busy_s / (used * simulation->makespan_s),
             100 * (master_s > port_s ? master_s : port_s) / simulation->makespan_s);
    text_add(text, "ends        from ");
    text_add_seconds(text, simulation->earliest_end_s);
    text_add(text, " to ");
    text_add_seconds(text, simulation->latest_end_s);
    text_add(text, "\n");
}

static void simulation_json(const struct simulation *simulation, struct text *text)
{
    const struct {
        const char *key;
        double value;
    } members[] = {
        {"makespan_s", simulation->makespan_s},     {"workers", (double)simulation->workers_used},
        {"packages", (double)simulation->packages}, {"master_busy_s", simulation->master_busy_s},
        {"port_busy_s", simulation->port_busy_s},   {"worker_busy_s", simulation->worker_busy_s},
        {"output_s", simulation->output_s},         {"earliest_end_s", simulation->earliest_end_s},
        {"latest_end_s", simulation->latest_end_s}};
    text_add(text, "{\"schema\": \"scow-simulation-1\"");
    for (size_t k = 0; k < sizeof members / sizeof *members; k++) {
        text_add(text, ", \"%s\": ", members[k].key);
        text_add_number(text, members[k].value);
    }
    text_add(text, "}\n");
}

static bool simulation_print(const struct simulation *simulation, bool json,
                             struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (json)
        simulation_json(simulation, &text);
    else
        simulation_text(simulation, &text);
    char *words = text_take(&text);
    if (!words)
        return failure_memory(failure, "describing the simulation");
    fputs(words, stdout);
    free(words);
    return true;
}

static bool setting_find(const char *name, const struct profile *profile, const struct plan *plan,
                         const struct profile_setting **setting, struct failure *failure)
{
    *setting = profile_find(profile, plan->block);
    if (!*setting && plan->block == 0 && profile->setting_count == 1)
        *setting = &profile->settings[0];
    return *setting || failure_set(failure, FAILURE_MISMATCH,
                                   "'%s' has no setting for the plan's blocks of %d: make the plan "
                                   "again with this profile",
                                   name, plan->block);
}

static bool plan_simulate(const struct simulate_options *options, const struct profile *profile,
                          struct failure *failure)
{
    const struct profile_setting *setting;
    struct plan plan;
    struct platform platform;
    struct simulation simulation;
    if (!load_plan(options->plan, &plan, failure))
        return false;
    bool good = setting_find(options->profile, profile, &plan, &setting, failure) &&
                platform_init(&platform, setting, options->workers, failure);
    if (good) {
        good = simulate_plan(&platform, &plan, NULL, &simulation, failure) &&
               simulation_print(&simulation, options->json, failure);
        platform_release(&platform);
    }
    plan_release(&plan);
    return good;
}

bool command_simulate(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    struct simulate_options options = {NULL, NULL, 0, false};
    struct profile profile;
    bool help = false;
    int operands = 0;
    const struct option_row rows[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options.profile, "what 'scow calibrate' wrote"},
        {'n', "workers", "WORKERS", OPTION_COUNT, &options.workers, "the first so many only"},
        {0, "json", NULL, OPTION_FLAG, &options.json, "print one JSON value (scow-simulation-1)"},
    };
    const struct option_table table = {"scow simulate -p PROFILE PLAN [options]",
                                       "Plays a plan on the cluster that a profile describes.",
                                       rows, sizeof rows / sizeof *rows, NULL};
    (void)readers;
    if (!options_parse(&table, argc, argv, &options.plan, 1, &operands, &help, failure))
        return false;
    if (help) {
        options_help(&table, stdout);
        return true;
    }
    if (!options.profile || operands == 0)
        return failure_set(failure, FAILURE_USAGE,
                           "give -p PROFILE and the plan to play: see 'scow simulate --help'");
    if (!load_profile(options.profile, &profile, NULL, failure))
        return false;
    bool good = plan_simulate(&options, &profile, failure);
    profile_release(&profile);
    return good;
}
