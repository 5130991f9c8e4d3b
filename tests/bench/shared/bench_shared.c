/*
 * Every scheduler and rule on machines that others use, too, beside scow's own choice: plans by
 * "auto", which know a forecast of what others leave, watched while they run (--replan 10%), their
 * end on request. What counts is the makespan over that of a plan that knows all loads beforehand,
 * in the mean over seeds and numbers of workers, for each pattern of load. Prints a table and, for
 * each pattern, scow's own over the best rival.
 *
 * usage: bench-shared [--seeds N] [--first N] [--workers N,...] [--pattern N] [--only NAME]
 *                     [--variants no] [--keep FILE]
 *
 * Most of its time takes planning anew while plans are watched; without the variants of scow's own
 * choice it takes half of it. With --keep, what was played is kept in a file, worlds that are in it
 * are not played again, and the table is of all that it has: a long run may be stopped and go on
 * later, with the same other options or more seeds.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/shared.h"
#include "planner/replan/watching.h"
#include "planner/simulate/decision.h"
#include "planner/studies/planning.h"
#include "planner/studies/shares.h"
#include "tests/bench/shared/knowing.h"
#include "tests/bench/shared/world.h"
#include "tests/usage.h"

enum { CONTENDERS_MOST = 64, WORKERS_MOST = 8 };

struct options {
    int64_t seeds, first, workers[WORKERS_MOST];
    int workers_count, pattern;
    const char *only; /* a contender's name begins so; NULL: all */
    const char *keep; /* a file; NULL: none */
    bool whole;       /* scow's own choice only, and not without each of its parts */
};

struct contender {
    const char *name;
    const char *rule;      /* on request; NULL: a plan */
    const char *scheduler; /* of a plan */
    bool forecast, watched, tailed;
    bool own; /* scow's choice, in whole or in part: no rival */
};

/* scow with everything, and without each of its parts. */
static const struct contender own_contenders[] = {
    {"scow's own choice", NULL, "auto", true, true, true, true},
    {"- without watching", NULL, "auto", true, false, true, true},
    {"- without a tail", NULL, "auto", true, true, false, true},
    {"- without forecasts", NULL, "auto", false, true, true, true},
    {"- auto alone", NULL, "auto", false, false, false, true},
};

static size_t contenders_make(struct contender contenders[CONTENDERS_MOST])
{
    size_t count = 0, schedulers;
    for (; count < sizeof own_contenders / sizeof *own_contenders; count++)
        contenders[count] = own_contenders[count];
    const struct scheduler *table = scheduler_list(&schedulers);
    for (size_t k = 0; k < schedulers; k++)
        if (strcmp(table[k].name, "optimal") != 0)
            contenders[count++] =
                (struct contender){.name = table[k].name, .scheduler = table[k].name};
    contenders[count++] =
        (struct contender){.name = "apples, forecast", .scheduler = "apples", .forecast = true};
    for (size_t k = 0; k < dispatch_rule_count(); k++)
        contenders[count++] = (struct contender){.name = dispatch_rule_name(k).name,
                                                 .rule = dispatch_rule_name(k).name};
    return count;
}

/* ---- one play ------------------------------------------------------------------------------ */

static double decision_simulate(const struct world *world, const struct decision *decision,
                                const struct scenario *scenario)
{
    struct failure failure = FAILURE_INIT;
    struct simulation simulation;
    struct dispatch *dispatch = decision_dispatch(decision, &world->platform, scenario, &failure);
    if (!dispatch ||
        !simulate_scenario(&world->platform, dispatch, scenario, NULL, &simulation, &failure))
        world_die(failure.text);
    dispatch_free(&dispatch);
    return simulation.makespan_s;
}

static double rule_simulate(const struct world *world, const char *rule,
                            const struct scenario *scenario)
{
    struct dispatch_setup setup = {.rule = rule,
                                   .tasks = (int64_t)world->tasks,
                                   .workers = world->workers,
                                   .ahead = WATCHING_AHEAD};
    double *weights = dispatch_setup_platform(&setup, &world->platform);
    if (!weights)
        world_die("out of memory");
    setup.deviation_s = scenario->noise / weights[0];
    const double makespan_s =
        decision_simulate(world, &(struct decision){.setup = &setup}, scenario);
    free(weights);
    return makespan_s;
}

static void forecast_follow(const struct world *world, struct profile *profile)
{
    struct plan_shared *shared;
    size_t count;
    struct failure failure = FAILURE_INIT;
    if (!shares_forecast(&world->seen, "what was seen", profile, world->tasks, &shared, &count,
                         &failure))
        world_die(failure.text);
    shared_follow(profile, shared, count);
    free(shared);
}

