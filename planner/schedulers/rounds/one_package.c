#include "planner/schedulers/rounds/one_package.h"

#include <stdlib.h>

#include "planner/schedulers/search/discretise.h"
#include "planner/schedulers/search/search.h"

struct sizing {
    one_package_loads *loads;
};

static bool visit_ranking(struct search *search, struct ranking *ranking, void *context)
{
    const struct sizing *sizing = context;
    const double tasks = search->request->tasks;
    double *loads = malloc((size_t)ranking->count * sizeof *loads);
    struct plan candidate;
    if (loads == NULL) {
        search->out_of_memory = true;
        return true;
    }
    sizing->loads(ranking, tasks, loads);
    if (discretise(ranking, loads, ranking->count, tasks, &search->out_of_memory)) {
        candidate_open(search, &candidate, ranking, ranking->count);
        candidate_round(search, &candidate, 1, loads);
        search_offer(search, &candidate);
    }
    free(loads);
    return true;
}

bool one_package_make(const struct schedule_request *request, one_package_loads *loads,
                      struct plan *plan, struct failure *failure)
{
    struct sizing sizing = {loads};
    struct search search;
    if (!search_init(&search, request, failure))
        return false;
    search_visit(&search, 1u << RANKING_BY_WORK, visit_ranking, &sizing);
    return search_finish(&search, "one package per worker does not fit the profile's windows", plan,
                         failure);
}
