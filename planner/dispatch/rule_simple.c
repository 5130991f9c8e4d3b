/*
 * Rules that know only N, R and p.
 *
 * SS, pure self-scheduling: 1. P. Tang, P.-C. Yew, Processor self-scheduling for multiple-nested
 * parallel loops, ICPP 1986.
 * FSC, fixed-size chunking: k = (sqrt(2) N h / (sigma p sqrt(ln p)))^(2/3), h the overhead of a
 * package, sigma the standard deviation of a task's time. C. P. Kruskal, A. Weiss, Allocating
 * independent subtasks on parallel processors, IEEE Trans. Softw. Eng. 11(10), 1985.
 * GSS, guided self-scheduling: ceil(R / p), not less than a least size. C. D. Polychronopoulos, D.
 * J. Kuck, Guided self-scheduling, IEEE Trans. Comput. C-36(12), 1987. E. M. R. Rosenvinge, Online
 * task scheduling on heterogeneous clusters, NTNU 2004, figure 3.2, rounds down instead.
 */
#include <math.h>

#include "planner/base/limits.h"
#include "planner/dispatch/rule.h"

static double ss_chunk(struct rule_state *state, int64_t worker)
{
    (void)state;
    (void)worker;
    return 1;
}

static double ss_closed(const struct rule_state *state, int64_t step)
{
    (void)state;
    (void)step;
    return 1;
}

const struct rule rule_ss = {.name = "ss",
                             .summary = "one task at a time",
                             .sizes = RULE_SIZES_STAY,
                             .single = true,
                             .chunk = ss_chunk,
                             .closed = ss_closed};

enum { FSC_K = 0 };

/* Without deviation, or with one worker, equal division is best; with a given k no formula is
 * needed. */
static void fsc_start(struct rule_state *state)
{
    double n = (double)state->tasks, p = (double)state->workers;
    double equal = ceil(n / p), *chunk = state->own;
    double noise = state->deviation_s * p * sqrt(log(p));
    double k = noise > 0 ? pow(sqrt(2) * n * state->overhead_s / noise, 2.0 / 3.0) : equal;
    *chunk = fmax(1, fmin(ceil(k), equal));
    if (state->option[FSC_K] > 0)
        *chunk = (double)state->option[FSC_K];
}

static double fsc_chunk(struct rule_state *state, int64_t worker)
{
    const double *chunk = state->own;
    (void)worker;
    return *chunk;
}

static double fsc_closed(const struct rule_state *state, int64_t step)
{
    const double *chunk = state->own;
    (void)step;
    return *chunk;
}

const struct rule rule_fsc = {
    .name = "fsc",
    .summary = "packages of one size (Kruskal and Weiss)",
    .sizes = RULE_SIZES_STAY,
    .state_size = sizeof(double), /* the size k */
    .start = fsc_start,
    .chunk = fsc_chunk,
    .closed = fsc_closed,
    .options = {{"k", "core tasks of a package", "by the formula", 0, LIMIT_TASKS, {NULL}}}};

enum { GSS_LEAST, GSS_ROUNDING };
enum { GSS_UP, GSS_DOWN };

/* The size of a package when so many core tasks are left. */
static double gss_share(const struct rule_state *state, double left)
{
    const double share = left / (double)state->workers;
    const double whole = state->option[GSS_ROUNDING] == GSS_DOWN ? floor(share) : ceil(share);
    return fmax(whole, (double)state->option[GSS_LEAST]);
}

static double gss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    return gss_share(state, (double)state->left);
}

/* Each package leaves 1 - 1/p of what was left, without rounding. */
static double gss_closed(const struct rule_state *state, int64_t step)
{
    const double kept = 1 - 1 / (double)state->workers;
    return gss_share(state, (double)state->tasks * pow(kept, (double)step));
}

const struct rule rule_gss = {
    .name = "gss",
    .summary = "guided: what is left, divided by the workers",
    .chunk = gss_chunk,
    .closed = gss_closed,
    .options = {{"least", "core tasks of the smallest package", NULL, 1, LIMIT_TASKS, {NULL}},
                {"rounding", "of what is left per worker", NULL, GSS_UP, 0, {"up", "down"}}}};
