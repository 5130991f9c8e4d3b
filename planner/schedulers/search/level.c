#include "planner/schedulers/search/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/search/discretise.h"

/* The last package of one slot, if it lies in the present window. */
struct tail {
    int64_t place;
    size_t round; /* the entry of the plan's rounds */
    double load;
    double s_per_task; /* by how much another core task delays the worker's end */
    double end_s;
};

/* By how much one core task more in a last package of that size delays the worker's end. */
static double end_rate(const struct platform *platform, int64_t worker, double load)
{
    const struct platform_window *window = platform_find(platform, load);
    if (window == NULL)
        return rate_of((struct cost){0, 0});
    const struct platform_class *class = platform_worker(window, worker);
    return rate_of(platform_class_whole(class));
}

/* A copy of the incumbent in which the last round of every repetition is an entry of its own, so
 * that it can differ from the others. */
static void incumbent_copy(struct search *search, const struct ranking *ranking, struct plan *copy)
{
    const struct plan *best = &search->best;
    candidate_open(search, copy, ranking, best->worker_count);
    if (search->out_of_memory)
        return;
    memcpy(copy->workers, best->workers, (size_t)best->worker_count * sizeof *best->workers);
    for (size_t r = 0; r < best->round_count; r++) {
        candidate_round(search, copy, best->rounds[r].repeat - 1, best->rounds[r].loads);
        candidate_round(search, copy, 1, best->rounds[r].loads);
    }
}

/* Finds the slot's last package; its load is 0 where there is none. */
static struct tail tail_find(const struct plan *plan, int64_t place)
{
    struct tail tail = {.place = place};
    for (size_t r = plan->round_count; r-- > 0 && !(tail.load > 0);) {
        tail.round = r;
        tail.load = plan->rounds[r].loads[place];
    }
    return tail;
}

/* Finds all last packages, and when they end; returns how many there are. */
static int64_t tails_find(struct search *search, const struct ranking *ranking,
                          const struct plan *plan, struct tail *tails, double *ends)
{
    int64_t count = 0;
    search_evaluate(search, plan, ends);
    for (int64_t k = 0; k < plan->worker_count; k++) {
        struct tail tail = tail_find(plan, k);
        if (tail.load < ranking_least(ranking) || tail.load > ranking->greatest)
            continue;
        tail.s_per_task = end_rate(search->request->platform, plan->workers[k], tail.load);
        tail.end_s = ends[k];
        tails[count++] = tail;
    }
    return count;
}

/* Computes the loads with which all would end together; returns their sum, which does not
 * change. */
static double tails_wanted(const struct tail *tails, int64_t count, double *wanted)
{
    double speed = 0, weighted = 0, total = 0;
    for (int64_t k = 0; k < count; k++) {
        speed += 1 / tails[k].s_per_task;
        weighted += tails[k].end_s / tails[k].s_per_task;
        total += tails[k].load;
    }
    const double end_s = weighted / speed;
    for (int64_t k = 0; k < count; k++)
        wanted[k] = fmax(tails[k].load + (end_s - tails[k].end_s) / tails[k].s_per_task, 0);
    return total;
}

/* Levels a copy of the incumbent; true: it becomes the incumbent. */
static bool level_step(struct search *search, const struct ranking *ranking)
{
    const int64_t places = search->best.worker_count;
    struct tail *tails = malloc((size_t)places * sizeof *tails);
    double *wanted = malloc((size_t)places * sizeof *wanted);
    struct plan copy = {.kernel = NULL};
    bool accepted = false;
    if (tails == NULL || wanted == NULL)
        search->out_of_memory = true;
    else
        incumbent_copy(search, ranking, &copy);
    if (search->out_of_memory)
        goto out;
    const int64_t count = tails_find(search, ranking, &copy, tails, wanted);
    if (count < 2 || !discretise(ranking, wanted, count, tails_wanted(tails, count, wanted),
                                 &search->out_of_memory))
        goto out;
    for (int64_t k = 0; k < count; k++)
        copy.rounds[tails[k].round].loads[tails[k].place] = wanted[k];
    accepted = search_offer(search, &copy);
out:
    plan_release(&copy);
    free(tails);
    free(wanted);
    return accepted;
}

void search_level(struct search *search, const struct ranking *ranking)
{
    enum { STEPS = 8 };
    for (int step = 0; step < STEPS && search->best_s < HUGE_VAL && !search_exhausted(search);
         step++)
        if (!level_step(search, ranking))
            return;
}
