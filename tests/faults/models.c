#include "tests/faults/models.h"

#include <stdlib.h>
#include <string.h>

#include "planner/base/text.h"
#include "planner/files/profile_json.h"
#include "planner/simulate/scenario.h"
#include "spmd/transport/clock.h"
#include "tests/faults/checks.h"
#include "tests/faults/world.h"

static struct models {
    struct profile profile;
    struct plan plan; /* only its operating model is used */
    bool loaded;
    struct availability loads; /* owned; where loaded */
} models;

/* A part of it for every package, the rest for each core task. */
static void cost_add(struct text *text, const char *name, int64_t largest, double seconds)
{
    const double fixed = dice_between(&world.dice, 0, 0.9);
    text_add(text, "\"%s\": {\"latency_s\": %.9g, \"s_per_task\": %.9g}, ", name, fixed * seconds,
             (1 - fixed) * seconds / (double)largest);
}

/* At most most_s, and now and then no time at all. */
static void cost_draw(struct text *text, const char *name, int64_t largest, double most_s)
{
    const double seconds =
        dice_hit(&world.dice, 0.2) ? 0 : dice_about(&world.dice, 0.05, 1) * most_s;
    cost_add(text, name, largest, seconds);
}

static void worker_draw(struct text *text, int64_t largest, double package_s, bool returns)
{
    text_add(text, "{");
    cost_draw(text, "link", largest, 0.5 * package_s);
    if (models.loaded) {
        text_add(text, "\"receive\": {\"latency_s\": 0, \"s_per_task\": 0}, "
                       "\"output\": {\"latency_s\": 0, \"s_per_task\": 0}, ");
    } else {
        cost_draw(text, "receive", largest, 0.1 * package_s);
        cost_draw(text, returns ? "result" : "output", largest, (returns ? 0.5 : 0.2) * package_s);
    }
    cost_add(text, "compute", largest, dice_about(&world.dice, 0.1, 2) * package_s);
    text_add(text, "\"count\": 1}");
}

static void profile_draw(struct text *text, int64_t largest, double package_s, bool returns)
{
    text_add(text, "{\"schema\": \"scow-profile-1\", \"kernel\": \"sleep\", \"settings\": "
                   "[{\"windows\": [{\"tasks\": [1, 100000], ");
    cost_draw(text, "envelope", largest, 0.2 * package_s);
    cost_draw(text, "send", largest, 0.1 * package_s);
    cost_draw(text, "collect", largest, 0.1 * package_s);
    text_add(text, "\"workers\": [");
    for (int worker = 1; worker < RANKS_MOST; worker++) {
        text_add(text, "%s", worker > 1 ? ", " : "");
        worker_draw(text, largest, package_s, returns);
    }
    text_add(text, "]}]}]}");
}

static void profile_take(const char *text)
{
    struct failure failure = FAILURE_INIT;
    if (!profile_parse(&models.profile, text, strlen(text), "profile", &failure)) {
        fprintf(stderr, "%s\n", failure.text);
        abort();
    }
}

static void draw(int64_t largest, double package_s, bool returns)
{
    struct text text = TEXT_INIT;
    profile_draw(&text, largest, package_s, returns);
    if (text.failed)
        abort();
    profile_take(text.bytes);
    text_release(&text);
}

void models_draw(int64_t largest, double package_s, bool returns)
{
    models.plan = (struct plan){
        .operating = (enum operating)dice_below(&world.dice, (uint64_t)OPERATING_COUNT)};
    draw(largest, package_s, returns);
}

void models_draw_loaded(int64_t largest, double package_s, double seconds)
{
    struct failure failure = FAILURE_INIT;
    models.plan = (struct plan){.operating = OPERATING_SINGLE_PORT};
    models.loaded = true;
    draw(largest, package_s, false);
    if (!availability_patterns(&models.loads, RANKS_MOST - 1, seconds,
                               dice_below(&world.dice, 1000), &failure))
        abort();
}

