#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/options.h"
#include "planner/base/text.h"
#include "planner/command/command.h"
#include "planner/command/wanted.h"
#include "planner/files/load.h"
#include "planner/model/beyond.h"
#include "planner/simulate/robustness.h"
#include "planner/simulate/simulate.h"
#include "planner/studies/watching.h"

struct simulate_options {
    const char *profile, *rule, *set, *replan, *tail;
    char *plan;
    int64_t tasks, workers, block, ahead, buffers, seed, seeds, slow, lost;
    struct scenario scenario;
    bool json, quiet, verbose;
};

/* What is simulated, and the outcome. */
struct show {
    const struct simulate_options *options;
    struct platform platform;
    double tasks;
    struct simulation simulation;
    bool has_robustness;
    struct robustness robustness;
    const char *tail;          /* borrowed; NULL: none */
    int64_t dealt;             /* core tasks that the tail's rule deals */
    struct text told, listed;  /* owned; when the rest was planned anew, a line each and as JSON */
    struct plan_beyond beyond; /* workers that the profile did not measure; the name is its own */
};

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static double network_busy(const struct simulation *simulation)
{
    return simulation->master_busy_s > simulation->port_busy_s ? simulation->master_busy_s
                                                               : simulation->port_busy_s;
}

static double workers_time(const struct simulation *simulation)
{
    return (double)simulation->workers_used * simulation->makespan_s;
}

static void robustness_text(const struct show *show, struct text *text)
{
    text_add(text, "%" PRId64 " seeds   median ", show->options->seeds);
    text_add_seconds(text, show->robustness.median_s);
    text_add(text, ", 95th percentile ");
    text_add_seconds(text, show->robustness.p95_s);
    text_add(text, ", from ");
    text_add_seconds(text, show->robustness.least_s);
    text_add(text, " to ");
    text_add_seconds(text, show->robustness.greatest_s);
    text_add(text, "\n");
}

/* What --verbose adds: seconds behind the shares. */
static void busy_text(const struct simulation *simulation, struct text *text)
{
    const struct {
        const char *who;
        double busy_s;
    } rows[] = {{"master", simulation->master_busy_s},
                {"port", simulation->port_busy_s},
                {"workers", simulation->worker_busy_s},
                {"output", simulation->output_s}};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        text_add(text, "%-11s busy ", rows[k].who);
        text_add_seconds(text, rows[k].busy_s);
        text_add(text, "\n");
    }
}

static void show_text(const struct show *show, struct text *text)
{
    const struct simulation *simulation = &show->simulation;
    double all_s = workers_time(simulation);
    text_add(text, "makespan    ");
    text_add_seconds(text, simulation->makespan_s);
    text_add(text, ", %.3f x ideal\n",
             ratio(simulation->makespan_s, platform_ideal(&show->platform, show->tasks)));
    text_add(text, "workers     %" PRId64 "\n", simulation->workers_used);
    beyond_describe(&show->beyond, text);
    text_add(text, "packages    %" PRId64 "\n", simulation->packages);
    text_add(text, "busy        %.1f %% of the workers' time, %.1f %% of the network's\n",
             100 * ratio(simulation->worker_busy_s, all_s),
             100 * ratio(network_busy(simulation), simulation->makespan_s));
    text_add(text,
             "idle        %.1f %% before the first package, %.1f %% between packages, %.1f %% "
             "after the last\n",
             100 * ratio(simulation->idle_first_s, all_s),
             100 * ratio(simulation->idle_between_s, all_s),
             100 * ratio(simulation->idle_last_s, all_s));
    text_add(text, "ends        from ");
    text_add_seconds(text, simulation->earliest_end_s);
    text_add(text, " to ");
    text_add_seconds(text, simulation->latest_end_s);
    text_add(text, ", variation %.4f\n", simulation->end_variation);
    if (show->options->verbose)
        busy_text(simulation, text);
    if (show->has_robustness)
        robustness_text(show, text);
    if (show->tail)
        text_add(text, "tail        %" PRId64 " core tasks dealt on request by %s\n", show->dealt,
                 show->tail);
    if (show->told.bytes)
        text_add(text, "%s", show->told.bytes);
}