/* ---- plans --------------------------------------------------------------------------------- */

/* What a contender has planned for the world. */
struct prepared {
    struct profile profile; /* owned; with the forecast, where it has one */
    struct planning planning;
    struct plan plan; /* owned */
    bool good;        /* false: the scheduler has none */
};

static void prepared_make(const struct world *world, const struct contender *contender,
                          struct prepared *prepared)
{
    struct failure failure = FAILURE_INIT;
    world_profile(world, &prepared->profile);
    if (contender->forecast)
        forecast_follow(world, &prepared->profile);
    prepared->planning = (struct planning){.profile = &prepared->profile,
                                           .setting = &prepared->profile.settings[0],
                                           .scheduler = contender->scheduler,
                                           .tasks = world->tasks,
                                           .effort_s = PLANNING_EFFORT_S};
    prepared->good = planning_make(&prepared->planning, &prepared->plan, &failure) &&
                     (!contender->tailed ||
                      planning_tail_unequal(&prepared->planning, &prepared->plan, &failure));
    if (!prepared->good && failure.code != FAILURE_INFEASIBLE)
        world_die(failure.text);
}

static void prepared_release(struct prepared *prepared)
{
    if (prepared->good)
        plan_release(&prepared->plan);
    profile_release(&prepared->profile);
    *prepared = (struct prepared){.good = false};
}

/* The first of the contenders that plans the same. */
static size_t plans_as(const struct contender *contenders, size_t at)
{
    size_t like = 0;
    while (contenders[like].rule ||
           strcmp(contenders[like].scheduler, contenders[at].scheduler) != 0 ||
           contenders[like].forecast != contenders[at].forecast ||
           contenders[like].tailed != contenders[at].tailed)
        like++;
    return like;
}

/* Plans for the contenders that know a forecast, or for the others. */
static void contenders_plan(const struct world *world, const struct contender *contenders,
                            size_t count, bool forecast, struct prepared *prepared)
{
    for (size_t k = 0; k < count; k++)
        if (!contenders[k].rule && contenders[k].forecast == forecast &&
            plans_as(contenders, k) == k)
            prepared_make(world, &contenders[k], &prepared[k]);
}

static void contenders_release(const struct contender *contenders, size_t count, bool forecast,
                               struct prepared *prepared)
{
    for (size_t k = 0; k < count; k++)
        if (!contenders[k].rule && contenders[k].forecast == forecast &&
            plans_as(contenders, k) == k)
            prepared_release(&prepared[k]);
}

/* NaN: the scheduler has none. */
static double plan_simulate(const struct world *world, const struct contender *contender,
                            const struct prepared *prepared, const struct scenario *scenario)
{
    struct failure failure = FAILURE_INIT;
    struct watching watching;
    if (!prepared->good)
        return (double)NAN;
    struct watching_request request =
        planning_watching(&prepared->planning, prepared->plan.tail, &prepared->plan);
    request.tolerance = contender->watched ? "10%" : NULL;
    if (!watching_init(&watching, &request, &failure))
        world_die(failure.text);
    const double makespan_s = decision_simulate(world, &watching.decision, scenario);
    watching_release(&watching);
    return makespan_s;
}

/* ---- all of them --------------------------------------------------------------------------- */

struct tally {
    double sum, worst;
    int64_t plays, none;
};

static void tally_add(struct tally *tally, double ratio)
{
    tally->none += isnan(ratio);
    if (isnan(ratio))
        return;
    tally->sum += ratio;
    tally->worst = fmax(tally->worst, ratio);
    tally->plays++;
}

/* All contenders, the plans of which are there; their makespans over that of the one that knows. */
static void loads_simulate(const struct world *world, const struct contender *contenders,
                           size_t count, const struct prepared *prepared,
                           double (*ratios)[WORLD_MIXED], int pattern)
{
    struct scenario scenario = SCENARIO_INIT;
    scenario.seed = world->seed;
    scenario.noise = 0.02;
    scenario.availability = &world->loads;
    const double knowing_s = knowing_makespan(world, &scenario);
    for (size_t k = 0; k < count; k++) {
        const double makespan_s =
            contenders[k].rule ? rule_simulate(world, contenders[k].rule, &scenario)
                               : plan_simulate(world, &contenders[k],
                                               &prepared[plans_as(contenders, k)], &scenario);
        ratios[k][pattern - 1] = makespan_s / knowing_s;
    }
}

