#include "planner/studies/least_cost.h"

#include <math.h>

static struct cost least_of(struct cost a, struct cost b)
{
    return (struct cost){fmin(a.latency_s, b.latency_s), fmin(a.s_per_task, b.s_per_task)};
}

static struct cost not_below_0(struct cost cost)
{
    return (struct cost){fmax(0, cost.latency_s), fmax(0, cost.s_per_task)};
}

struct cost least_work(const struct platform *platform, int64_t worker)
{
    struct cost least = {HUGE_VAL, HUGE_VAL};
    for (int64_t w = 0; w < platform->window_count; w++)
        least =
            least_of(least, platform_class_work(platform_worker(&platform->windows[w], worker)));
    return not_below_0(least);
}

/* Not less than either cost: the greater latency and the greater rate. */
static struct cost longer_of(struct cost a, struct cost b)
{
    return (struct cost){fmax(a.latency_s, b.latency_s), fmax(a.s_per_task, b.s_per_task)};
}

struct cost least_port(const struct platform *platform)
{
    struct cost least = {HUGE_VAL, HUGE_VAL};
    for (int64_t w = 0; w < platform->window_count; w++) {
        const struct platform_window *window = &platform->windows[w];
        const struct cost prepared = cost_sum(window->envelope, window->send);
        for (int64_t k = 0; k < window->class_count; k++)
            least = least_of(least, longer_of(prepared, window->classes[k].link));
    }
    return not_below_0(least);
}
