#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/base/options.h"
#include "planner/base/text.h"
#include "planner/command/command.h"
#include "planner/command/simulate_levels.h"
#include "planner/command/simulate_strips.h"
#include "planner/command/weights_options.h"
#include "planner/files/load.h"
#include "planner/files/textfile.h"
#include "planner/library/simulating.h"
#include "planner/model/beyond.h"
#include "planner/replan/watching.h"
#include "planner/report/gantt.h"
#include "planner/simulate/ensemble.h"
#include "planner/simulate/simulate.h"

struct simulate_options {
    const char *profile;
    char *plan;
    int64_t seed, slow, lost;
    struct weights_options weights;
    struct simulation_request request;
    bool levels, gantt, json, quiet, verbose;
};

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void robustness_text(const struct simulated *simulated, struct text *text)
{
    text_add(text, "%" PRId64 " seeds   median ", simulated->request->seeds);
    text_add_seconds(text, simulated->robustness.median_s);
    text_add(text, ", 95th percentile ");
    text_add_seconds(text, simulated->robustness.p95_s);
    text_add(text, ", from ");
    text_add_seconds(text, simulated->robustness.least_s);
    text_add(text, " to ");
    text_add_seconds(text, simulated->robustness.greatest_s);
    text_add(text, "\n");
}

/* Adds what --verbose asks for: busy times in seconds, after the shares. */
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

/* Lists the sizes of the packages, in the order in which they are sent. */
static void packages_text(const struct trace *trace, struct text *text)
{
    enum { PACKAGES_MOST = 40 };
    int listed = 0;
    text_add(text, "sent       ");
    for (size_t k = 0; k < trace->count && listed <= PACKAGES_MOST; k++) {
        if (trace->events[k].operation != OPERATION_COMPUTE)
            continue;
        if (listed++ < PACKAGES_MOST)
            text_add(text, " %" PRId64, trace->events[k].tasks);
        else
            text_add(text, " ...");
    }
    text_add(text, "\n");
}

static void simulated_text(const struct simulated *simulated, bool verbose, struct text *text)
{
    const struct simulation *simulation = &simulated->simulation;
    const double all_s = (double)simulation->workers_used * simulation->makespan_s;
    text_add(text, "makespan    ");
    text_add_seconds(text, simulation->makespan_s);
    text_add(text, ", %.3f x ideal\n",
             share(simulation->makespan_s, platform_ideal(&simulated->platform, simulated->tasks)));
    if (simulated->masters > 1)
        text_add(text, "masters     %zu side by side\n", simulated->masters);
    if (simulated->groups > 0)
        text_add(text, "groups      %zu, each with a master\n", simulated->groups);
    text_add(text, "workers     %" PRId64 "\n", simulation->workers_used);
    beyond_describe(&simulated->beyond, text);
    text_add(text, "packages    %" PRId64 "\n", simulation->packages);
    text_add(text, "busy        %.1f %% of the workers' time, %.1f %% of the network's\n",
             100 * simulated_busy_share(simulated), 100 * simulated_network_share(simulated));
    text_add(text,
             "idle        %.1f %% before the first package, %.1f %% between packages, %.1f %% "
             "after the last\n",
             100 * share(simulation->idle_first_s, all_s),
             100 * share(simulation->idle_between_s, all_s),
             100 * share(simulation->idle_last_s, all_s));
    text_add(text, "ends        from ");
    text_add_seconds(text, simulation->earliest_end_s);
    text_add(text, " to ");
    text_add_seconds(text, simulation->latest_end_s);
    text_add(text, ", variation %.4f\n", simulation->end_variation);
    if (verbose)
        busy_text(simulation, text);
    if (simulated->request->packages)
        packages_text(&simulated->trace, text);
    if (simulated->has_robustness)
        robustness_text(simulated, text);
    if (simulated->tail)
        text_add(text, "tail        %" PRId64 " core tasks assigned on request by %s\n",
                 simulated->tail_tasks, simulated->tail);
    if (simulated->told.bytes)
        text_add(text, "%s", simulated->told.bytes);
}

/* `plan` is NULL where a rule is simulated alone. */
static bool gantt_add(const struct simulated *simulated, const struct plan *plan, struct text *text,
                      struct failure *failure)
{
    const struct plan none = {.kernel = NULL};
    text_add(text, "\n");
    return gantt_draw(plan ? plan : &none, &simulated->trace, text, failure);
}

