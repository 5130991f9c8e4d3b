/*
 * Suppose a schedule of X tasks ends by T. Let the port's time cost lambda(t) >= 0 tasks a second
 * and the master's mu(t) >= 0, neither rising with t. Port and master do one package at a time, so
 *
 *   X <= integral of lambda + integral of mu + sum over workers of (its tasks - what they cost it),
 *
 * the integrals over the time in which each can be of use: the port from M', when the first package
 * has passed the master, to T - A', the master to T - K' - A' (M', K', A' the least costs of one
 * package of master, link and worker, as in bound.c). An upper bound on what each worker can make
 * of the prices bounds X; where it is less than X, no schedule ends by T. Every choice of prices
 * gives a valid bound, so they are searched for without proof.
 *
 * One worker, with costs at least L + l x (link), M + m x (master), A + a x (work): let its n
 * packages hold x_1 .. x_n tasks and be begun at S_1 < .. < S_n. Later is cheaper, so at best it
 * works without a gap until T, and each package arrives just when it is begun: with y_k = T - S_k,
 * y_{n+1} = 0 and u_k = y_k - y_{k+1} = A + a x_k, package k holds the port for the v = L + l x_k
 * seconds before S_k and the master for M + m x_k seconds before that. That packages of one worker
 * might overlap is allowed, and that other workers are in the way. With lambda = p + s (T - t) an
 * interval of v seconds before S costs p v + s (y v + v^2 / 2), so what the worker pays less what
 * it gets is quadratic in the y_k, and convex. Its stationary points have equal second differences,
 *
 *   y_{k-1} - 2 y_k + y_{k+1} = c = (sum s V) / (sum s (nu + nu^2)), v = V + nu u,
 *
 * summed over the intervals charged (the master's is the one before S up to the port's end less the
 * port's). What is left to choose is y_1, or, where the first package could not have been there so
 * early, y_2 with T - y_1 = (L + M) + (l + m) x_1. Both are parabolas. All n are compared, but
 * packages that would hold less than nothing are not among them.
 *
 * From some n on, more packages cannot be better. With X = x_1 + .. + x_n <= (T - n A) / a, port
 * and master at p + s (T - t) and p' + s' (T - t), every package is begun at least so long before T
 * as it and those after it work, y_k >= a (x_k + .. + x_n), so that sum x_k y_k >= a X^2 / 2. Hence
 * n packages cost, less what they get, at least
 *
 *   n (p L + p' M) - (1 - p l - p' m) X + (s l + s' m) a X^2 / 2,
 *
 * and the least of this over X grows with n.
 *
 * A worker that starts until s begins nothing before: y_1 <= T - s, so that its first package holds
 * x_1 <= (T - s - A) / a, and T - s + (L + M) + (l + m) x_1 takes the place of T for it, where that
 * is less: the first package is bound as if it could be sent no earlier than it is needed then.
 *
 * Where results are written behind, T is less Z throughout (beside_least in bound_lines.h).
 */
#include "planner/schedulers/bounds/bound_priced.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/schedulers/bounds/bound_lines.h"

/* sign * (price v + slope (y v + v^2 / 2)) for an interval of v = fixed_s + per_s * u seconds. */
struct charge {
    double sign, price, slope, fixed_s, per_s;
};

enum { CHARGES = 3, PACKAGES_MOST = 500 };

struct choice {
    struct charge charges[CHARGES];
    int charge_count;
    struct cost master, link, work;
    double makespan_s;
    double second_s; /* c: the second difference of the y_k */
};

/* The best choice so far; a worker without packages costs 0. */
struct chosen {
    double cost;
    int64_t packages;
    double first_s;      /* y_1 */
    double rest_first_s; /* y of the last package, from which the other y follow */
    int64_t tried;       /* how many numbers of packages were tried */
};

static double work_rate(const struct choice *choice)
{
    return choice->work.s_per_task;
}

static struct charge charge_make(double sign, double price, double slope, struct cost held,
                                 struct cost work)
{
    const double per_s = held.s_per_task / work.s_per_task;
    return (struct charge){sign, price, slope, held.latency_s - per_s * work.latency_s, per_s};
}