static void world_simulate(struct world *world, const struct options *options,
                           const struct contender *contenders, size_t count,
                           double (*ratios)[WORLD_MIXED])
{
    static struct prepared prepared[CONTENDERS_MOST];
    contenders_plan(world, contenders, count, false, prepared);
    for (int pattern = 1; pattern <= WORLD_MIXED; pattern++) {
        if (options->pattern > 0 && options->pattern != pattern)
            continue;
        world_load(world, pattern);
        contenders_plan(world, contenders, count, true, prepared);
        loads_simulate(world, contenders, count, prepared, ratios, pattern);
        contenders_release(contenders, count, true, prepared);
    }
    contenders_release(contenders, count, false, prepared);
}

/* ---- what is kept -------------------------------------------------------------------------- */

/* A line of the file: a world, the contender's name, and a ratio for each pattern; nan: none. */
static void world_keep(FILE *file, const struct world *world, const struct contender *contenders,
                       size_t count, double (*ratios)[WORLD_MIXED])
{
    for (size_t k = 0; k < count; k++) {
        fprintf(file, "%" PRId64 " %" PRIu64, world->workers, world->seed);
        for (int pattern = 0; pattern < WORLD_MIXED; pattern++)
            fprintf(file, " %.9g", ratios[k][pattern]);
        fprintf(file, " %s\n", contenders[k].name);
    }
    fflush(file);
}

/* Fills in what the file has of that world; false: not of all contenders. */
static bool world_kept(FILE *file, const struct world *world, const struct contender *contenders,
                       size_t count, double (*ratios)[WORLD_MIXED])
{
    char line[512];
    size_t found = 0;
    rewind(file);
    while (fgets(line, sizeof line, file)) {
        char *at = line;
        if (strtoll(at, &at, 10) != world->workers || strtoull(at, &at, 10) != world->seed)
            continue;
        double own[WORLD_MIXED];
        for (int pattern = 0; pattern < WORLD_MIXED; pattern++)
            own[pattern] = strtod(at, &at);
        at[strcspn(at, "\n")] = '\0';
        for (size_t k = 0; k < count && *at == ' '; k++)
            if (strcmp(at + 1, contenders[k].name) == 0) {
                memcpy(ratios[k], own, sizeof own);
                found++;
            }
    }
    fseek(file, 0, SEEK_END);
    return found == count;
}

/* One world, played or kept. */
static void world_tally(const struct options *options, FILE *file, struct world *world,
                        const struct contender *contenders, size_t count,
                        struct tally (*tallies)[WORLD_MIXED])
{
    static double ratios[CONTENDERS_MOST][WORLD_MIXED];
    if (!file || !world_kept(file, world, contenders, count, ratios)) {
        for (size_t k = 0; k < count; k++)
            for (int pattern = 0; pattern < WORLD_MIXED; pattern++)
                ratios[k][pattern] = (double)NAN;
        world_simulate(world, options, contenders, count, ratios);
        if (file)
            world_keep(file, world, contenders, count, ratios);
    }
    for (size_t k = 0; k < count; k++)
        for (int pattern = 0; pattern < WORLD_MIXED; pattern++)
            tally_add(&tallies[k][pattern], ratios[k][pattern]);
}

/* ---- the table ----------------------------------------------------------------------------- */

static void heads_print(const struct options *options)
{
    printf("| |");
    for (int pattern = 1; pattern <= WORLD_MIXED; pattern++)
        if (options->pattern == 0 || options->pattern == pattern)
            printf(" %s |", pattern == WORLD_MIXED ? "all in turn" : load_pattern(pattern)->name);
    printf("\n|---|");
    for (int pattern = 1; pattern <= WORLD_MIXED; pattern++)
        if (options->pattern == 0 || options->pattern == pattern)
            printf("---|");
    printf("\n");
}

static void table_print(const struct options *options, const struct contender *contenders,
                        size_t count, struct tally (*tallies)[WORLD_MIXED])
{
    heads_print(options);
    for (size_t k = 0; k < count; k++) {
        printf("| %s |", contenders[k].name);
        for (int pattern = 0; pattern < WORLD_MIXED; pattern++)
            if (tallies[k][pattern].plays > 0)
                printf(" %.3f |", tallies[k][pattern].sum / (double)tallies[k][pattern].plays);
            else if (options->pattern == 0 || options->pattern == pattern + 1)
                printf(" none |");
        printf("\n");
    }
}

