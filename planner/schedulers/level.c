#include "planner/schedulers/level.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/discretise.h"

/* The last package of one place, where it lies in the window at hand. */
struct tail {
    int64_t place;
    size_t round; /* in which entry of the plan's rounds */
    double load;
    double s_per_task; /* of the worker's work */
    double end_s;
};

/* The work rate of a worker for packages of that size. */
static double work_rate(const struct platform *platform, int64_t worker, double load)
{
    const struct platform_window *window = platform_find(platform, load);
    if (window == NULL)
        return rate_of((struct cost){0, 0});
    const struct platform_class *class = platform_worker(window, worker);
    return rate_of(platform_class_work(class));
}

/* A copy of the leader in which the last round of every repetition stands alone, so that it can
 * differ from the others. */
static void leader_copy(struct contest *contest, const struct lineup *lineup, struct plan *copy)
{
    const struct plan *best = &contest->best;
    candidate_open(contest, copy, lineup, best->worker_count);
    if (contest->starved)
        return;
    memcpy(copy->workers, best->workers, (size_t)best->worker_count * sizeof *best->workers);
    for (size_t r = 0; r < best->round_count; r++) {
        candidate_round(contest, copy, best->rounds[r].repeat - 1, best->rounds[r].loads);
        candidate_round(contest, copy, 1, best->rounds[r].loads);
    }
}

/* The entry of the place's last package; its load is 0 where there is none. */
static struct tail tail_find(const struct plan *plan, int64_t place)
{
    struct tail tail = {.place = place};
    for (size_t r = plan->round_count; r-- > 0 && !(tail.load > 0);) {
        tail.round = r;
        tail.load = plan->rounds[r].loads[place];
    }
    return tail;
}

/* All tails, and when they end; their number. */
static int64_t tails_find(struct contest *contest, const struct lineup *lineup,
                          const struct plan *plan, struct tail *tails, double *ends)
{
    int64_t count = 0;
    rehearsal_play(contest->rehearsal, plan, ends);
    for (int64_t k = 0; k < plan->worker_count; k++) {
        struct tail tail = tail_find(plan, k);
        if (tail.load < lineup_least(lineup) || tail.load > lineup->greatest)
            continue;
        tail.s_per_task = work_rate(contest->request->platform, plan->workers[k], tail.load);
        tail.end_s = ends[k];
        tails[count++] = tail;
    }
    return count;
}

/* The loads that would make all end together; their sum, which stays the same. */
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

/* One levelled copy of the leader; whether it leads now. */
static bool level_step(struct contest *contest, const struct lineup *lineup)
{
    const int64_t places = contest->best.worker_count;
    struct tail *tails = malloc((size_t)places * sizeof *tails);
    double *wanted = malloc((size_t)places * sizeof *wanted);
    struct plan copy = {.kernel = NULL};
    bool leads = false;
    if (tails == NULL || wanted == NULL)
        contest->starved = true;
    else
        leader_copy(contest, lineup, &copy);
    if (contest->starved)
        goto out;
    const int64_t count = tails_find(contest, lineup, &copy, tails, wanted);
    if (count < 2 ||
        !discretise(lineup, wanted, count, tails_wanted(tails, count, wanted), &contest->starved))
        goto out;
    for (int64_t k = 0; k < count; k++)
        copy.rounds[tails[k].round].loads[tails[k].place] = wanted[k];
    leads = contest_offer(contest, &copy);
out:
    plan_release(&copy);
    free(tails);
    free(wanted);
    return leads;
}

void contest_level(struct contest *contest, const struct lineup *lineup)
{
    enum { STEPS = 8 };
    for (int step = 0; step < STEPS && contest->best_s < HUGE_VAL && !contest_over(contest); step++)
        if (!level_step(contest, lineup))
            return;
}
