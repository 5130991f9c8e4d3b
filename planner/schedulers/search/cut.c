#include "planner/schedulers/search/cut.h"

#include <stdlib.h>
#include <string.h>

#include "planner/model/plan_cursor.h"
#include "planner/schedulers/search/pieces.h"

/* Do packages of both sizes lie in a window? */
static bool sizes_fit(const struct platform *platform, int64_t tasks, int64_t parts)
{
    const int64_t small = tasks / parts, large = small + (tasks % parts > 0);
    return small > 0 && platform_find(platform, (double)small) &&
           platform_find(platform, (double)large);
}

/* The least number of packages that these core tasks can be divided into equally; 0: there is
 * none. */
static int64_t parts_of(const struct platform *platform, int64_t tasks)
{
    const int64_t least = platform->windows[0].least;
    for (int64_t parts = 1; parts <= tasks / least; parts++)
        if (sizes_fit(platform, tasks, parts))
            return parts;
    return 0;
}

/* Adds one package, or several of the same worker. */
static bool package_put(const struct platform *platform, struct pieces *pieces, int64_t slot,
                        int64_t tasks, bool *possible)
{
    const int64_t parts = parts_of(platform, tasks);
    if (parts == 0) {
        *possible = false;
        return true;
    }
    for (int64_t k = 0; k < parts; k++)
        if (!pieces_add(pieces, slot, tasks / parts + (k < tasks % parts)))
            return false;
    return true;
}

/* Adds too few core tasks at the end to the package before them. */
static bool end_put(const struct platform *platform, struct pieces *pieces, int64_t tasks,
                    bool *possible)
{
    if (tasks == 0)
        return true;
    if (pieces->count == 0) {
        *possible = false;
        return true;
    }
    const struct piece last = pieces->items[--pieces->count];
    return package_put(platform, pieces, last.slot, last.count + tasks, possible);
}

/* Cuts one package after the other; what is too small for a package is added to the next one. */
static bool pieces_cut(const struct platform *platform, const struct plan *units,
                       struct pieces *made, bool *possible)
{
    const int64_t tasks = (int64_t)units->tasks, packages = plan_packages(units);
    struct plan_cursor cursor = PLAN_CURSOR(units);
    int64_t begin = 0, held = 0;
    while (*possible && plan_cursor_next(&cursor)) {
        const double until = cursor.first + cursor.load;
        const int64_t end = cursor.index + 1 < packages
                                ? work_nearest(&platform->work, tasks, until, begin)
                                : tasks;
        const int64_t count = held + end - begin;
        held = count < platform->windows[0].least ? count : 0;
        if (held == 0 && count > 0 && !package_put(platform, made, cursor.slot, count, possible))
            return false;
        begin = end;
    }
    return end_put(platform, made, held, possible);
}

static bool workers_take(struct plan *to, const struct plan *from)
{
    const size_t bytes = (size_t)from->worker_count * sizeof *from->workers;
    *to = (struct plan){.tasks = from->tasks, .worker_count = from->worker_count};
    to->workers = malloc(bytes);
    if (to->workers)
        memcpy(to->workers, from->workers, bytes);
    return to->workers != NULL;
}

bool packages_cut(const struct platform *platform, const struct plan *units, struct plan *cut,
                  bool *possible, struct failure *failure)
{
    struct pieces made = {.items = NULL};
    *cut = (struct plan){.worker_count = 0};
    *possible = !units->real_valued && plan_packages(units) <= CUT_PACKAGES_MOST;
    if (!*possible)
        return true;
    bool good = pieces_cut(platform, units, &made, possible) &&
                (!*possible || (workers_take(cut, units) && pieces_to_rounds(&made, cut)));
    pieces_release(&made);
    if (!good || !*possible)
        plan_release(cut);
    return good || failure_memory(failure, "cutting a plan");
}