struct member {
    const char *key;
    double value;
};

static void members_json(const struct member *members, size_t count, struct text *text)
{
    for (size_t k = 0; k < count; k++) {
        text_add(text, ", \"%s\": ", members[k].key);
        text_add_number(text, members[k].value);
    }
}

static void show_json(const struct show *show, struct text *text)
{
    const struct simulation *simulation = &show->simulation;
    double ideal_s = platform_ideal(&show->platform, show->tasks);
    const struct member members[] = {
        {"makespan_s", simulation->makespan_s},
        {"ideal_s", ideal_s},
        {"over_ideal", ratio(simulation->makespan_s, ideal_s)},
        {"workers", (double)simulation->workers_used},
        {"packages", (double)simulation->packages},
        {"worker_busy_share", ratio(simulation->worker_busy_s, workers_time(simulation))},
        {"network_utilization", ratio(network_busy(simulation), simulation->makespan_s)},
        {"master_busy_s", simulation->master_busy_s},
        {"port_busy_s", simulation->port_busy_s},
        {"worker_busy_s", simulation->worker_busy_s},
        {"output_s", simulation->output_s},
        {"idle_first_s", simulation->idle_first_s},
        {"idle_between_s", simulation->idle_between_s},
        {"idle_last_s", simulation->idle_last_s},
        {"earliest_end_s", simulation->earliest_end_s},
        {"latest_end_s", simulation->latest_end_s},
        {"end_variation", simulation->end_variation}};
    const struct member spread[] = {{"seeds", (double)show->options->seeds},
                                    {"least_s", show->robustness.least_s},
                                    {"median_s", show->robustness.median_s},
                                    {"p95_s", show->robustness.p95_s},
                                    {"greatest_s", show->robustness.greatest_s}};
    text_add(text, "{\"schema\": \"scow-simulation-1\"");
    members_json(members, sizeof members / sizeof *members, text);
    if (show->has_robustness)
        members_json(spread, sizeof spread / sizeof *spread, text);
    if (show->tail)
        text_add(text, ", \"tail_tasks\": %" PRId64, show->dealt);
    if (show->listed.bytes)
        text_add(text, ", \"replanned\": %s", show->listed.bytes);
    text_add(text, "}\n");
}

static bool show_print(const struct show *show, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (show->options->quiet)
        return true;
    if (show->options->json)
        show_json(show, &text);
    else
        show_text(show, &text);
    return text_print(&text, "describing the simulation", failure);
}

static bool setting_find(const struct simulate_options *options, const struct profile *profile,
                         const struct plan *plan, const struct profile_setting **setting,
                         struct failure *failure)
{
    struct parameter_list wanted = {0};
    bool good = wanted_read(options->set, options->block, &wanted, failure) &&
                wanted_check(profile, options->profile, &wanted, failure);
    if (good && plan && !parameter_list_merge(&wanted, &plan->parameters))
        good = failure_memory(failure, "choosing a setting");
    *setting = good ? profile_find(profile, &wanted, plan ? plan->threads : 0) : NULL;
    parameter_list_release(&wanted);
    return *setting ||
           failure_set(failure, FAILURE_MISMATCH,
                       "'%s' has no setting, or several, for these parameters: say which "
                       "by --set or --block, or take the profile that the plan was made "
                       "from",
                       options->profile);
}

static bool scenario_usual(const struct scenario *scenario)
{
    return !(scenario->noise > 0) && !(scenario->outlier_rate > 0) && scenario->slow_workers == 0 &&
           scenario->lost_worker < 0;
}

