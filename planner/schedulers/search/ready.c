#include "planner/schedulers/search/ready.h"

#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/bounds/bound.h"
#include "planner/schedulers/search/fewer.h"

/* Some workers of a platform as a platform of their own. */
struct ready_set {
    struct platform platform; /* owned */
    int64_t *workers;         /* owned; their numbers in the whole platform */
};

static void set_release(struct ready_set *set)
{
    platform_release(&set->platform);
    free(set->workers);
}

/* Copies the classes that start within start_s seconds, and numbers them anew. */
static bool window_filter(const struct platform_window *from, double start_s,
                          struct platform_window *made)
{
    int64_t first = 0;
    *made = *from;
    made->class_count = 0;
    made->classes = calloc((size_t)from->class_count, sizeof *made->classes);
    for (int64_t k = 0; made->classes != NULL && k < from->class_count; k++) {
        if (from->classes[k].start_s > start_s)
            continue;
        struct platform_class *class = &made->classes[made->class_count++];
        *class = from->classes[k];
        class->first = first;
        first += class->count;
    }
    return made->classes != NULL;
}

/* To be released in any case; false: out of memory. */
static bool set_init(struct ready_set *set, const struct platform *from, double start_s)
{
    bool good = true;
    *set = (struct ready_set){.platform = *from};
    set->platform.worker_count = set->platform.window_count = 0;
    set->platform.windows = calloc((size_t)from->window_count, sizeof *set->platform.windows);
    set->workers = malloc((size_t)from->worker_count * sizeof *set->workers);
    if (set->platform.windows == NULL || set->workers == NULL)
        return false;
    for (int64_t w = 0; good && w < from->window_count; w++)
        good = window_filter(&from->windows[w], start_s,
                             &set->platform.windows[set->platform.window_count++]);
    for (int64_t k = 0; k < from->worker_count; k++)
        if (!(platform_start(from, k) > start_s))
            set->workers[set->platform.worker_count++] = k;
    return good;
}

/* The best plan so far. */
struct readiness {
    const struct scheduler *scheduler;
    const struct schedule_request *request;
    struct plan plan;  /* owned */
    double makespan_s; /* HUGE_VAL: there is no plan */
    bool fewer;        /* the plan is not for all workers */
    struct failure refused;
};

static bool plan_offer(struct readiness *readiness, struct plan *made, bool fewer)
{
    if (!(made->predicted.makespan_s < readiness->makespan_s)) {
        plan_release(made);
        return false;
    }
    plan_release(&readiness->plan);
    readiness->plan = *made;
    readiness->makespan_s = made->predicted.makespan_s;
    readiness->fewer = fewer;
    return true;
}

static bool set_make(struct readiness *readiness, const struct ready_set *set,
                     struct failure *failure)
{
    struct schedule_request own = *readiness->request;
    struct failure refused = FAILURE_INIT;
    struct plan made = {.kernel = NULL};
    double bound_s = 0;
    own.platform = &set->platform;
    if (!bound_makespan(own.platform, own.tasks, own.real_valued, &bound_s, failure))
        return false;
    if (bound_s >= readiness->makespan_s)
        return true;
    if (!fewer_make(readiness->scheduler, &own, &made, &refused))
        return refused.code == FAILURE_INFEASIBLE ||
               failure_set(failure, refused.code, "%s", refused.text);
    for (int64_t k = 0; k < made.worker_count; k++)
        made.workers[k] = set->workers[made.workers[k]];
    plan_offer(readiness, &made, true);
    return true;
}

/* Plans for the workers that start within start_s seconds. */
static bool set_try(struct readiness *readiness, double start_s, struct failure *failure)
{
    struct ready_set set;
    bool good = set_init(&set, readiness->request->platform, start_s) ||
                failure_memory(failure, "planning");
    good = good && set_make(readiness, &set, failure);
    set_release(&set);
    return good;
}

static int number_compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Lists all different starts, ascending; returns how many there are. */
static int64_t starts_list(const struct platform *platform, double *starts)
{
    const struct platform_window *window = &platform->windows[0];
    int64_t count = 0;
    for (int64_t k = 0; k < window->class_count; k++)
        starts[k] = window->classes[k].start_s;
    qsort(starts, (size_t)window->class_count, sizeof *starts, number_compare);
    for (int64_t k = 0; k < window->class_count; k++)
        if (count == 0 || starts[k] > starts[count - 1])
            starts[count++] = starts[k];
    return count;
}

/* Tries sets of workers from the second longest start downwards; workers that start for longer than
 * the best plan takes are of no use. */
static bool sets_try(struct readiness *readiness, struct failure *failure)
{
    const struct platform *platform = readiness->request->platform;
    double *starts = malloc((size_t)platform->windows[0].class_count * sizeof *starts);
    bool good = true;
    if (starts == NULL)
        return failure_memory(failure, "planning");
    const int64_t count = starts_list(platform, starts);
    const int64_t sets = count - 1 < READY_SETS ? count - 1 : READY_SETS;
    for (int64_t k = sets - 1; good && k >= 0; k--) {
        const double start_s = starts[(k + 1) * (count - 1) / sets - 1];
        if (start_s < readiness->makespan_s && !effort_spent(readiness->request->effort))
            good = set_try(readiness, start_s, failure);
    }
    free(starts);
    return good;
}

bool ready_make(const struct scheduler *scheduler, const struct schedule_request *request,
                struct plan *plan, struct failure *failure)
{
    struct readiness readiness = {.scheduler = scheduler,
                                  .request = request,
                                  .makespan_s = HUGE_VAL,
                                  .refused = FAILURE_INIT};
    struct plan made = {.kernel = NULL};
    bool equal;
    platform_start_most(request->platform, &equal);
    if (equal || scheduler->fewer == SCHEDULER_FEWER_NEVER)
        return fewer_make(scheduler, request, plan, failure);
    if (fewer_make(scheduler, request, &made, &readiness.refused))
        plan_offer(&readiness, &made, false);
    else if (readiness.refused.code != FAILURE_INFEASIBLE)
        return failure_set(failure, readiness.refused.code, "%s", readiness.refused.text);
    bool good = sets_try(&readiness, failure);
    if (good && readiness.makespan_s == HUGE_VAL)
        good = failure_set(failure, readiness.refused.code, "%s", readiness.refused.text);
    /* The lower bound of a plan is always that for all workers. */
    if (good && readiness.fewer)
        good = schedule_predict(request->platform, &readiness.plan, failure);
    if (good)
        *plan = readiness.plan;
    else
        plan_release(&readiness.plan);
    return good;
}