static bool simulated_print(const struct simulate_options *options, const struct plan *plan,
                            const struct simulated *simulated, struct failure *failure)
{
    struct text text = TEXT_INIT;
    if (options->quiet)
        return true;
    if (options->json)
        simulated_json(simulated, &text);
    else
        simulated_text(simulated, options->verbose, &text);
    if (!options->gantt || gantt_add(simulated, plan, &text, failure))
        return text_print(&text, "describing the simulation", failure);
    text_release(&text);
    return false;
}

static bool options_check(struct simulate_options *options, struct failure *failure)
{
    struct simulation_request *request = &options->request;
    if (!options->plan && !request->rule)
        return failure_set(failure, FAILURE_USAGE,
                           "name a plan, or give -s RULE: see 'scow simulate --help'");
    if (options->plan && !textfile_there(options->plan, failure))
        return false;
    if (!options->profile)
        return failure_set(failure, FAILURE_USAGE, "no profile given: add -p PROFILE, %s",
                           options->plan ? "from which the plan was made"
                                         : "which 'scow calibrate' writes");
    if (!weights_options_check(&options->weights, failure))
        return false;
    if (options->gantt && options->json)
        return failure_set(failure, FAILURE_USAGE,
                           "--gantt draws a chart of letters, and --json prints nothing but one "
                           "value: leave one of them out");
    if (options->weights.input && !weights_asked(&options->weights))
        return failure_set(failure, FAILURE_USAGE,
                           "-i says what weights are of: add --weights, --weights-from, "
                           "--weights-column or --weights-of, or leave it out");
    request->path = options->profile;
    request->traced = options->gantt;
    request->scenario.seed = (uint64_t)options->seed;
    request->scenario.slow_workers = options->slow;
    request->scenario.lost_worker = options->lost - 1;
    /* Weights say how many core tasks there are, and are read later. */
    return weights_asked(&options->weights) ||
           simulation_request_check(request, options->plan != NULL, failure);
}

/* A search in levels is simulated alone: refuses what does not go with it. */
static bool levels_check(const struct simulate_options *options, struct failure *failure)
{
    const struct simulation_request *request = &options->request;
    const bool other = weights_asked(&options->weights) || request->rule || request->replan ||
                       request->tail || request->loads || request->joins ||
                       request->patterns_s > 0 || options->lost > 0 || options->slow > 0 ||
                       request->scenario.noise > 0 || request->seeds > 1 || options->gantt;
    return (options->plan && !other) ||
           failure_set(failure, FAILURE_USAGE,
                       "--levels simulates the levels of a search from a plan of its first one, "
                       "undisturbed: give PLAN, and leave rules and disturbances out");
}

static bool levels_run(const struct simulate_options *options, struct failure *failure)
{
    struct text text = TEXT_INIT;
    struct profile profile;
    struct plan plan = {0};
    if (!load_profile(options->profile, &profile, NULL, failure))
        return false;
    bool good = load_plan_any(options->plan, &plan, failure) &&
                simulate_levels(&profile, options->profile, &plan, options->request.workers,
                                options->json, &text, failure);
    good = good && (options->quiet || text_print(&text, "describing the simulation", failure));
    if (!good || options->quiet)
        text_release(&text);
    plan_release(&plan);
    profile_release(&profile);
    return good;
}

/* Reads the weights, which also say how many core tasks there are. *weights is owned; NULL: none
 * were asked for. */
static bool weights_take(struct simulate_options *options, const struct profile *profile,
                         struct task_weights **weights, struct failure *failure)
{
    const struct weights_job job = {.profile = profile, .path = options->profile};
    struct simulation_request *request = &options->request;
    if (!weights_asked(&options->weights))
        return true;
    if (!weights_of_job(&options->weights, &job, weights, failure))
        return false;
    request->weights = *weights;
    if (request->rule && request->tasks == 0)
        request->tasks = (*weights)->work.tasks;
    return simulation_request_check(request, options->plan != NULL, failure);
}

static bool simulate_run(struct simulate_options *options, struct failure *failure)
{
    struct simulated simulated;
    struct profile profile;
    struct task_weights *weights = NULL;
    struct plan plan = {0};
    const struct plan *given = options->plan ? &plan : NULL;
    bool strips = false;
    if (options->plan && !simulate_strips_is(options->plan, &strips, failure))
        return false;
    if (strips)
        return simulate_strips(options->plan, &options->request, options->json, options->quiet,
                               failure);
    if (!load_profile(options->profile, &profile, NULL, failure))
        return false;
    bool good = weights_take(options, &profile, &weights, failure) &&
                (!given || load_plan_any(options->plan, &plan, failure)) &&
                (!options->gantt || !given || gantt_check(&plan, failure)) &&
                simulated_make(&profile, given, &options->request, &simulated, failure);
    if (good) {
        good = simulated_print(options, given, &simulated, failure);
        simulated_release(&simulated);
    }
    weights_free(weights);
    plan_release(&plan);
    profile_release(&profile);
    return good;
}

