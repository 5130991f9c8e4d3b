#include "planner/schedulers/search/period.h"

#include <math.h>

/* The load that takes `time_s` seconds. */
static double cost_inverse(struct cost cost, double time_s)
{
    return (time_s - cost.latency_s) / rate_of(cost);
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

double period_load(const struct ranked_worker *worker, double period_s, double greatest)
{
    return lesser(cost_inverse(worker->work, period_s), greatest);
}

double period_production(const struct ranking *ranking, double period_s, double *loads)
{
    const double least = ranking_least(ranking);
    const struct cost master = ranking_master(ranking);
    /* What master and port have left of the period, by (4.5) and (4.6). */
    double master_s = period_s, port_s = period_s, production = 0;
    int64_t i = 0;
    for (; i < ranking->count && master_s > 0 && port_s > 0; i++) {
        const struct ranked_worker *worker = &ranking->workers[i];
        const double full = period_load(worker, period_s, ranking->greatest);
        const struct cost port = ranking_port(ranking, i);
        const double fed = lesser(cost_inverse(master, master_s), cost_inverse(port, port_s));
        loads[i] = lesser(full, fed);
        if (loads[i] < least) {
            loads[i] = 0;
            if (ranking->equal)
                port_s = 0; /* it suffices for no other worker either */
            continue;
        }
        production += loads[i];
        master_s -= cost_of(master, loads[i]);
        port_s = loads[i] < full ? 0 : port_s - cost_of(port, loads[i]);
    }
    for (; i < ranking->count; i++)
        loads[i] = 0;
    return production;
}

/* A period in which every worker can have the window's greatest package. */
static double period_longest(const struct ranking *ranking)
{
    double work_s = 0, port_s = 0;
    for (int64_t i = 0; i < ranking->count; i++) {
        work_s = fmax(work_s, cost_of(ranking->workers[i].work, ranking->greatest));
        port_s += cost_of(ranking_port(ranking, i), ranking->greatest);
    }
    const double master_s =
        (double)ranking->count * cost_of(ranking_master(ranking), ranking->greatest);
    return fmax(work_s, fmax(master_s, port_s)) * (1 + 1e-9);
}

/* Finds a period that is long enough, beginning with one in which all workers are always busy;
 * *low_s is too short. False: none is long enough. */
static bool period_bracket(const struct ranking *ranking, double tasks, double *loads,
                           double *low_s, double *high_s)
{
    const double longest_s = period_longest(ranking);
    double speed = 0;
    for (int64_t i = 0; i < ranking->count; i++)
        speed += 1 / rate_of(ranking->workers[i].work);
    *low_s = 0;
    *high_s = fmin(tasks / speed, longest_s);
    while (period_production(ranking, *high_s, loads) < tasks) {
        if (*high_s >= longest_s)
            return false;
        *low_s = *high_s;
        *high_s = fmin(2 * *high_s, longest_s);
    }
    return true;
}

/* Production is piecewise linear in the period, and jumps where another worker gets its least
 * package: by false position (Illinois variant), with a bisection now and then. */
bool period_for_production(const struct ranking *ranking, double tasks, double *period_s,
                           double *loads)
{
    enum { STEPS = 120, MIDDLE_EVERY = 4 };
    double low_s, high_s;
    if (!period_bracket(ranking, tasks, loads, &low_s, &high_s))
        return false;
    double over = period_production(ranking, high_s, loads) - tasks, left = over;
    double under = period_production(ranking, low_s, loads) - tasks;
    for (int step = 1; step < STEPS && left > 1e-14 * tasks; step++) {
        const double share = step % MIDDLE_EVERY == 0 ? 0.5 : -under / (over - under);
        const double middle_s = low_s + share * (high_s - low_s);
        if (middle_s <= low_s || middle_s >= high_s)
            break;
        const double made = period_production(ranking, middle_s, loads) - tasks;
        if (made < 0) {
            low_s = middle_s;
            under = made;
            over /= 2; /* Illinois: halved, so that this end moves, too */
        } else {
            high_s = middle_s;
            over = left = made;
            under /= 2;
        }
    }
    *period_s = high_s;
    period_production(ranking, high_s, loads);
    return true;
}

bool period_for_perfect(const struct ranking *ranking, int64_t count, double tasks,
                        double *period_s, double *loads)
{
    double a = 0, b = 0, master_s = 0, port_s = 0;
    for (int64_t i = 0; i < count; i++) {
        a += 1 / rate_of(ranking->workers[i].work);
        b += ranking->workers[i].work.latency_s / rate_of(ranking->workers[i].work);
    }
    const double made_s = (tasks + b) / a;
    for (int64_t i = 0; i < count; i++) {
        loads[i] = cost_inverse(ranking->workers[i].work, made_s);
        if (loads[i] < ranking_least(ranking) || loads[i] > ranking->greatest)
            return false;
        master_s += cost_of(ranking_master(ranking), loads[i]);
        port_s += cost_of(ranking_port(ranking, i), loads[i]);
    }
    for (int64_t i = count; i < ranking->count; i++)
        loads[i] = 0;
    *period_s = made_s;
    return fmax(master_s, port_s) <= made_s * (1 + 1e-9);
}

/* Running sums over the first workers of the order. */
struct period_sums {
    double speed;         /* sum 1 / rw */
    double latency;       /* sum RW / rw */
    double feed_share;    /* A_i = sum h / rw */
    double feed_latency;  /* sum H */
    double feed_overhead; /* sum h RW / rw */
    double slowest_s;     /* max RW: a period must be longer */
};

static void sums_add(struct period_sums *sums, const struct ranked_worker *worker)
{
    const double rw = rate_of(worker->work);
    sums->speed += 1 / rw;
    sums->latency += worker->work.latency_s / rw;
    sums->feed_share += worker->feed.s_per_task / rw;
    sums->feed_latency += worker->feed.latency_s;
    sums->feed_overhead += worker->feed.s_per_task * worker->work.latency_s / rw;
    sums->slowest_s = fmax(sums->slowest_s, worker->work.latency_s);
}

/* The delay of the first package, per core task of worker 1: e + g_1, where a time does not count
 * twice if the master is the port. */
static struct cost first_delay(const struct ranking *ranking)
{
    return cost_sum(ranking->master, ranking->workers[0].link);
}

/* A family of periods: `full` workers, and perhaps a partial one, do a T - b core tasks in T. */
struct family {
    const struct ranking *ranking;
    double tasks;
    double a, b;
    double shortest_s, longest_s; /* T for which the family is valid */
    struct period period;         /* full and partial are set */
};

/* The best periods so far, sorted. */
struct shortlist {
    struct period *best;
    int count, most;
};

static void shortlist_add(struct shortlist *shortlist, const struct period *made)
{
    int place = shortlist->count < shortlist->most ? shortlist->count++ : shortlist->most;
    for (; place > 0 && made->makespan_s < shortlist->best[place - 1].makespan_s; place--)
        if (place < shortlist->most)
            shortlist->best[place] = shortlist->best[place - 1];
    if (place < shortlist->most)
        shortlist->best[place] = *made;
}

/* nu = X / (a T - b) at T = (1/a) sqrt(b rw_1 X / (rw_1 / 2 + e + g_1)) + b / a. */
static double stationary_rounds(const struct family *family)
{
    const double rw = rate_of(family->ranking->workers[0].work);
    const double weight = 0.5 * rw + first_delay(family->ranking).s_per_task;
    const double T =
        (sqrt(fmax(family->b, 0) * rw * family->tasks / weight) + family->b) / family->a;
    const double per_round =
        family->a * fmin(fmax(T, family->shortest_s), family->longest_s) - family->b;
    return per_round > 0 ? family->tasks / per_round : HUGE_VAL;
}

/* Tries the family with N rounds, if it is valid there. */
static void family_try(struct family *family, double rounds, struct shortlist *shortlist)
{
    struct period made = family->period;
    made.rounds = rounds;
    made.period_s = (family->tasks / rounds + family->b) / family->a;
    const double slack_s = 1e-9 * made.period_s;
    if (made.period_s < family->shortest_s - slack_s || made.period_s > family->longest_s + slack_s)
        return;
    const double first = cost_inverse(family->ranking->workers[0].work, made.period_s);
    made.makespan_s = (rounds + 0.5) * made.period_s + cost_of(first_delay(family->ranking), first);
    shortlist_add(shortlist, &made);
}

static void family_add(struct family *family, struct shortlist *shortlist)
{
    const struct ranking *ranking = family->ranking;
    const struct period *period = &family->period;
    if (!(family->a > 0) || !(family->shortest_s <= family->longest_s))
        return;
    const double packages = (double)(period->full + (period->partial ? 1 : 0));
    const double fewest = fmax(ceil(family->tasks / (packages * ranking->greatest)), 1);
    const double most = fmax(floor(family->tasks / (packages * ranking->least)), fewest);
    const double nu = stationary_rounds(family);
    const double low = fmin(fmax(floor(nu), fewest), most);
    family_try(family, low, shortlist);
    if (low < most && ceil(nu) > low)
        family_try(family, low + 1, shortlist);
}

/* Theorem 12: i full workers, worker i + 1 partial: 0 < Y_{i+1}, (r + w)(Y_{i+1}) <= T. */
static void partial_add(const struct ranking *ranking, double tasks, const struct period_sums *sums,
                        int64_t full, struct shortlist *shortlist)
{
    const struct ranked_worker *next = &ranking->workers[full];
    const double h = rate_of(next->feed), rw = rate_of(next->work);
    const double share = sums->feed_share, overhead = sums->feed_latency - sums->feed_overhead;
    struct family family = {.ranking = ranking,
                            .tasks = tasks,
                            .a = sums->speed + (1 - share) / h,
                            .b = sums->latency + (overhead + next->feed.latency_s) / h,
                            .shortest_s = sums->slowest_s,
                            .longest_s = HUGE_VAL,
                            .period = {.full = full, .partial = true}};
    /* Y_{i+1} > 0: (1 - share) T > overhead + H. */
    const double started_s = (overhead + next->feed.latency_s) / (1 - share);
    if (share < 1)
        family.shortest_s = fmax(family.shortest_s, started_s);
    else
        family.longest_s = fmin(family.longest_s, started_s);
    /* RW + rw ((1 - share) T - overhead - H) / h <= T, linear in T. */
    const double slope = rw * (1 - share) / h - 1;
    const double filled_s =
        (rw * (overhead + next->feed.latency_s) / h - next->work.latency_s) / slope;
    if (slope > 0)
        family.longest_s = fmin(family.longest_s, filled_s);
    else
        family.shortest_s = fmax(family.shortest_s, filled_s);
    family_add(&family, shortlist);
}

/* Theorem 13: the first `full` workers are always busy; T is not below T_i. */
static void full_add(const struct ranking *ranking, double tasks, const struct period_sums *sums,
                     int64_t full, struct shortlist *shortlist)
{
    const double overhead = sums->feed_latency - sums->feed_overhead;
    struct family family = {.ranking = ranking,
                            .tasks = tasks,
                            .a = sums->speed,
                            .b = sums->latency,
                            .shortest_s = sums->slowest_s,
                            .longest_s = HUGE_VAL,
                            .period = {.full = full}};
    if (sums->feed_share < 1)
        family.shortest_s = fmax(family.shortest_s, overhead / (1 - sums->feed_share));
    else if (sums->feed_share > 1)
        family.longest_s = fmax(overhead, 0) > 0 ? 0 : overhead / (1 - sums->feed_share);
    else if (overhead > 0)
        return; /* cannot be fed in any period (Theorem 5) */
    family_add(&family, shortlist);
}

int period_list(const struct ranking *ranking, double tasks, enum period_goal goal,
                struct period *best, int most)
{
    struct shortlist shortlist = {best, 0, most};
    struct period_sums sums = {0};
    for (int64_t i = 0; i < ranking->count; i++) {
        if (goal != PERIOD_UTILIZATION)
            partial_add(ranking, tasks, &sums, i, &shortlist);
        sums_add(&sums, &ranking->workers[i]);
        if (goal == PERIOD_UTILIZATION || i == ranking->count - 1)
            full_add(ranking, tasks, &sums, i + 1, &shortlist);
    }
    return shortlist.count;
}
