#include "planner/schedulers/contest.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A second or so of rehearsals; candidates come in order of promise. */
enum { EFFORT_MOST = 6000000 };

bool contest_init(struct contest *contest, const struct schedule_request *request,
                  struct failure *failure)
{
    struct rehearsal *rehearsal = rehearsal_new(request->platform);
    if (rehearsal == NULL)
        return failure_memory(failure, "planning");
    *contest = (struct contest){
        .request = request, .rehearsal = rehearsal, .best_s = HUGE_VAL, .effort_most = EFFORT_MOST};
    return true;
}

void contest_release(struct contest *contest)
{
    rehearsal_free(&contest->rehearsal);
    plan_release(&contest->best);
}

void candidate_open(struct contest *contest, struct plan *candidate, const struct lineup *lineup,
                    int64_t count)
{
    *candidate = (struct plan){.tasks = contest->request->tasks,
                               .real_valued = contest->request->real_valued,
                               .worker_count = count};
    candidate->workers = malloc((size_t)count * sizeof *candidate->workers);
    if (candidate->workers == NULL) {
        contest->starved = true;
        return;
    }
    for (int64_t i = 0; i < count; i++)
        candidate->workers[i] = lineup->workers[i].id;
}

double loads_sum(const double *loads, int64_t count)
{
    double sum = 0;
    for (int64_t i = 0; i < count; i++)
        sum += loads[i];
    return sum;
}

/* Room for one more: doubled whenever the count is a power of two. */
static struct plan_round *rounds_grow(struct plan *candidate)
{
    const size_t count = candidate->round_count;
    if ((count & (count - 1)) != 0)
        return candidate->rounds;
    struct plan_round *rounds =
        realloc(candidate->rounds, (count == 0 ? 1 : 2 * count) * sizeof *rounds);
    if (rounds != NULL)
        candidate->rounds = rounds;
    return rounds;
}

void candidate_round(struct contest *contest, struct plan *candidate, int64_t repeat,
                     const double *loads)
{
    const int64_t count = candidate->worker_count;
    if (contest->starved || repeat < 1 || !(loads_sum(loads, count) > 0))
        return;
    double *copy = malloc((size_t)count * sizeof *copy);
    struct plan_round *rounds = rounds_grow(candidate);
    if (copy == NULL || rounds == NULL) {
        free(copy);
        contest->starved = true;
        return;
    }
    memcpy(copy, loads, (size_t)count * sizeof *copy);
    rounds[candidate->round_count++] = (struct plan_round){.repeat = repeat, .loads = copy};
}

static bool candidate_complete(const struct plan *candidate)
{
    double sum = 0;
    for (size_t r = 0; r < candidate->round_count; r++)
        sum += (double)candidate->rounds[r].repeat *
               loads_sum(candidate->rounds[r].loads, candidate->worker_count);
    return fabs(sum - candidate->tasks) <= (candidate->real_valued ? 1e-6 * candidate->tasks : 0);
}

void contest_grant(struct contest *contest, double share)
{
    contest->effort_most =
        rehearsal_effort(contest->rehearsal) + (int64_t)(share * (double)EFFORT_MOST);
}

static int orders_count(unsigned orders)
{
    int count = 0;
    for (; orders != 0; orders &= orders - 1)
        count++;
    return count;
}

void contest_visit(struct contest *contest, unsigned orders,
                   bool (*visit)(struct contest *contest, struct lineup *lineup, void *context),
                   void *context)
{
    const struct platform *platform = contest->request->platform;
    for (int64_t w = 0; w < platform->window_count; w++) {
        bool enough = false;
        for (int order = 0; order < LINEUP_ORDERS && !enough && !contest->starved; order++) {
            struct lineup lineup;
            if ((orders >> order & 1u) == 0)
                continue;
            if (!lineup_init(&lineup, platform, &platform->windows[w],
                             contest->request->real_valued, (enum lineup_order)order)) {
                contest->starved = true;
                return;
            }
            const bool equal = lineup.equal; /* `visit` may average the lineup */
            contest_grant(
                contest, 1 / (double)(platform->window_count * (equal ? 1 : orders_count(orders))));
            enough = visit(contest, &lineup, context) || equal;
            lineup_release(&lineup);
        }
    }
}

bool contest_over(const struct contest *contest)
{
    return contest->starved || rehearsal_effort(contest->rehearsal) >= contest->effort_most;
}

bool contest_offer(struct contest *contest, struct plan *candidate)
{
    bool leads = false;
    const bool complete = contest->starved || candidate_complete(candidate);
    assert(complete); /* and in a release, rather no plan than one that leaves tasks out */
    if (complete && !contest->starved && (contest->best_s == HUGE_VAL || !contest_over(contest))) {
        const double makespan_s = rehearsal_play(contest->rehearsal, candidate, NULL);
        /* Not by rounding noise: which of two equal plans wins must not depend on it. */
        leads = makespan_s < contest->best_s * (1 - 1e-12) ||
                (contest->best_s == HUGE_VAL && makespan_s < HUGE_VAL);
        if (leads) {
            const struct plan loser = contest->best;
            contest->best = *candidate;
            *candidate = loser;
            contest->best_s = makespan_s;
        }
    }
    plan_release(candidate);
    *candidate = (struct plan){.kernel = NULL};
    return leads;
}

/* Leave out the workers that never get a package. */
static void plan_shrink(struct plan *plan)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < plan->worker_count; i++) {
        bool used = false;
        for (size_t r = 0; r < plan->round_count && !used; r++)
            used = plan->rounds[r].loads[i] > 0;
        if (!used)
            continue;
        plan->workers[kept] = plan->workers[i];
        for (size_t r = 0; r < plan->round_count; r++)
            plan->rounds[r].loads[kept] = plan->rounds[r].loads[i];
        kept++;
    }
    plan->worker_count = kept;
}

bool contest_finish(struct contest *contest, const char *name, const char *reason,
                    struct plan *plan, struct failure *failure)
{
    bool good = false;
    struct plan *best = &contest->best;
    if (contest->starved) {
        failure_memory(failure, "planning");
        goto out;
    }
    if (contest->best_s == HUGE_VAL) {
        failure_set(failure, FAILURE_INFEASIBLE, "%s does not apply: %s", name, reason);
        goto out;
    }
    plan_shrink(best);
    best->scheduler = strdup(name);
    if (best->scheduler == NULL) {
        failure_memory(failure, "planning");
        goto out;
    }
    if (!schedule_predict(contest->request->platform, best, failure))
        goto out;
    *plan = *best;
    *best = (struct plan){.kernel = NULL};
    good = true;
out:
    contest_release(contest);
    return good;
}
