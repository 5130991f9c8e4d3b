#include "planner/studies/group_cost.h"

#include <math.h>

struct cost group_cost(const struct platform *platform, double load)
{
    const double each = load / (double)platform->worker_count;
    const struct platform_window *window = platform_nearest(platform, each);
    const struct cost prepared = cost_sum(window->envelope, window->send);
    double speed = 0, idle = 0, port = 0;
    for (int64_t k = 0; k < window->class_count; k++) {
        const struct platform_class *class = &window->classes[k];
        const struct cost work = platform_class_work(class);
        const double rate = fmax(work.s_per_task, 1e-15), share = (double)class->count / rate;
        speed += share;
        idle += share * work.latency_s;
        port += share * fmax(class->link.s_per_task, prepared.s_per_task);
    }
    return (struct cost){idle / speed, fmax(1, port) / speed};
}
