#include "planner/schedulers/multi_round.h"

#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/discretise.h"
#include "planner/schedulers/level.h"

/* Loads that one candidate may have, rounds times workers. All of them may differ, and with more
 * than these a plan's file would exceed a megabyte. */
enum { LOADS_MOST = 80000 };

struct hunt {
    struct contest *contest;
    const struct lineup *lineup;
    const struct multi_round *family;
};

int64_t workers_fed(const struct lineup *lineup)
{
    double share = 0;
    int64_t fed = 0;
    while (fed < lineup->count) {
        const struct lineup_worker *worker = &lineup->workers[fed];
        share += worker->feed.s_per_task / rate_of(worker->work);
        if (share > 1 + 1e-12)
            break;
        fed++;
    }
    return fed > 0 ? fed : 1;
}

/* One pair; whether it leads. */
static bool pair_try(const struct hunt *hunt, int64_t count, int64_t rounds)
{
    const double tasks = hunt->contest->request->tasks;
    struct plan candidate;
    bool leads = false;
    if (rounds < 1 || rounds > hunt->family->rounds_most || contest_over(hunt->contest) ||
        (double)rounds * (double)count > LOADS_MOST)
        return false;
    double *loads = malloc((size_t)(rounds * count) * sizeof *loads);
    if (loads == NULL) {
        hunt->contest->starved = true;
        return false;
    }
    if (hunt->family->fill(hunt->lineup, count, rounds, tasks, loads) &&
        discretise(hunt->lineup, loads, rounds * count, tasks, &hunt->contest->starved)) {
        candidate_open(hunt->contest, &candidate, hunt->lineup, count);
        for (int64_t r = 0; r < rounds; r++)
            candidate_round(hunt->contest, &candidate, 1, loads + r * count);
        leads = contest_offer(hunt->contest, &candidate);
    }
    free(loads);
    return leads;
}

/* From the guess on, in steps that halve, as long as it wins. */
static void rounds_climb(const struct hunt *hunt, int64_t count)
{
    const double most = (double)hunt->family->rounds_most;
    const double tasks = hunt->contest->request->tasks;
    const double fewest = ceil(tasks / ((double)count * hunt->lineup->greatest));
    const double guess = hunt->family->guess(hunt->lineup, count, tasks);
    int64_t best = (int64_t)fmin(fmax(floor(guess), fewest), most);
    pair_try(hunt, count, best);
    if (pair_try(hunt, count, best + 1))
        best++;
    for (int64_t step = best / 2 > 1 ? best / 2 : 1; step >= 1; step /= 2) {
        while (pair_try(hunt, count, best + step))
            best += step;
        while (pair_try(hunt, count, best - step))
            best -= step;
    }
}

/* All workers, those that can be fed, and fewer and fewer. */
static void counts_try(const struct hunt *hunt)
{
    const int64_t all = hunt->lineup->count < LOADS_MOST ? hunt->lineup->count : LOADS_MOST;
    const int64_t fed = workers_fed(hunt->lineup) < all ? workers_fed(hunt->lineup) : all;
    if (hunt->family->rounds_most == 1) {
        rounds_climb(hunt, all);
        return;
    }
    rounds_climb(hunt, fed);
    if (fed < all && !hunt->family->fed_only)
        rounds_climb(hunt, fed + 1);
    if (fed + 1 < all && !hunt->family->fed_only)
        rounds_climb(hunt, all);
    for (int64_t count = fed - 1; count >= 1 && count >= fed / 2; count -= 1 + fed / 24)
        rounds_climb(hunt, count);
    for (int64_t count = fed / 4; count >= 1; count /= 2)
        rounds_climb(hunt, count);
}

static bool visit_lineup(struct contest *contest, struct lineup *lineup, void *context)
{
    const struct multi_round *const *family = context;
    counts_try(&(struct hunt){contest, lineup, *family});
    contest_level(contest, lineup);
    return false;
}

bool multi_round_make(const struct schedule_request *request, const struct multi_round *family,
                      struct plan *plan, struct failure *failure)
{
    struct contest contest;
    if (!contest_init(&contest, request, failure))
        return false;
    contest_visit(&contest, family->orders, visit_lineup, &family);
    return contest_finish(&contest, family->name, family->reason, plan, failure);
}
