#include "planner/schedulers/polish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plan at work: every round stands alone, with an empty one before and after, so that packages
 * can also be split and moved to where there was none. */
struct bench {
    struct contest *contest;
    struct plan plan;
    double *ends; /* owned, scratch */
    double best_s;
};

enum { PACKAGES_MOST = 2000, SWAP_WORKERS_MOST = 24 };

static void round_append(struct bench *bench, const double *loads)
{
    struct plan *plan = &bench->plan;
    double *copy = malloc((size_t)plan->worker_count * sizeof *copy);
    if (copy == NULL) {
        bench->contest->starved = true;
        return;
    }
    memcpy(copy, loads, (size_t)plan->worker_count * sizeof *copy);
    plan->rounds[plan->round_count++] = (struct plan_round){.repeat = 1, .loads = copy};
}

/* False where the plan is too large, or memory ended. */
static bool bench_open(struct bench *bench, struct contest *contest)
{
    const struct plan *best = &contest->best;
    const double rounds = (double)plan_rounds_total(best);
    if (rounds * (double)best->worker_count > PACKAGES_MOST)
        return false;
    const size_t places = (size_t)best->worker_count;
    *bench = (struct bench){.contest = contest, .plan = *best, .best_s = contest->best_s};
    bench->plan.round_count = 0;
    bench->plan.rounds = malloc(((size_t)rounds + 2) * sizeof *bench->plan.rounds);
    bench->plan.workers = malloc(places * sizeof *bench->plan.workers);
    bench->ends = calloc(places, sizeof *bench->ends);
    if (bench->plan.rounds == NULL || bench->plan.workers == NULL || bench->ends == NULL) {
        contest->starved = true;
        return false;
    }
    memcpy(bench->plan.workers, best->workers, places * sizeof *best->workers);
    round_append(bench, bench->ends);
    for (size_t r = 0; r < best->round_count; r++)
        for (int64_t k = 0; k < best->rounds[r].repeat; k++)
            round_append(bench, best->rounds[r].loads);
    round_append(bench, bench->ends);
    return !contest->starved;
}

/* Whether the plan as it stands is better; then it stays so. */
static bool bench_better(struct bench *bench)
{
    if (contest_over(bench->contest))
        return false;
    const double made_s = rehearsal_play(bench->contest->rehearsal, &bench->plan, NULL);
    if (!(made_s < bench->best_s * (1 - 1e-12)))
        return false;
    bench->best_s = made_s;
    return true;
}

/* Move `tasks` from one package to another; undone where it does not help. */
static bool move_try(struct bench *bench, double *from, double *to, double tasks)
{
    if (*from < tasks || from == to)
        return false;
    const double before_from = *from, before_to = *to;
    *from -= tasks;
    *to += tasks;
    if (bench_better(bench))
        return true;
    *from = before_from;
    *to = before_to;
    return false;
}

/* All ways of taking load off one package, whole, half, or one task. */
static bool package_relieve(struct bench *bench, double *from)
{
    bool moved = false;
    for (size_t r = 0; r < bench->plan.round_count; r++)
        for (int64_t k = 0; k < bench->plan.worker_count; k++) {
            double *to = &bench->plan.rounds[r].loads[k];
            moved = move_try(bench, from, to, 1) || moved;
            moved = (*from >= 4 && move_try(bench, from, to, floor(*from / 2))) || moved;
            moved = (*from >= 2 && move_try(bench, from, to, *from)) || moved;
            if (contest_over(bench->contest))
                return moved;
        }
    return moved;
}

/* The place that ends last decides; relieve its packages, then those before it in the queue. */
static bool pass_moves(struct bench *bench)
{
    struct plan *plan = &bench->plan;
    int64_t last = 0;
    bool moved = false;
    rehearsal_play(bench->contest->rehearsal, plan, bench->ends);
    for (int64_t k = 1; k < plan->worker_count; k++)
        if (bench->ends[k] > bench->ends[last])
            last = k;
    for (int64_t step = 0; step < plan->worker_count && !moved; step++) {
        const int64_t place = (last + plan->worker_count - step) % plan->worker_count;
        for (size_t r = 0; r < plan->round_count; r++)
            if (plan->rounds[r].loads[place] > 0)
                moved = package_relieve(bench, &plan->rounds[r].loads[place]) || moved;
    }
    return moved;
}

/* Another worker in the same place of the order: its packages stay where they are. */
static bool pass_swaps(struct bench *bench)
{
    int64_t *workers = bench->plan.workers;
    bool moved = false;
    if (bench->plan.worker_count > SWAP_WORKERS_MOST)
        return false;
    for (int64_t a = 0; a < bench->plan.worker_count; a++)
        for (int64_t b = a + 1; b < bench->plan.worker_count; b++) {
            const int64_t first = workers[a];
            workers[a] = workers[b];
            workers[b] = first;
            if (bench_better(bench)) {
                moved = true;
                continue;
            }
            workers[b] = workers[a];
            workers[a] = first;
        }
    return moved;
}

static void rounds_prune(struct plan *plan)
{
    size_t kept = 0;
    for (size_t r = 0; r < plan->round_count; r++)
        if (loads_sum(plan->rounds[r].loads, plan->worker_count) > 0)
            plan->rounds[kept++] = plan->rounds[r];
        else
            free(plan->rounds[r].loads);
    plan->round_count = kept;
}

void contest_polish(struct contest *contest)
{
    struct bench bench = {.contest = contest};
    if (contest->starved || contest->best.worker_count == 0 || contest->best.real_valued)
        return;
    if (bench_open(&bench, contest)) {
        bool moved = true;
        while (moved && !contest_over(contest)) {
            moved = pass_moves(&bench);
            moved = pass_swaps(&bench) || moved;
        }
        rounds_prune(&bench.plan);
        if (bench.best_s < contest->best_s) {
            contest->effort_most += plan_packages(&bench.plan) + 1; /* one last rehearsal */
            contest_offer(contest, &bench.plan);
        }
    }
    plan_release(&bench.plan);
    free(bench.ends);
}
