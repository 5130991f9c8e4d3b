#include "planner/library/expected_levels.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/base/limits.h"
#include "planner/files/profile_json.h"
#include "planner/studies/remaining_plan.h"

/* ---- what the user says ---------------------------------------------------------------------- */

/* Reads one level, which follows `before` core tasks. Returns what is behind it; NULL: it cannot be
 * read. */
static const char *level_read(const char *said, double before, double *tasks)
{
    const bool grows = *said == 'x';
    const char *number = said + grows;
    char *end;
    if (!strchr("0123456789.", *number) || !*number)
        return NULL;
    errno = 0;
    const double read = grows ? strtod(number, &end) : (double)strtoll(number, &end, 10);
    *tasks = grows ? fmax(1, round(before * read)) : read;
    const bool valid = errno == 0 && end != number && (*end == ',' || !*end) && read > 0 &&
                       *tasks <= (double)LIMIT_TASKS;
    return valid ? end : NULL;
}

/* Reads all levels but the first, which `levels` has already; there is room for all. False: they
 * cannot be read. */
static bool levels_read(const char *said, struct plan_level *levels, size_t *count)
{
    while (said && *count < LEVELS_MOST) {
        said = level_read(said, levels[*count - 1].tasks, &levels[*count].tasks);
        (*count)++;
        if (said && !*said)
            return true;
        said = said ? said + 1 : NULL;
    }
    return false;
}

bool expected_levels_check(const char *said, struct failure *failure)
{
    struct plan_level levels[LEVELS_MOST] = {{.tasks = 1}};
    size_t count = 1;
    return levels_read(said, levels, &count) ||
           failure_set(failure, FAILURE_USAGE,
                       "--levels '%.60s': say how many core tasks each level after the first will "
                       "have, such as 100,84,7, or how many times those of the level before, such "
                       "as x10,x0.8 (at most %d levels)",
                       said, (int)LEVELS_MOST - 1);
}

/* ---- what a profile knows -------------------------------------------------------------------- */

static void levels_follow(const struct profile_setting *setting, struct plan *plan)
{
    for (size_t k = 1; k < setting->level_count && k < LEVELS_MOST; k++) {
        const double more = round(plan->levels[k - 1].tasks * setting->levels[k - 1].next);
        plan->levels[plan->level_count++].tasks = fmin(fmax(1, more), (double)LIMIT_TASKS);
    }
    plan->more_levels = setting->levels[setting->level_count - 1].next > 0;
    if (plan->level_count == 1 && plan->more_levels) /* only that there are more levels is known */
        plan->level_count = 0;
}

/* The makespan of that level, with what its core tasks cost. False: out of memory. If no plan can
 * be made, the makespan stays 0. */
static bool makespan_find(const struct expected_levels_request *asked, const struct plan *plan,
                          size_t level, double *makespan_s)
{
    struct profile profile = {0};
    struct plan made;
    if (!profile_copy(&profile, asked->profile)) {
        profile_release(&profile);
        return false;
    }
    profile_level(&profile, (int64_t)level + 1);
    const struct remaining_request request = {.plan = plan,
                                              .profile = &profile,
                                              .tasks = (int64_t)plan->levels[level].tasks,
                                              .workers = asked->workers};
    if (remaining_measured(&request, &made)) {
        *makespan_s = made.predicted.makespan_s;
        plan_release(&made);
    }
    profile_release(&profile);
    return true;
}

/* ---- both ------------------------------------------------------------------------------------ */

static bool counts_find(const struct expected_levels_request *request, struct plan *plan,
                        struct failure *failure)
{
    plan->levels = calloc(LEVELS_MOST, sizeof *plan->levels);
    if (!plan->levels)
        return failure_memory(failure, "predicting levels");
    plan->levels[0] = (struct plan_level){plan->tasks, plan->predicted.makespan_s};
    plan->level_count = 1;
    if (!request->said)
        levels_follow(request->setting, plan);
    else if (!levels_read(request->said, plan->levels, &plan->level_count))
        return failure_set(
            failure, FAILURE_USAGE,
            "--levels '%.60s': the levels become larger than any job may be: give smaller numbers",
            request->said);
    return true;
}

bool expected_levels_find(const struct expected_levels_request *request, struct plan *plan,
                          struct failure *failure)
{
    if (request->setting->level_count == 0)
        return !request->said ||
               failure_set(failure, FAILURE_MISMATCH,
                           "%s: is of a core task that does not search in levels, or was measured "
                           "by an earlier scow: leave --levels out, or calibrate again",
                           request->path ? request->path : "the profile");
    if (!counts_find(request, plan, failure))
        return false;
    for (size_t k = 1; k < plan->level_count; k++)
        if (!makespan_find(request, plan, k, &plan->levels[k].makespan_s))
            return failure_memory(failure, "predicting levels");
    return true;
}