static struct choice choice_make(struct cost master, struct cost link, struct cost work,
                                 double makespan_s, const struct prices *prices)
{
    struct choice choice = {.master = master, .link = link, .work = work, .makespan_s = makespan_s};
    double curve = 0, push_s = 0;
    choice.charges[choice.charge_count++] =
        charge_make(1, prices->port, prices->port_slope, link, work);
    if (prices->master > 0 || prices->master_slope > 0) {
        const struct cost both = cost_sum(master, link);
        choice.charges[choice.charge_count++] =
            charge_make(1, prices->master, prices->master_slope, both, work);
        choice.charges[choice.charge_count++] =
            charge_make(-1, prices->master, prices->master_slope, link, work);
    }
    for (int k = 0; k < choice.charge_count; k++) {
        const struct charge *charge = &choice.charges[k];
        curve += charge->sign * charge->slope * (charge->per_s + charge->per_s * charge->per_s);
        push_s += charge->sign * charge->slope * charge->fixed_s;
    }
    choice.second_s = curve > 0 ? push_s / curve : 0;
    return choice;
}

/* The charges of the last `count` packages, of which the very last one has y = last_s, without what
 * these packages earn. Sums over y_j = last j + c j (j - 1) / 2 and u_j = last + c (j - 1), in
 * closed form. */
static double tail_charges(const struct choice *choice, double count, double last_s)
{
    const double c = choice->second_s;
    const double ends = count * last_s + c * count * (count - 1) / 2;
    const double squares = count * last_s * last_s + last_s * c * count * (count - 1) +
                           c * c * (count - 1) * count * (2 * count - 1) / 6;
    const double sum = last_s * count * (count + 1) / 2 + c * (count - 1) * count * (count + 1) / 6;
    double cost = 0;
    for (int k = 0; k < choice->charge_count; k++) {
        const struct charge *charge = &choice->charges[k];
        const double V = charge->fixed_s, nu = charge->per_s;
        const double lengths = count * V + nu * ends;
        const double products = V * sum + nu * (ends * ends + squares) / 2;
        const double powers = count * V * V + 2 * V * nu * ends + nu * nu * squares;
        cost += charge->sign * (charge->price * lengths + charge->slope * (products + powers / 2));
    }
    return cost;
}

/* The charge of one package that is begun `to_go_s` before T and is computed for `held_s`. */
static double one_charge(const struct choice *choice, double to_go_s, double held_s)
{
    double cost = 0;
    for (int k = 0; k < choice->charge_count; k++) {
        const struct charge *charge = &choice->charges[k];
        const double v = charge->fixed_s + charge->per_s * held_s;
        cost += charge->sign * (charge->price * v + charge->slope * (to_go_s * v + v * v / 2));
    }
    return cost;
}

static double tail_first(const struct choice *choice, double count, double last_s)
{
    return count * last_s + choice->second_s * count * (count - 1) / 2;
}

/* Cost less tasks of n packages without a limit on the first, by the very last one's y. */
static double free_cost(const struct choice *choice, double n, double last_s)
{
    const double tasks =
        (tail_first(choice, n, last_s) - n * choice->work.latency_s) / work_rate(choice);
    return tail_charges(choice, n, last_s) - tasks;
}

/* y_1 where the first package arrives as early as it can, y_2 given. */
static double early_first(const struct choice *choice, double second_s)
{
    const struct cost both = cost_sum(choice->master, choice->link);
    const double per_s = both.s_per_task / work_rate(choice);
    const double fixed_s = both.latency_s - per_s * choice->work.latency_s;
    return (choice->makespan_s - fixed_s + per_s * second_s) / (1 + per_s);
}

static double early_cost(const struct choice *choice, double n, double last_s)
{
    const double second_s = tail_first(choice, n - 1, last_s);
    const double first_s = early_first(choice, second_s);
    const double tasks = (first_s - n * choice->work.latency_s) / work_rate(choice);
    return tail_charges(choice, n - 1, last_s) + one_charge(choice, first_s, first_s - second_s) -
           tasks;
}

