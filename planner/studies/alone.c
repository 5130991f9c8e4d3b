#include "planner/studies/alone.h"

#include <math.h>
#include <stdlib.h>

#include "planner/base/array.h"

/* The platform of one worker alone; `windows` and `classes` have one place per window. */
static struct platform platform_alone(const struct platform *from, int64_t worker,
                                      struct platform_window *windows,
                                      struct platform_class *classes)
{
    struct platform made = *from;
    made.map = (struct cost_map){.tasks = 0};
    made.worker_count = 1;
    made.windows = windows;
    for (int64_t w = 0; w < from->window_count; w++) {
        windows[w] = from->windows[w];
        classes[w] = *platform_worker(&from->windows[w], worker);
        classes[w].first = 0;
        classes[w].count = 1;
        windows[w].classes = &classes[w];
        windows[w].class_count = 1;
    }
    return made;
}

/* How many workers from `first` on are in one class, whatever the window. */
static int64_t workers_like(const struct platform *platform, int64_t first)
{
    int64_t end = platform->worker_count;
    for (int64_t w = 0; w < platform->window_count; w++) {
        const struct platform_class *class = platform_worker(&platform->windows[w], first);
        if (class->first + class->count < end)
            end = class->first + class->count;
    }
    return end - first;
}

static bool makespan_alone(const struct scheduler *scheduler,
                           const struct schedule_request *request, double *makespan_s,
                           struct failure *failure)
{
    struct failure refused = FAILURE_INIT;
    struct plan plan = {.kernel = NULL};
    const bool made = scheduler_make_for_all(scheduler, request, &plan, &refused);
    *makespan_s = made ? plan.predicted.makespan_s : HUGE_VAL;
    plan_release(&plan);
    return made || refused.code == FAILURE_INFEASIBLE ||
           failure_set(failure, refused.code, "%s", refused.text);
}

static bool list_fill(struct alone_list *list, const struct scheduler *scheduler,
                      const struct schedule_request *request, struct platform_window *windows,
                      struct platform_class *classes, struct failure *failure)
{
    const struct platform *platform = request->platform;
    for (int64_t first = 0; first < platform->worker_count;) {
        const struct platform single = platform_alone(platform, first, windows, classes);
        struct schedule_request own = *request;
        struct alone item = {.first = first, .count = workers_like(platform, first)};
        own.platform = &single;
        if (!makespan_alone(scheduler, &own, &item.makespan_s, failure))
            return false;
        struct alone *items = array_extend(list->items, list->count, sizeof *items);
        if (!items)
            return failure_memory(failure, "sweeping over worker counts");
        list->items = items;
        items[list->count++] = item;
        first += item.count;
    }
    return true;
}

bool alone_init(struct alone_list *list, const struct scheduler *scheduler,
                const struct schedule_request *request, struct failure *failure)
{
    const size_t windows = (size_t)request->platform->window_count;
    struct platform_window *window = calloc(windows, sizeof *window);
    struct platform_class *class = calloc(windows, sizeof *class);
    struct alone_list made = {.items = NULL};
    const bool good = window && class ? list_fill(&made, scheduler, request, window, class, failure)
                                      : failure_memory(failure, "sweeping over worker counts");
    free(window);
    free(class);
    if (good)
        *list = made;
    else
        alone_release(&made);
    return good;
}

void alone_release(struct alone_list *list)
{
    free(list->items);
    *list = (struct alone_list){.items = NULL};
}

double alone_efficiency(const struct alone_list *list, int64_t workers, double makespan_s)
{
    double speed = 0;     /* in jobs per second */
    if (list->count == 1) /* as who divides by hand */
        return fmin(list->items[0].makespan_s / makespan_s / (double)workers, 1);
    for (size_t k = 0; k < list->count && list->items[k].first < workers; k++) {
        const struct alone *item = &list->items[k];
        const int64_t left = workers - item->first;
        speed += (double)(left < item->count ? left : item->count) / item->makespan_s;
    }
    return fmin(1 / (speed * makespan_s), 1);
}
