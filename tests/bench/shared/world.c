#include "tests/bench/shared/world.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "planner/base/random.h"
#include "planner/base/text.h"
#include "planner/files/profile_json.h"

/* The job takes so long on workers of its own; patterns last about as long as it takes with them.
 */
static const double alone_s = 120, span_share = 1.25;
/* How often a shared worker's pattern was seen before the job, and looks in each. */
enum { PATTERNS_SEEN = 4, LOOKS = 40 };

_Noreturn void world_die(const char *what)
{
    fprintf(stderr, "bench-shared: %s\n", what);
    exit(EXIT_FAILURE);
}

static double between(uint64_t *dice, double low, double high)
{
    return low + (high - low) * random_uniform(dice);
}

static void cost_add(struct text *text, const char *name, double latency_s, double s_per_task,
                     const char *fit)
{
    text_add(text, "\"%s\": {\"latency_s\": %.9g, \"s_per_task\": %.9g%s}", name, latency_s,
             s_per_task, fit);
}

/* Core tasks of a tenth to four tenths of a second, and latencies of packages of milliseconds. */
static void worker_add(struct text *text, uint64_t *dice, int64_t worker, double rate, double link)
{
    text_add(text, "%s{\"name\": \"n%" PRId64 "\", ", worker > 0 ? ", " : "", worker + 1);
    cost_add(text, "link", 1e-3 * between(dice, 0.5, 1.5), link * between(dice, 0.5, 1.5), "");
    text_add(text, ", ");
    cost_add(text, "receive", 1e-3 * between(dice, 1, 5), 0, "");
    text_add(text, ", ");
    cost_add(text, "compute", 1e-3 * between(dice, 10, 30), rate,
             ", \"stderr_latency_s\": 0.001, \"stderr\": 0.001, \"correlation\": -0.5, "
             "\"deviation\": 0.02, \"drift\": 0.01, \"r2\": 0.999, \"n\": 40");
    text_add(text, ", ");
    cost_add(text, "output", 1e-3 * between(dice, 1, 5), 0, "");
    text_add(text, "}");
}

static void profile_write(struct world *world, struct text *text)
{
    uint64_t dice = 1000003 * (uint64_t)world->workers + world->seed;
    double *rates = calloc((size_t)world->workers, sizeof *rates), speed = 0;
    if (!rates)
        world_die("out of memory");
    for (int64_t k = 0; k < world->workers; k++) {
        rates[k] = 0.1 * exp(between(&dice, 0, log(4)));
        speed += 1 / rates[k];
    }
    world->tasks = floor(alone_s * speed);
    /* The port carries all of them in a third of that time. */
    const double link = alone_s / 3 / world->tasks;
    text_add(text, "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": "
                   "[{\"windows\": [{\"tasks\": [1, 1000000], ");
    cost_add(text, "envelope", 1e-4 * between(&dice, 1, 3), 0.1 * link, "");
    text_add(text, ", \"send\": {\"latency_s\": %.9g, \"s_per_task\": 0}, \"workers\": [",
             1e-4 * between(&dice, 1, 2));
    for (int64_t k = 0; k < world->workers; k++)
        worker_add(text, &dice, k, rates[k], link);
    text_add(text, "]}]}]}");
    free(rates);
}

void world_profile(const struct world *world, struct profile *profile)
{
    struct world same = {.workers = world->workers, .seed = world->seed};
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    profile_write(&same, &text);
    if (text.failed ||
        !profile_parse(profile, text.bytes, text.length, "bench-shared's profile", &failure))
        world_die(failure.text);
    text_release(&text);
}

void world_init(struct world *world, int64_t workers, uint64_t seed)
{
    struct text text = TEXT_INIT;
    struct failure failure = FAILURE_INIT;
    *world = (struct world){.workers = workers, .seed = seed, .span_s = span_share * alone_s};
    profile_write(world, &text);
    text_release(&text);
    world_profile(world, &world->profile);
    if (!platform_init(&world->platform, &world->profile.settings[0], 0, &failure))
        world_die(failure.text);
}

/* ---- load ---------------------------------------------------------------------------------- */

/* Which pattern the worker has; 0: it is the job's alone. At least one has it. */
static int pattern_of(const struct world *world, int64_t worker, int pattern)
{
    uint64_t dice = (world->seed << 16) ^ (uint64_t)worker;
    if (pattern == WORLD_MIXED)
        return 1 + (int)(worker % LOAD_PATTERNS);
    return random_uniform(&dice) < 0.5 || worker == (int64_t)world->seed % world->workers ? pattern
                                                                                          : 0;
}

static double share_at(const struct world *world, int pattern, uint64_t seed, int64_t worker,
                       double at_s, double *until_s)
{
    *until_s = world->span_s;
    return pattern > 0 && load_pattern_high(load_pattern(pattern), world->span_s, seed, worker,
                                            at_s, until_s)
               ? 0.5
               : 1;
}

/* While the job runs; behind the pattern's end it begins again. */
static void loads_add(struct world *world, int64_t worker, int pattern)
{
    char who[24];
    snprintf(who, sizeof who, "%" PRId64, worker + 1);
    struct availability_series *series = availability_series(&world->loads, who);
    bool good = series != NULL;
    for (int turn = 0; good && turn < 3; turn++)
        for (double at_s = 0, until_s; good && at_s < world->span_s; at_s = until_s) {
            const double share =
                share_at(world, pattern, world->seed + (uint64_t)turn, worker, at_s, &until_s);
            good = availability_add(series, turn * world->span_s + at_s, share, 1);
        }
    if (!good)
        world_die("out of memory");
}

static void looks_add(struct world *world, int64_t worker, int pattern)
{
    char name[24];
    snprintf(name, sizeof name, "n%" PRId64, worker + 1);
    struct observed_node *node = observations_node(&world->seen, name);
    bool good = node != NULL;
    for (int turn = 0; good && turn < PATTERNS_SEEN; turn++)
        for (int look = 0; good && look < LOOKS; look++) {
            const double at_s = (look + 0.5) / LOOKS * world->span_s;
            double until_s;
            const double share = share_at(world, pattern, world->seed + 100 + (uint64_t)turn,
                                          worker, at_s, &until_s);
            good = observations_add(&node->cpu, turn * world->span_s + at_s, share);
        }
    if (!good)
        world_die("out of memory");
}

void world_load(struct world *world, int pattern)
{
    struct failure failure = FAILURE_INIT;
    availability_release(&world->loads);
    observations_release(&world->seen);
    for (int64_t k = 0; k < world->workers; k++) {
        const int own = pattern_of(world, k, pattern);
        loads_add(world, k, own);
        looks_add(world, k, own);
    }
    if (!availability_place(&world->loads, &world->profile.settings[0], world->workers, &failure))
        world_die(failure.text);
}

void world_release(struct world *world)
{
    availability_release(&world->loads);
    observations_release(&world->seen);
    platform_release(&world->platform);
    profile_release(&world->profile);
}