/* Where a parabola is least; a straight line, far beyond `high_s` or at `low_s`. */
static double parabola_least(double (*cost)(const struct choice *, double, double),
                             const struct choice *choice, double n, double low_s, double high_s)
{
    const double half_s = (high_s - low_s) / 2;
    const double low = cost(choice, n, low_s), middle = cost(choice, n, low_s + half_s),
                 high = cost(choice, n, high_s);
    const double curve = low - 2 * middle + high, slope = (high - low) / 2;
    if (!(curve > 1e-12 * (fabs(low) + fabs(high))))
        return slope < 0 ? 4 * high_s : low_s; /* a straight line */
    return low_s + half_s * (1 - slope / curve);
}

static void chosen_take(struct chosen *chosen, double cost, int64_t packages, double first_s,
                        double last_s)
{
    if (cost < chosen->cost)
        *chosen = (struct chosen){cost, packages, first_s, last_s, chosen->tried};
}

/* Whether, of `count` packages, the very last one would hold less than nothing, but the first of
 * them would not. Then, for the costs are convex, the best there is with so many has one that holds
 * nothing and is not the first, and with that one left out it costs less. */
static bool tail_excluded(const struct choice *choice, double count, double last_s)
{
    const double A = choice->work.latency_s;
    return last_s < A && last_s + choice->second_s * (count - 1) >= A;
}

/* n packages whose first arrives as early as it can. Where it would hold less than nothing, it
 * holds nothing: what follows might not arrive in time then, but that is allowed. */
static void early_try(const struct choice *choice, int64_t packages, struct chosen *chosen)
{
    const double n = (double)packages, A = choice->work.latency_s;
    double last_s =
        packages == 1 ? 0 : parabola_least(early_cost, choice, n, A, choice->makespan_s / n);
    double second_s = tail_first(choice, n - 1, last_s);
    if (packages > 1 && early_first(choice, second_s) - second_s < A) {
        second_s = choice->makespan_s - choice->master.latency_s - choice->link.latency_s - A;
        last_s = (second_s - choice->second_s * (n - 1) * (n - 2) / 2) / (n - 1);
    }
    if (packages == 1 || !tail_excluded(choice, n - 1, last_s))
        chosen_take(chosen, early_cost(choice, n, last_s), packages, early_first(choice, second_s),
                    last_s);
}

/* Tries n packages. */
static void packages_try(const struct choice *choice, int64_t packages, struct chosen *chosen)
{
    const double n = (double)packages, A = choice->work.latency_s;
    const double last_s = parabola_least(free_cost, choice, n, A, choice->makespan_s / n + A);
    const double first_s = tail_first(choice, n, last_s);
    const double second_s = tail_first(choice, n - 1, last_s);
    if (first_s > early_first(choice, second_s))
        early_try(choice, packages, chosen);
    else if (!tail_excluded(choice, n, last_s))
        chosen_take(chosen, free_cost(choice, n, last_s), packages, first_s, last_s);
}

/* A lower bound on the cost of n or more packages, less their core tasks; `gain`: 1 - p l - p'
 * m. */
static double packages_floor(const struct choice *choice, const struct prices *prices, double gain,
                             double n)
{
    const double a = work_rate(choice);
    const double most = fmax(choice->makespan_s - n * choice->work.latency_s, 0) / a;
    const double curve = a * (prices->port_slope * choice->link.s_per_task +
                              prices->master_slope * choice->master.s_per_task);
    const double tasks = curve * most > gain ? gain / curve : most;
    return n * (prices->port * choice->link.latency_s + prices->master * choice->master.latency_s) -
           (gain - curve * tasks / 2) * tasks;
}

/* The least of cost less tasks, never above 0. */
static struct chosen choice_best(const struct choice *choice, const struct prices *prices)
{
    struct chosen chosen = {.cost = 0, .tried = 0};
    const double gain =
        1 - prices->port * choice->link.s_per_task - prices->master * choice->master.s_per_task;
    if (gain <= 0)
        return chosen; /* a core task costs more than one core task */
    for (int64_t n = 1; n <= PACKAGES_MOST; n++) {
        if (packages_floor(choice, prices, gain, (double)n) >= chosen.cost)
            return chosen;
        packages_try(choice, n, &chosen);
        chosen.tried = n;
    }
    chosen.cost = fmin(chosen.cost, packages_floor(choice, prices, gain, PACKAGES_MOST));
    return chosen;
}

