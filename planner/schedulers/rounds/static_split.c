/* Static scheduling (SC): one package per worker, proportional to its speed 1 / (r + w): the
 * simplest schedule, to compare others with. */
#include <stdlib.h>

#include "planner/schedulers/rounds/rounds_schedulers.h"
#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/search.h"

/* Wants loads that are proportional to speeds. */
static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    const double tasks = search->request->tasks;
    double *loads = malloc((size_t)ranking->count * sizeof *loads), speed = 0;
    struct plan candidate;
    (void)context;
    if (loads == NULL) {
        search->out_of_memory = true;
        return true;
    }
    for (int64_t i = 0; i < ranking->count; i++)
        speed += loads[i] = 1 / rate_of(ranking->workers[i].work);
    for (int64_t i = 0; i < ranking->count; i++)
        loads[i] *= tasks / speed;
    if (discretise(ranking, loads, ranking->count, tasks, &search->out_of_memory)) {
        candidate_open(search, &candidate, ranking, ranking->count);
        candidate_round(search, &candidate, 1, loads);
        search_offer(search, &candidate);
    }
    free(loads);
    return true;
}

bool static_split_make(const struct schedule_request *request, struct plan *plan,
                       struct failure *failure)
{
    struct search search;
    if (!search_init(&search, request, failure))
        return false;
    search_visit(&search, 1u << RANKING_BY_WORK, visit_ranking, NULL);
    return search_finish(&search, "one package per worker does not fit the profile's windows", plan,
                         failure);
}
