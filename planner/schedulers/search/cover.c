#include "planner/schedulers/search/cover.h"

#include <math.h>
#include <stdlib.h>

#include "planner/schedulers/search/local_search.h"

enum { PACKAGES_MOST = 4096 };

/* How many packages there are in each window, from the last window, which has the largest packages,
 * downwards. */
struct cover {
    const struct platform *platform;
    int64_t *counts; /* owned, per window */
    int64_t packages;
    int64_t steps; /* tried so far: the search is limited */
};

/* Choose the counts of windows 0..last so that their packages can hold between `low` and `high`
 * tasks; as many of the large ones as possible. */
static bool cover_choose(struct cover *cover, int64_t last, double low, double high)
{
    enum { STEPS_MOST = 100000 };
    if (low <= 0 && high >= 0) {
        for (int64_t w = 0; w <= last; w++)
            cover->counts[w] = 0;
        return true;
    }
    if (last < 0 || high < 0)
        return false;
    const struct platform_window *window = &cover->platform->windows[last];
    const double most = fmin(floor(high / (double)window->least), PACKAGES_MOST);
    for (int64_t count = (int64_t)most; count >= 0 && cover->steps < STEPS_MOST; count--) {
        cover->steps++;
        cover->counts[last] = count;
        if (cover_choose(cover, last - 1, low - (double)count * (double)window->greatest,
                         high - (double)count * (double)window->least))
            return true;
    }
    return false;
}

/* The loads of the packages, those of the largest window first; each gets what is left after the
 * least loads of the others. NULL: out of memory. */
static double *cover_loads(struct cover *cover, double tasks)
{
    double least = 0;
    for (int64_t w = 0; w < cover->platform->window_count; w++) {
        cover->packages += cover->counts[w];
        least += (double)cover->counts[w] * (double)cover->platform->windows[w].least;
    }
    double *loads = calloc((size_t)cover->packages + 1, sizeof *loads), more = tasks - least;
    int64_t at = 0;
    for (int64_t w = cover->platform->window_count - 1; w >= 0 && loads != NULL; w--) {
        const struct platform_window *window = &cover->platform->windows[w];
        for (int64_t k = 0; k < cover->counts[w]; k++) {
            const double added = fmin(more, (double)(window->greatest - window->least));
            loads[at++] = (double)window->least + added;
            more -= added;
        }
    }
    return loads;
}

/* Assigns the packages in rounds. */
static void cover_offer(struct search *search, const struct ranking *ranking, const double *loads,
                        int64_t packages)
{
    struct plan candidate;
    double *round = calloc((size_t)ranking->count, sizeof *round);
    if (round == NULL) {
        search->out_of_memory = true;
        return;
    }
    candidate_open(search, &candidate, ranking, ranking->count);
    for (int64_t at = 0; at < packages; at += ranking->count) {
        for (int64_t i = 0; i < ranking->count; i++)
            round[i] = at + i < packages ? loads[at + i] : 0;
        candidate_round(search, &candidate, 1, round);
    }
    search_offer(search, &candidate);
    free(round);
}

void search_cover(struct search *search)
{
    const struct schedule_request *request = search->request;
    const struct platform *platform = request->platform;
    struct cover cover = {.platform = platform};
    struct ranking ranking = {.workers = NULL};
    double *loads = NULL;
    if (search->out_of_memory || search->best_s < HUGE_VAL)
        return;
    cover.counts = calloc((size_t)platform->window_count, sizeof *cover.counts);
    if (cover.counts == NULL || !ranking_init(&ranking, platform, &platform->windows[0],
                                              request->real_valued, RANKING_BY_WORK)) {
        search->out_of_memory = true;
        goto out;
    }
    if (!cover_choose(&cover, platform->window_count - 1, request->tasks, request->tasks))
        goto out;
    loads = cover_loads(&cover, request->tasks);
    if (loads == NULL)
        search->out_of_memory = true;
    else
        cover_offer(search, &ranking, loads, cover.packages);
    search_improve(search);
out:
    free(loads);
    free(cover.counts);
    ranking_release(&ranking);
}