/* The effort, in units, to try one number of packages. */
enum { TRY_EFFORT = 3 };

/* What the search may use: first what is paid for, then the effort. */
struct allowance {
    double paid;           /* units */
    struct effort *effort; /* borrowed; NULL: no limit */
};

struct priced_problem {
    struct bound_lines lines; /* owned */
    double tasks;
    struct allowance *allowance; /* borrowed; NULL: no limit */
};

static void allowance_use(struct allowance *allowance, double units)
{
    if (!allowance)
        return;
    const double more = fmax(units - fmax(allowance->paid, 0), 0);
    allowance->paid -= units;
    effort_use(allowance->effort, more);
}

static bool allowance_spent(const struct priced_problem *problem)
{
    const struct allowance *allowance = problem->allowance;
    return allowance && allowance->paid <= 0 && effort_spent(allowance->effort);
}

/* T for a worker, or less where it starts later. */
static double worker_makespan(const struct priced_problem *problem,
                              const struct bound_worker *worker, double makespan_s)
{
    const struct cost both = cost_sum(problem->lines.master.cost, worker->link);
    const double left_s = makespan_s - worker->start_s;
    if (!(worker->start_s > 0))
        return makespan_s;
    const double most = fmax(left_s - worker->work.latency_s, 0) / worker->work.s_per_task;
    return fmin(makespan_s, left_s + both.latency_s + both.s_per_task * most);
}

/* The most that a worker can gain by the prices: core tasks less what they cost it. */
static double worker_gain(const struct priced_problem *problem, const struct bound_worker *worker,
                          double makespan_s, const struct prices *prices)
{
    const double own_s = worker_makespan(problem, worker, makespan_s);
    if (worker->start_s >= makespan_s)
        return 0;
    const struct choice choice =
        choice_make(problem->lines.master.cost, worker->link, worker->work, own_s, prices);
    const struct chosen chosen = choice_best(&choice, prices);
    allowance_use(problem->allowance, TRY_EFFORT * (double)(chosen.tried + 1));
    return -chosen.cost;
}

/* The two integrals: what the time of port and master is worth; 0 where there is no such time. */
static double prices_integral(const struct priced_problem *problem, double makespan_s,
                              const struct prices *prices)
{
    const struct bound_lines *lines = &problem->lines;
    const double T = makespan_s, first_s = lines->master.least_s;
    const double port_s = T - lines->worker_least_s, master_s = port_s - lines->link_least_s;
    if (port_s <= first_s || master_s <= 0)
        return 0;
    return prices->port * (port_s - first_s) +
           prices->port_slope * ((T - first_s) * (T - first_s) - (T - port_s) * (T - port_s)) / 2 +
           prices->master * master_s +
           prices->master_slope * (T * T - (T - master_s) * (T - master_s)) / 2;
}

/* The bound on X / X itself: below 1, no schedule ends by T. */
static double priced_share(const struct priced_problem *problem, double makespan_s,
                           const struct prices *prices)
{
    const struct bound_lines *lines = &problem->lines;
    double sum = prices_integral(problem, makespan_s, prices);
    if (makespan_s <= lines->worker_least_s + lines->link_least_s + lines->master.least_s)
        return 0;
    for (int64_t k = 0; k < lines->count; k++)
        sum += (double)lines->workers[k].count *
               worker_gain(problem, &lines->workers[k], makespan_s, prices);
    return sum / problem->tasks;
}

/* A point of the search: square roots of the prices, which keep them positive, in units of X / T
 * and X / T^2. */
enum { DIMENSIONS = 4, CORNERS = DIMENSIONS + 1 };

struct corner {
    double at[DIMENSIONS];
    double share;
};

static struct prices corner_prices(const struct priced_problem *problem, double makespan_s,
                                   const double *at)
{
    const double unit = problem->tasks / makespan_s;
    return (struct prices){at[0] * at[0] * unit, at[1] * at[1] * unit / makespan_s,
                           at[2] * at[2] * unit, at[3] * at[3] * unit / makespan_s};
}