static bool decision_simulate(struct show *show, const struct decision *decision,
                              const struct watching *watching, struct failure *failure)
{
    const struct scenario *scenario = &show->options->scenario;
    struct dispatch *dispatch = decision_dispatch(decision, &show->platform, scenario, failure);
    bool good = dispatch && simulate_scenario(&show->platform, dispatch, scenario, NULL,
                                              &show->simulation, failure);
    /* A recovering dispatch does not show what is in it. */
    const struct dispatch *watch =
        good && watching && scenario->lost_worker < 0 ? watching_watch(watching, dispatch) : NULL;
    if (watch) {
        watching_tell(watch, &show->told);
        watching_json(watch, &show->listed);
    }
    dispatch_free(&dispatch);
    show->has_robustness = show->options->seeds > 1;
    return good && (!show->has_robustness ||
                    robustness_measure(&show->platform, decision, scenario, show->options->seeds,
                                       &show->robustness, failure));
}

/* As asked for, or as the plan has it; NULL: none. */
static const char *tail_of(const struct simulate_options *options, const struct plan *plan)
{
    const char *tail = options->tail ? options->tail : plan->tail;
    return tail && strcmp(tail, WATCHING_NO_TAIL) != 0 ? tail : NULL;
}

static bool watched_simulate(struct show *show, const struct plan *plan,
                             const struct profile_setting *setting, struct failure *failure)
{
    const struct simulate_options *options = show->options;
    const struct watching_request request = {.plan = plan,
                                             .setting = setting,
                                             .workers = options->workers,
                                             .tolerance = options->replan,
                                             .tail = tail_of(options, plan),
                                             .ahead = options->ahead > 0 ? (int)options->ahead
                                                                         : WATCHING_AHEAD,
                                             .noise = options->scenario.noise};
    struct watching watching;
    if (!watching_init(&watching, &request, failure))
        return false;
    show->tasks = plan->tasks;
    show->tail = request.tail;
    show->dealt = watching.tail.setup.tasks;
    const bool good = decision_simulate(show, &watching.decision, &watching, failure);
    watching_release(&watching);
    return good;
}

/* Fractional loads are for the plain simulation only, which has no noise. */
static bool plan_simulate(struct show *show, const struct plan *plan, struct failure *failure)
{
    const struct decision decision = {.plan = plan};
    show->tasks = plan->tasks;
    if (!simulate_plan(&show->platform, plan, NULL, &show->simulation, failure))
        return false;
    if (scenario_usual(&show->options->scenario))
        return true;
    if (plan->real_valued)
        return failure_set(failure, FAILURE_MISMATCH,
                           "the plan has fractional loads, which only the simulation without noise "
                           "can handle: plan again without --real-valued");
    return decision_simulate(show, &decision, NULL, failure);
}

static bool rule_simulate(struct show *show, struct failure *failure)
{
    const struct simulate_options *options = show->options;
    struct dispatch_setup setup = {.rule = options->rule,
                                   .tasks = options->tasks,
                                   .workers = show->platform.worker_count,
                                   .ahead = options->ahead > 0 ? (int)options->ahead : 1};
    double *weights = dispatch_setup_platform(&setup, &show->platform);
    if (!weights)
        return failure_memory(failure, "simulating a rule");
    setup.deviation_s = options->scenario.noise / weights[0];
    const struct decision decision = {.setup = &setup};
    show->tasks = (double)options->tasks;
    bool good = decision_simulate(show, &decision, NULL, failure);
    free(weights);
    return good;
}

/* A plan's own packages go ahead as far as buffers and watching let them. */
static bool ahead_check(const struct simulate_options *options, const struct plan *plan,
                        struct failure *failure)
{
    if (options->ahead == 0 || tail_of(options, plan))
        return true;
    return failure_set(failure, FAILURE_USAGE,
                       "--ahead is for rules: add --tail RULE, or simulate one with -s RULE, or "
                       "leave it out (--buffers says how many packages a plan's workers receive "
                       "ahead)");
}