bool models_loaded(void)
{
    return models.loaded;
}

/* Time begins with the first package. */
struct models_computing models_computing(int64_t tasks)
{
    const int64_t worker = world.current->number - 1;
    struct platform platform;
    struct failure failure = FAILURE_INIT;
    if (!platform_init(&platform, &models.profile.settings[0], RANKS_MOST - 1, &failure))
        abort();
    const struct platform_window *window = platform_nearest(&platform, (double)tasks);
    const double alone_s = cost_of(platform_worker(window, worker)->compute, (double)tasks);
    const double now_s = clock_now() - world.current->skew_s - trial_began_s();
    platform_release(&platform);
    if (!models.loaded)
        return (struct models_computing){alone_s, alone_s};
    return (struct models_computing){alone_s,
                                     availability_lasts(availability_of(&models.loads, worker),
                                                        OPERATION_COMPUTE, now_s, alone_s)};
}

void models_give(const char *profile)
{
    models.plan = (struct plan){.operating = OPERATING_SINGLE_PORT};
    profile_take(profile);
}

const struct profile *models_profile(void)
{
    return &models.profile;
}

const char *models_name(void)
{
    return operating_traits(models.plan.operating)->name;
}

struct emulation *models_emulation(struct failure *failure)
{
    return emulation_new(&models.profile, &models.plan, 0, failure);
}

/* With what decides, in the simulation with disturbances: under load, or to compare plain plans. */
static bool decided_simulate(const struct platform *platform, struct dispatch *dispatch,
                             struct simulation *simulation, struct failure *failure)
{
    struct scenario scenario = SCENARIO_INIT;
    scenario.availability = models.loaded ? &models.loads : NULL;
    const bool good =
        dispatch && simulate_scenario(platform, dispatch, &scenario, NULL, simulation, failure);
    dispatch_free(&dispatch);
    return good;
}

/* Without disturbances both simulations must be equal, to the bit. */
static bool plan_simulate(const struct platform *platform, const struct plan *plan,
                          struct simulation *simulation, struct failure *failure)
{
    if (models.loaded)
        return decided_simulate(platform, dispatch_new_plan(plan), simulation, failure);
    struct simulation decided = {0};
    const bool good = simulate_packages(platform, plan, NULL, simulation, NULL, failure) &&
                      decided_simulate(platform, dispatch_new_plan(plan), &decided, failure);
    if (good && decided.makespan_s != simulation->makespan_s)
        world_wrong("the plan takes %.17g s, and %.17g s where a dispatch decides",
                    simulation->makespan_s, decided.makespan_s);
    return good;
}

/* Messages are small, and received at once: no package waits for room, except where in its
 * operating model ports wait for that. */
static int room_of(const struct models_run *run)
{
    enum { ANY = 64 }; /* more than a run without disturbances has */
    return models.plan.operating == OPERATING_SINGLE_PORT ? ANY : run->buffers;
}

double models_expect(const struct models_run *run)
{
    struct platform platform;
    struct simulation simulation = {0};
    struct failure failure = FAILURE_INIT;
    profile_operate(&models.profile, models.plan.operating);
    if (!platform_init(&platform, &models.profile.settings[0], run->workers, &failure))
        return 0;
    platform.buffers = room_of(run);
    platform.results = run->results;
    platform.write_behind = run->write_behind;
    const bool good = run->rule
                          ? decided_simulate(&platform, dispatch_new_rule(run->rule, &failure),
                                             &simulation, &failure)
                          : plan_simulate(&platform, run->plan, &simulation, &failure);
    if (!good)
        world_wrong("it cannot be simulated: %s", failure.text);
    platform_release(&platform);
    return simulation.makespan_s;
}

void models_release(void)
{
    profile_release(&models.profile);
    availability_release(&models.loads);
    models.loaded = false;
}