static void corner_value(const struct priced_problem *problem, double makespan_s,
                         struct corner *corner)
{
    const struct prices prices = corner_prices(problem, makespan_s, corner->at);
    corner->share = priced_share(problem, makespan_s, &prices);
}

static int corner_compare(const void *a, const void *b)
{
    const struct corner *x = a, *y = b;
    return (x->share > y->share) - (x->share < y->share);
}

/* The point on the line from the worst corner to the mean of the others, at `far` times that
 * distance. */
static struct corner corner_mirror(const struct priced_problem *problem, double makespan_s,
                                   const struct corner *corners, double far)
{
    struct corner made = {.share = 0};
    for (int d = 0; d < DIMENSIONS; d++) {
        double middle = 0;
        for (int k = 0; k < DIMENSIONS; k++)
            middle += corners[k].at[d] / DIMENSIONS;
        made.at[d] = corners[DIMENSIONS].at[d] + far * (middle - corners[DIMENSIONS].at[d]);
    }
    corner_value(problem, makespan_s, &made);
    return made;
}

/* J. A. Nelder, R. Mead, A simplex method for function minimization, 1965. */
static void prices_improve(const struct priced_problem *problem, double makespan_s, double *at,
                           int steps)
{
    static const double alike = 1e-7; /* the search ends when shares differ by less */
    struct corner corners[CORNERS];
    for (int k = 0; k < CORNERS; k++) {
        memcpy(corners[k].at, at, sizeof corners[k].at);
        if (k > 0)
            corners[k].at[k - 1] += 0.3;
        corner_value(problem, makespan_s, &corners[k]);
    }
    for (int step = 0; step < steps; step++) {
        qsort(corners, CORNERS, sizeof *corners, corner_compare);
        struct corner *worst = &corners[DIMENSIONS];
        if (worst->share - corners[0].share <= alike || allowance_spent(problem))
            break;
        const struct corner mirror = corner_mirror(problem, makespan_s, corners, 2);
        if (mirror.share < corners[0].share) {
            const struct corner far = corner_mirror(problem, makespan_s, corners, 3);
            *worst = far.share < mirror.share ? far : mirror;
        } else if (mirror.share < corners[DIMENSIONS - 1].share) {
            *worst = mirror;
        } else {
            const struct corner near = corner_mirror(problem, makespan_s, corners,
                                                     mirror.share < worst->share ? 1.5 : 0.5);
            if (near.share < fmin(mirror.share, worst->share)) {
                *worst = near;
                continue;
            }
            for (int k = 1; k < CORNERS; k++) {
                for (int d = 0; d < DIMENSIONS; d++)
                    corners[k].at[d] = (corners[k].at[d] + corners[0].at[d]) / 2;
                corner_value(problem, makespan_s, &corners[k]);
            }
        }
    }
    qsort(corners, CORNERS, sizeof *corners, corner_compare);
    memcpy(at, corners[0].at, sizeof corners[0].at);
}

/* The greatest T in the interval that these prices exclude: the share grows with T. By false
 * position (Illinois variant), with a bisection now and then. */
static double prices_exclude(const struct priced_problem *problem, const double *at, double low_s,
                             double high_s)
{
    enum { STEPS = 30, MIDDLE_EVERY = 4 };
    static const double near = 1e-7, below = 1 - 1e-9;
    double under = 0, over = 0; /* the share less 1 at both ends; 0: not known yet */
    for (int step = 1; step <= STEPS && high_s - low_s > near * high_s && !allowance_spent(problem);
         step++) {
        const bool known = under < 0 && over > 0 && step % MIDDLE_EVERY != 0;
        struct corner middle = {.share = 0};
        const double middle_s = low_s + (known ? -under / (over - under) : 0.5) * (high_s - low_s);
        memcpy(middle.at, at, sizeof middle.at);
        corner_value(problem, middle_s, &middle);
        if (middle.share < below) {
            low_s = middle_s;
            under = middle.share - below;
            over /= 2; /* Illinois: halved, so that this end moves, too */
        } else {
            high_s = middle_s;
            over = middle.share - below;
            under /= 2;
        }
    }
    return low_s;
}