/* A plan when one is given, else the rule. */
static bool show_simulate(struct show *show, const struct profile *profile, const struct plan *plan,
                          struct failure *failure)
{
    const struct simulate_options *options = show->options;
    const struct profile_setting *setting;
    if (!setting_find(options, profile, plan, &setting, failure) ||
        !platform_init(&show->platform, setting, options->workers, failure))
        return false;
    show->beyond = beyond_of(profile, show->platform.worker_count);
    if (plan)
        show->platform.buffers = plan_buffers(plan);
    if (options->buffers > 0)
        show->platform.buffers = (int)options->buffers;
    bool good = options->slow <= show->platform.worker_count &&
                options->lost <= show->platform.worker_count;
    if (!good)
        failure_set(failure, FAILURE_USAGE,
                    "--slow and --lose name more workers than the %" PRId64 " there are",
                    show->platform.worker_count);
    good = good && (!plan || ahead_check(options, plan, failure));
    if (good && plan)
        good = options->replan || tail_of(options, plan)
                   ? watched_simulate(show, plan, setting, failure)
                   : plan_simulate(show, plan, failure);
    else if (good)
        good = rule_simulate(show, failure);
    good = good && show_print(show, failure);
    text_release(&show->told);
    text_release(&show->listed);
    platform_release(&show->platform);
    return good;
}

static bool options_check(struct simulate_options *options, int operands, struct failure *failure)
{
    struct scenario *scenario = &options->scenario;
    if (!options->profile || (operands == 0) == !options->rule)
        return failure_set(failure, FAILURE_USAGE,
                           "give -p PROFILE and either a plan or -s RULE: see 'scow simulate "
                           "--help'");
    if (!options->rule == (options->tasks > 0))
        return failure_set(
            failure, FAILURE_USAGE,
            "-s RULE and -X TASKS belong together: a plan has its own number of tasks");
    if (options->rule && (options->replan || options->tail))
        return failure_set(failure, FAILURE_USAGE,
                           "--replan and --tail are for plans: leave -s RULE out and name a plan");
    if (options->ahead > 1000 || options->buffers > LIMIT_BUFFERS || options->block > INT32_MAX ||
        options->seeds > 1000000)
        return failure_set(
            failure, FAILURE_USAGE,
            "--ahead and --buffers are at most 1000, --seeds at most 1000000: give less");
    if (!(scenario->noise >= 0 && scenario->noise <= 10 && scenario->outlier_rate >= 0 &&
          scenario->outlier_rate <= 1 && scenario->outlier_factor > 0 &&
          scenario->slow_factor > 0 && scenario->slow_from_s >= 0 && scenario->lost_s >= 0))
        return failure_set(failure, FAILURE_USAGE,
                           "--noise must be from 0 to 10, --outliers from 0 to 1, factors positive "
                           "and times not negative");
    scenario->seed = (uint64_t)options->seed;
    scenario->slow_workers = options->slow;
    scenario->lost_worker = options->lost - 1;
    return true;
}

static bool simulate_run(const struct simulate_options *options, struct failure *failure)
{
    struct show show = {.options = options};
    struct profile profile;
    struct plan plan = {0};
    if (!load_profile(options->profile, &profile, NULL, failure))
        return false;
    bool good = (!options->plan || load_plan(options->plan, &plan, failure)) &&
                beyond_follow(&profile, &plan, failure) &&
                beyond_extend(&profile, options->workers, 0, failure) &&
                show_simulate(&show, &profile, options->plan ? &plan : NULL, failure);
    plan_release(&plan);
    profile_release(&profile);
    return good;
}

static void option_list(const struct dispatch_rule_option *option, FILE *out)
{
    char form[64];
    if (option->words[0])
        snprintf(form, sizeof form, "%s=%s|%s", option->name, option->words[0], option->words[1]);
    else
        snprintf(form, sizeof form, "%s=N", option->name);
    fprintf(out, "              %-16s %s (", form, option->meaning);
    if (option->words[0])
        fprintf(out, "%s)\n", option->words[option->preset]);
    else if (option->usual)
        fprintf(out, "%s)\n", option->usual);
    else
        fprintf(out, "%" PRId64 ")\n", option->preset);
}

static void rules_list(FILE *out)
{
    fprintf(out, "\nRules, and their options (-s gss,least=10,rounding=down):\n");
    for (size_t k = 0; k < dispatch_rule_count(); k++) {
        struct dispatch_rule_name rule = dispatch_rule_name(k);
        struct dispatch_rule_option option;
        fprintf(out, "  %-8s  %s\n", rule.name, rule.summary);
        for (int place = 0; dispatch_rule_option(k, place, &option); place++)
            option_list(&option, out);
    }
}

