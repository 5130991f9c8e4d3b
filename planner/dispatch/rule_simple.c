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

#include "planner/dispatch/rule.h"

double ss_chunk(struct rule_state *state, int64_t worker)
{
    (void)state;
    (void)worker;
    return 1;
}

/* Without deviation, or with one worker, the equal split is best; a given k needs no formula. */
void fsc_start(struct rule_state *state)
{
    double n = (double)state->tasks, p = (double)state->workers;
    double equal = ceil(n / p);
    double noise = state->deviation_s * p * sqrt(log(p));
    double k = noise > 0 ? pow(sqrt(2) * n * state->overhead_s / noise, 2.0 / 3.0) : equal;
    state->chunk = fmax(1, fmin(ceil(k), equal));
    if (state->option[FSC_K] > 0)
        state->chunk = (double)state->option[FSC_K];
}

double fsc_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    return state->chunk;
}

double gss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    const double share = (double)state->left / (double)state->workers;
    const double whole = state->option[GSS_ROUNDING] == GSS_DOWN ? floor(share) : ceil(share);
    return fmax(whole, (double)state->option[GSS_LEAST]);
}
