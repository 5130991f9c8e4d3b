/* No scheduler exceeds its effort, with any legal profile: work is counted, and work that is not
 * counted exceeds this test's time limit. */
#include <inttypes.h>
#include <math.h>

#include "planner/schedulers/scheduler.h"
#include "tests/cases.h"
#include "tests/checks.h"
#include "tests/planner/platforms.h"

/* Units that a scheduler has, and by how many the step in which they end may go beyond them: one
 * linear program, or the lower bounds of a plan. */
static const double EFFORT = 1e6, BEYOND = 2e7;

static struct cost cost_any(struct dice *dice)
{
    const double roll = dice_roll(dice);
    if (roll < 0.2)
        return (struct cost){0, 0};
    if (roll < 0.3)
        return (struct cost){dice_scale(dice, 1e-9, 1e6), 0};
    if (roll < 0.4)
        return (struct cost){0, dice_scale(dice, 1e-12, 1e6)};
    return (struct cost){dice_scale(dice, 1e-9, 10), dice_scale(dice, 1e-12, 10)};
}

/* No package of it takes less than nothing, and none is worked on in no time. */
static void window_mend(struct platform_window *window)
{
    window->envelope.latency_s = fmax(window->envelope.latency_s, 0);
    for (int64_t c = 0; c < window->class_count; c++) {
        struct platform_class *class = &window->classes[c];
        class->link.latency_s = fmax(class->link.latency_s, 0);
        class->compute.latency_s = fmax(class->compute.latency_s, 0);
        if (!(class->compute.s_per_task > 0) && !(class->compute.latency_s > 0))
            class->compute.s_per_task = 1e-6;
    }
}

static void window_mutate(struct dice *dice, struct platform_window *window)
{
    for (int n = 0; n < 3; n++) {
        struct platform_class *class =
            &window->classes[dice_between(dice, 0, window->class_count - 1)];
        struct cost *const costs[] = {&window->envelope, &window->send,   &class->link,
                                      &class->receive,   &class->compute, &class->output};
        struct cost *cost = costs[dice_between(dice, 0, 5)];
        if (dice_roll(dice) < 0.5)
            *cost = cost_any(dice);
    }
    window_mend(window);
}

static struct platform platform_any(struct dice *dice)
{
    const double kind = dice_roll(dice), size = dice_roll(dice);
    const int64_t most = (int64_t)dice_scale(dice, 1, dice_roll(dice) < 0.1 ? 600 : 60);
    struct platform platform = kind < 0.3   ? platform_cluster(dice, most)
                               : kind < 0.5 ? platform_mixed(dice, most)
                                            : platform_random(dice, most);
    struct platform_window *first = &platform.windows[0];
    if (platform.window_count == 1 && size < 0.3)
        *first = (struct platform_window){1,
                                          dice_between(dice, 1, 3),
                                          first->envelope,
                                          first->send,
                                          first->classes,
                                          first->class_count,
                                          first->answer,
                                          first->collect};
    else if (platform.window_count == 1 && size < 0.6)
        first->greatest = first->least + (size < 0.5 ? dice_between(dice, 0, 60) : 0);
    for (int64_t w = 0; w < platform.window_count; w++)
        window_mutate(dice, &platform.windows[w]);
    if (dice_roll(dice) < 0.3)
        platform_starts(dice, &platform, dice_scale(dice, 1e-3, 1e6));
    if (dice_roll(dice) < 0.2)
        platform_write_behind(dice, &platform, dice_scale(dice, 0.1, 3));
    if (dice_roll(dice) < 0.2)
        platform.buffers = (int)dice_between(dice, 1, 50);
    return platform;
}

/* NULL: auto. */
static void scheduler_ends(const struct scheduler *scheduler, const struct platform *platform,
                           double tasks, uint64_t seed)
{
    struct effort effort = {EFFORT};
    const struct schedule_request request = {
        .platform = platform, .tasks = tasks, .effort = &effort};
    struct plan plan = {.kernel = NULL};
    struct failure failure = FAILURE_INIT;
    const bool good = scheduler ? scheduler_make(scheduler, &request, &plan, &failure)
                                : schedule_auto(&request, &plan, NULL, &failure);
    if (!good && failure.code != FAILURE_INFEASIBLE)
        fail_msg("seed %" PRIu64 ": %s", seed, failure.text);
    if (effort.left < -BEYOND)
        fail_msg("seed %" PRIu64 ", %s: %g units beyond the effort", seed,
                 scheduler ? scheduler->name : "auto", -effort.left);
    plan_release(&plan);
}

static void effort_ends_every_scheduler(void **state)
{
    size_t count;
    const struct scheduler *list = scheduler_list(&count);
    (void)state;
    for (uint64_t seed = 1; seed <= cases_of(24); seed++) {
        struct dice dice = dice_of(seed);
        struct platform platform = platform_any(&dice);
        const double tasks = floor(dice_scale(&dice, 1, 1e13));
        for (size_t k = 0; k < count; k++)
            scheduler_ends(&list[k], &platform, tasks, seed);
        scheduler_ends(NULL, &platform, tasks, seed);
        platform_release(&platform);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(effort_ends_every_scheduler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