bool command_simulate(int argc, char **argv, const struct readers *readers, struct failure *failure)
{
    struct simulate_options options = {.seed = 1, .seeds = 1, .scenario = SCENARIO_INIT};
    int operands = 0;
    options.scenario.outlier_factor = 5;
    options.scenario.slow_factor = 2;
    const struct option_row rows[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options.profile,
         "profile written by 'scow calibrate'"},
        {'s', "rule", "RULE[,NAME=VALUE...]", OPTION_TEXT, &options.rule,
         "simulate this request-driven rule instead of a plan, with its options"},
        {'X', "tasks", "TASKS", OPTION_COUNT, &options.tasks, "with -s: number of core tasks"},
        {'n', "workers", "N", OPTION_COUNT, &options.workers,
         "use the first N workers; where the profile has fewer, more like its last ones"},
        {0, "block", "B", OPTION_COUNT, &options.block,
         "the profile's setting with that block, if the plan names none"},
        {0, "set", "NAME=VALUE,...", OPTION_TEXT, &options.set,
         "the profile's setting with those parameters"},
        {0, "ahead", "N", OPTION_COUNT, &options.ahead,
         "packages that a worker may have at a time: with -s (1), with --tail (2)"},
        {0, "replan", "TOLERANCE", OPTION_TEXT, &options.replan,
         "watch the plan, and plan the rest anew where workers are off by more (10%)"},
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &options.tail,
         "deal the end of the plan on request, as much as spread or noise asks for (the plan's "
         "own; none)"},
        {0, "buffers", "B", OPTION_COUNT, &options.buffers,
         "packages that a worker receives ahead (the plan's, or 2)"},
        {0, "noise", "FRACTION", OPTION_NUMBER, &options.scenario.noise,
         "relative standard deviation of every operation (0)"},
        {0, "outliers", "FRACTION", OPTION_NUMBER, &options.scenario.outlier_rate,
         "fraction of the operations that take much longer (0)"},
        {0, "outlier-factor", "F", OPTION_NUMBER, &options.scenario.outlier_factor,
         "how many times longer outliers take (5)"},
        {0, "slow", "N", OPTION_COUNT, &options.slow, "the first N workers are slow"},
        {0, "slow-factor", "F", OPTION_NUMBER, &options.scenario.slow_factor,
         "how many times slower they are (2)"},
        {0, "slow-from", "SECONDS", OPTION_NUMBER, &options.scenario.slow_from_s,
         "since when they are (0)"},
        {0, "lose", "N", OPTION_COUNT, &options.lost, "lose the worker that is rank N, from 1 on"},
        {0, "at", "SECONDS", OPTION_NUMBER, &options.scenario.lost_s,
         "when that worker is lost (0)"},
        {0, "seed", "SEED", OPTION_COUNT, &options.seed, "seed of the noise (1)"},
        {0, "seeds", "N", OPTION_COUNT, &options.seeds,
         "simulate N seeds, and show median and 95th percentile (1)"},
        {0, "json", NULL, OPTION_FLAG, &options.json, "print one JSON value (scow-simulation-1)"},
        {'q', "quiet", NULL, OPTION_FLAG, &options.quiet,
         "print nothing; the exit status tells if it can be simulated"},
        {'v', "verbose", NULL, OPTION_FLAG, &options.verbose,
         "also print how long master, port and workers are busy"},
    };
    const struct option_table table = {
        .usage = "scow simulate -p PROFILE (PLAN | -s RULE -X TASKS) [options]",
        .purpose =
            "Simulate a plan or a request-driven rule on the cluster that a profile describes.",
        .rows = rows,
        .row_count = sizeof rows / sizeof *rows,
        .list = rules_list,
    };
    (void)readers;
    const enum options_outcome outcome =
        options_read(&table, argc, argv, &options.plan, 1, &operands, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    return options_check(&options, operands, failure) && simulate_run(&options, failure);
}