/* The first contender beside the best rival, for each pattern. */
static void rivals_print(const struct contender *contenders, size_t count,
                         struct tally (*tallies)[WORLD_MIXED])
{
    for (int pattern = 0; pattern < WORLD_MIXED; pattern++) {
        const struct tally *own = &tallies[0][pattern];
        const char *name = NULL;
        double least = HUGE_VAL;
        for (size_t k = 0; k < count; k++) {
            const struct tally *rival = &tallies[k][pattern];
            if (contenders[k].own || rival->plays < own->plays ||
                rival->sum / (double)rival->plays >= least)
                continue;
            least = rival->sum / (double)rival->plays;
            name = contenders[k].name;
        }
        if (name && own->plays > 0)
            printf("%s: %+.1f %% beside %s, worst %.3f\n",
                   pattern + 1 == WORLD_MIXED ? "all in turn" : load_pattern(pattern + 1)->name,
                   100 * (own->sum / (double)own->plays / least - 1), name, own->worst);
    }
}

static const char usage_text[] =
    "usage: bench-shared [--seeds N] [--first N] [--workers N,...] [--pattern N] [--only NAME]\n"
    "                    [--variants no] [--keep FILE]\n"
    "Every scheduler and rule on random workers that others use, too: makespans over that of a\n"
    "plan that knows all loads, in the mean of 50 seeds with 8, 16, 32 and 64 workers each.\n"
    "Takes hours.\n"
    "--seeds, --first  how many seeds, and the first of them\n"
    "--pattern         one pattern of load, 1 to 8, in place of all\n"
    "--only            those whose name begins with this\n"
    "--variants no     scow's own choice and its rivals, without variants of the choice\n"
    "--keep            file for what is done: the same command again goes on\n";

static int64_t number_read(const char *text)
{
    char *end;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || number < 1)
        world_die(usage_text);
    return number;
}

static void workers_read(struct options *options, char *list)
{
    options->workers_count = 0;
    for (char *word = strtok(list, ","); word && options->workers_count < WORKERS_MOST;
         word = strtok(NULL, ","))
        options->workers[options->workers_count++] = number_read(word);
}

static struct options options_parse(int argc, char **argv)
{
    struct options options = {
        .seeds = 50, .first = 1, .workers = {8, 16, 32, 64}, .workers_count = 4};
    if (argc % 2 == 0)
        world_die(usage_text);
    for (int k = 1; k + 1 < argc; k += 2) {
        if (strcmp(argv[k], "--workers") == 0)
            workers_read(&options, argv[k + 1]);
        else if (strcmp(argv[k], "--only") == 0)
            options.only = argv[k + 1];
        else if (strcmp(argv[k], "--keep") == 0)
            options.keep = argv[k + 1];
        else if (strcmp(argv[k], "--variants") == 0)
            options.whole = strcmp(argv[k + 1], "no") == 0;
        else if (strcmp(argv[k], "--seeds") == 0)
            options.seeds = number_read(argv[k + 1]);
        else if (strcmp(argv[k], "--first") == 0)
            options.first = number_read(argv[k + 1]);
        else if (strcmp(argv[k], "--pattern") == 0)
            options.pattern = (int)number_read(argv[k + 1]);
        else
            world_die(usage_text);
    }
    return options;
}

static size_t contenders_keep(const struct options *options, struct contender *contenders,
                              size_t count)
{
    size_t kept = 0;
    for (size_t k = 0; k < count; k++)
        if (options->only ? strncmp(contenders[k].name, options->only, strlen(options->only)) == 0
                          : !options->whole || k == 0 || !contenders[k].own)
            contenders[kept++] = contenders[k];
    return kept;
}

int main(int argc, char **argv)
{
    static struct tally tallies[CONTENDERS_MOST][WORLD_MIXED];
    struct contender contenders[CONTENDERS_MOST];
    if (usage_asked(argc, argv, usage_text))
        return EXIT_SUCCESS;
    const struct options options = options_parse(argc, argv);
    const size_t count = contenders_keep(&options, contenders, contenders_make(contenders));
    FILE *file = options.keep ? fopen(options.keep, "a+") : NULL;
    if (options.keep && !file)
        world_die("--keep: the file cannot be opened");
    for (int k = 0; k < options.workers_count; k++)
        for (int64_t seed = options.first; seed < options.first + options.seeds; seed++) {
            struct world world;
            world_init(&world, options.workers[k], (uint64_t)seed);
            world_tally(&options, file, &world, contenders, count, tallies);
            world_release(&world);
        }
    if (file)
        fclose(file);
    table_print(&options, contenders, count, tallies);
    printf("\n");
    rivals_print(contenders, count, tallies);
    return EXIT_SUCCESS;
}