static void option_list(const struct dispatch_rule_option *option, FILE *out)
{
    char form[64];
    snprintf(form, sizeof form, "%s=%s", option->name, option->number ? "N" : option->words[0]);
    for (int k = option->number ? 0 : 1; k < DISPATCH_WORDS_MOST && option->words[k]; k++) {
        const size_t length = strlen(form);
        snprintf(form + length, sizeof form - length, "|%s", option->words[k]);
    }
    fprintf(out, "              %-16s %s (", form, option->meaning);
    if (!option->number)
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

enum { ROWS_MOST = 48 };

/* Copies rows behind the first `count`; returns how many there are then. */
static size_t rows_append(struct option_row *rows, size_t count, const struct option_row *more,
                          size_t more_count)
{
    assert(count + more_count <= ROWS_MOST);
    memcpy(rows + count, more, more_count * sizeof *more);
    return count + more_count;
}

/* Options for what is simulated, and on which platform. */
static size_t subject_rows(struct simulate_options *options, struct option_row *rows, size_t count)
{
    const struct option_row more[] = {
        {'p', "profile", "PROFILE", OPTION_TEXT, &options->profile,
         "profile written by 'scow calibrate'"},
        {'s', "rule", "RULE[,NAME=VALUE...]", OPTION_TEXT, &options->request.rule,
         "simulate this request-driven rule, with its options: alone, or in place of a plan's "
         "rounds, also in each star of several masters"},
        {0, "dca", NULL, OPTION_FLAG, &options->request.dca,
         "with -s: workers calculate the rule's packages themselves, by a counter that all share, "
         "and ask no master (ss, fsc, gss, tss, fiss, fac)"},
        {'X', "tasks", "TASKS", OPTION_COUNT, &options->request.tasks,
         "with -s: number of core tasks (needless with weights)"},
        {'i', "input", "INPUT", OPTION_TEXT, &options->weights.input,
         "with weights that come from a job's lines: the file of these lines"},
        {'n', "workers", "N", OPTION_COUNT, &options->request.workers,
         "use the first N workers; where the profile has fewer, more like its last ones; of "
         "strips, "
         "those beyond the plan's take a lost one's place"},
        {0, "block", "B", OPTION_COUNT, &options->request.block,
         "the profile's setting with that block, if the plan names none"},
        {0, "set", "NAME=VALUE,...", OPTION_TEXT, &options->request.set,
         "the profile's setting with those parameters"},
        {0, "levels", NULL, OPTION_FLAG, &options->levels,
         "of a search in levels, whose first level the plan is of: all levels that the profile "
         "has samples of (calibrate --levels), by one master, and by workers that become masters "
         "of what they find"},
        {0, "ahead", "N", OPTION_COUNT, &options->request.ahead,
         "packages that a worker may have at a time: with -s (1), with --tail (2)"},
        {0, "packages", NULL, OPTION_FLAG, &options->request.packages,
         "with -s: list the sizes of the packages in the order of sending"},
        {0, "replan", "TOLERANCE", OPTION_TEXT, &options->request.replan,
         "watch the plan, and plan the remaining tasks again when workers deviate by more than "
         "this (10%)"},
        {0, "tail", "RULE[,...][:SHARE]", OPTION_TEXT, &options->request.tail,
         "assign the end of the plan on request: as much of it as spread or noise requires, that "
         "SHARE, or all but what each worker can be relied upon to do (RULE:dependable[=K]: its "
         "rate less 3 or K standard deviations); default: the plan's own; none"},
        {0, "model", "MODEL", OPTION_TEXT, &options->request.model,
         "operating model: what master and workers do at the same time (the plan's, or the "
         "profile's; 'scow plan --help' lists them)"},
        {0, "buffers", "B", OPTION_COUNT, &options->request.buffers,
         "packages that a worker receives ahead (the plan's, or 2)"},
    };
    count = rows_append(rows, count, more, sizeof more / sizeof *more);
    assert(count + WEIGHTS_ROWS + 1 <= ROWS_MOST);
    count += weights_rows(&options->weights, rows + count);
    rows[count++] = weights_of_row(&options->weights);
    return count;
}

/* Options for what goes otherwise than planned: noise, loads, losses. */
static size_t disturbance_rows(struct simulate_options *options, struct option_row *rows,
                               size_t count)
{
    const struct option_row more[] = {
        {0, "noise", "FRACTION", OPTION_NUMBER, &options->request.scenario.noise,
         "relative standard deviation of every operation (0)"},
        {0, "outliers", "FRACTION", OPTION_NUMBER, &options->request.scenario.outlier_rate,
         "fraction of the operations that take much longer (0)"},
        {0, "outlier-factor", "F", OPTION_NUMBER, &options->request.scenario.outlier_factor,
         "how many times longer outliers take (5)"},
        {0, "slow", "N", OPTION_COUNT, &options->slow, "the first N workers are slow"},
        {0, "slow-factor", "F", OPTION_NUMBER, &options->request.scenario.slow_factor,
         "how many times slower they are (2)"},
        {0, "slow-from", "SECONDS", OPTION_NUMBER, &options->request.scenario.slow_from_s,
         "from when on they are slow (0)"},
        {0, "loads", "FILE", OPTION_TEXT, &options->request.loads,
         "what others leave of processors and links: lines of worker (a rank, a class or master), "
         "start_s, end_s, cpu and bandwidth, the last two as shares from 0 to 1"},
        {0, "load-patterns", "SECONDS", OPTION_NUMBER, &options->request.patterns_s,
         "others take half of each worker's processor by the seven patterns of 'scow load', the "
         "first worker by the first, for so long; --seed decides the random ones"},
        {0, "joins", "FILE", OPTION_TEXT, &options->request.joins,
         "workers come and go: lines of worker (a rank), from_s and until_s; the others are there "
         "all the time"},
        {0, "lose", "N", OPTION_COUNT, &options->lost,
         "lose the worker that is rank N, from 1 on, with the results that it has not returned; of "
         "strips, all begin anew with the grid that was kept last"},
        {0, "at", "SECONDS", OPTION_NUMBER, &options->request.scenario.lost_s,
         "with --lose: when that worker is lost (0)"},
        {0, "copies", NULL, OPTION_FLAG, &options->request.scenario.copies,
         "packages that are overdue when some worker has nothing more to do are handed out once "
         "more, and packages go out in parts, as 'scow run' does; the first result counts"},
        {0, "seed", "SEED", OPTION_COUNT, &options->seed, "seed of the noise (1)"},
        {0, "seeds", "N", OPTION_COUNT, &options->request.seeds,
         "simulate N seeds, and show median and 95th percentile (1)"},
        {0, "effort", "SECONDS", OPTION_NUMBER, &options->request.effort_s,
         "about how long it may take where packages are simulated one by one, as with --lose and "
         "--replan (10)"},
    };
    return rows_append(rows, count, more, sizeof more / sizeof *more);
}

static size_t output_rows(struct simulate_options *options, struct option_row *rows, size_t count)
{
    const struct option_row more[] = {
        {0, "gantt", NULL, OPTION_FLAG, &options->gantt,
         "print a Gantt chart: masters, ports, and workers; with --seeds, of the first one"},
        {0, "json", NULL, OPTION_FLAG, &options->json, "print one JSON value (scow-simulation-1)"},
        {'q', "quiet", NULL, OPTION_FLAG, &options->quiet,
         "print nothing; the exit status tells if it can be simulated"},
        {'v', "verbose", NULL, OPTION_FLAG, &options->verbose,
         "also print how long master, port and workers are busy"},
    };
    return rows_append(rows, count, more, sizeof more / sizeof *more);
}

static enum options_outcome simulate_parse(int argc, char **argv, struct simulate_options *options,
                                           struct failure *failure)
{
    struct option_row rows[ROWS_MOST];
    size_t count = subject_rows(options, rows, 0);
    int operands = 0;
    count = disturbance_rows(options, rows, count);
    count = output_rows(options, rows, count);
    const struct option_table table = {
        .usage = "scow simulate -p PROFILE (PLAN | -s RULE -X TASKS) [options]",
        .purpose =
            "Simulate a plan or a request-driven rule on the cluster that a profile describes.",
        .rows = rows,
        .row_count = count,
        .list = rules_list,
    };
    return options_read(&table, argc, argv, &options->plan, 1, &operands, failure);
}

bool command_simulate(int argc, char **argv, struct failure *failure)
{
    struct simulate_options options = {.seed = 1,
                                       .request = {.seeds = 1, .scenario = SCENARIO_INIT}};
    options.request.scenario.outlier_factor = 5;
    options.request.scenario.slow_factor = 2;
    const enum options_outcome outcome = simulate_parse(argc, argv, &options, failure);
    if (outcome != OPTIONS_READ)
        return outcome == OPTIONS_HELPED;
    if (!options_check(&options, failure))
        return false;
    return options.levels ? levels_check(&options, failure) && levels_run(&options, failure)
                          : simulate_run(&options, failure);
}
