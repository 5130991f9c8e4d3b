#include <math.h>

#include "planner/dispatch/watch_parts.h"

const struct platform_class *watch_class(const struct dispatch_watch *self, int64_t worker,
                                         const struct platform_window *window)
{
    const int64_t last = self->setup.platform->worker_count - 1;
    return platform_worker(window, worker < last ? worker : last);
}

struct cost watch_work(const struct dispatch_watch *self, int64_t worker, double tasks)
{
    const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
    return platform_class_work(watch_class(self, worker, window));
}

double watch_port_latency_s(const struct dispatch_watch *self, int64_t worker, double tasks)
{
    const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
    return fmax(window->envelope.latency_s + window->send.latency_s,
                watch_class(self, worker, window)->link.latency_s);
}

double watch_work_s(const struct dispatch_watch *self, int64_t worker, double tasks)
{
    return cost_of(watch_work(self, worker, tasks), tasks);
}

double watch_behind_s(const struct dispatch_watch *self, int64_t worker, double tasks)
{
    const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
    return self->setup.platform->write_behind
               ? cost_of(watch_class(self, worker, window)->output, tasks)
               : 0;
}

double watch_returns_s(const struct dispatch_watch *self)
{
    double sum_s = 0;
    for (int64_t k = 0; self->setup.platform->results == RESULTS_PACKAGE && k < self->setup.workers;
         k++) {
        const struct watch_worker *worker = &self->workers[k];
        if (worker->out_count == 0 || worker->lost)
            continue;
        const double tasks = worker->out[0].tasks;
        const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
        sum_s +=
            cost_of(watch_class(self, k, window)->result, tasks) + cost_of(window->collect, tasks);
    }
    return sum_s;
}

double watch_whole_s(const struct dispatch_watch *self)
{
    const struct plan *plan = self->setup.plan;
    double rate = 0;
    for (int64_t k = 0; k < plan->worker_count; k++) {
        const double s_per_task = watch_work(self, plan->workers[k], plan->tasks).s_per_task;
        rate += s_per_task > 0 ? 1 / s_per_task : 0;
    }
    return fmax(plan->predicted.known ? plan->predicted.makespan_s : 0,
                rate > 0 ? plan->tasks / rate : 0);
}

double watch_port_s(const struct dispatch_watch *self)
{
    const struct plan *plan = self->setup.plan;
    double master_s = 0, port_s = 0;
    for (size_t r = 0; r < plan->round_count; r++)
        for (int64_t k = 0; k < plan->worker_count; k++) {
            const double tasks = plan->rounds[r].loads[k], times = (double)plan->rounds[r].repeat;
            const struct platform_window *window = platform_nearest(self->setup.platform, tasks);
            const struct platform_class *class = watch_class(self, plan->workers[k], window);
            master_s += times * (cost_of(window->envelope, tasks) + cost_of(window->send, tasks));
            port_s += times * cost_of(class->link, tasks);
        }
    return fmax(master_s, port_s);
}