bool bound_priced_applies(const struct platform *platform)
{
    return platform->operating == OPERATING_SINGLE_PORT && !results_return(platform->results);
}

bool bound_priced(const struct platform *platform, double tasks, bool real_valued, double above_s,
                  struct effort *effort, double *bound_s, struct prices *prices,
                  struct failure *failure)
{
    enum { TURNS = 4, STEPS_FIRST = 120, STEPS = 60 };
    enum {
        PAID = 50000
    }; /* units of effort that suffice for most platforms of one kind of workers */
    const double usual = PAID * (double)platform->windows[0].class_count;
    struct allowance allowance = {effort ? fmin(usual, fmax(effort->left, 0)) : usual, effort};
    struct priced_problem problem = {.tasks = tasks, .allowance = &allowance};
    double at[DIMENSIONS] = {0.7, 0.7, 0.1, 0.1}, best[DIMENSIONS], at_s = above_s;
    if (!bound_lines_init(&problem.lines, platform, real_valued, failure))
        return false;
    const double beside_s = problem.lines.beside_least_s;
    effort_use(effort, allowance.paid);
    double low_s = *bound_s - beside_s;
    at_s -= beside_s;
    memcpy(best, at, sizeof best);
    for (int turn = 0; turn < TURNS; turn++) {
        prices_improve(&problem, at_s, at, turn == 0 ? STEPS_FIRST : STEPS);
        const double made_s = prices_exclude(&problem, at, low_s, above_s - beside_s);
        if (!(made_s > low_s * (1 + 1e-4)))
            break;
        low_s = made_s;
        at_s = made_s;
        memcpy(best, at, sizeof best);
    }
    *prices = corner_prices(&problem, low_s, best);
    *bound_s = low_s + beside_s;
    bound_lines_release(&problem.lines);
    return true;
}

/* How many of the first workers cannot end by T, by sums of their gains. */
static int64_t workers_excluded(const struct priced_problem *problem, double makespan_s,
                                const struct prices *prices)
{
    static const double below = 1 - 1e-9;
    const double most = below * problem->tasks;
    double sum = prices_integral(problem, makespan_s, prices);
    int64_t excluded = 0;
    for (int64_t k = 0; k < problem->lines.count && sum < most; k++) {
        const struct bound_worker *worker = &problem->lines.workers[k];
        const double gain = worker_gain(problem, worker, makespan_s, prices);
        const double fit = gain > 0 ? fmax(ceil((most - sum) / gain) - 1, 0) : HUGE_VAL;
        sum += (double)worker->count * gain;
        excluded += fit < (double)worker->count ? (int64_t)fit : worker->count;
        if (fit < (double)worker->count)
            break;
    }
    return excluded;
}

bool bound_priced_excludes(const struct platform *platform, double tasks, bool real_valued,
                           double makespan_s, const struct prices *prices, int64_t *count,
                           struct failure *failure)
{
    struct priced_problem problem = {.tasks = tasks};
    if (!bound_lines_init(&problem.lines, platform, real_valued, failure))
        return false;
    const struct bound_lines *lines = &problem.lines;
    *count = 0;
    makespan_s -= lines->beside_least_s;
    if (makespan_s > lines->worker_least_s + lines->link_least_s + lines->master.least_s)
        *count = workers_excluded(&problem, makespan_s, prices);
    bound_lines_release(&problem.lines);
    return true;
}

void chain_choose(struct cost master, struct cost link, struct cost work, double makespan_s,
                  const struct prices *prices, struct chain *chain)
{
    const struct choice choice = choice_make(master, link, work, makespan_s, prices);
    const struct chosen chosen = choice_best(&choice, prices);
    const int64_t n = chosen.packages < CHAIN_MOST ? chosen.packages : CHAIN_MOST;
    chain->packages = n;
    if (n > 0)
        chain->to_go[0] = chosen.first_s;
    for (int64_t k = 1; k < n; k++)
        chain->to_go[k] = tail_first(&choice, (double)(chosen.packages - k), chosen.rest_first_s);
}
