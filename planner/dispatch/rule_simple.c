/*
 * Rules that know only N, R and p.
 *
 * SS, pure self-scheduling: 1. P. Tang, P.-C. Yew, Processor self-scheduling for multiple-nested
 * parallel loops, ICPP 1986.
 * FSC, fixed-size chunking: k = (sqrt(2) N h / (sigma p sqrt(ln p)))^(2/3), h the overhead of a
 * package, sigma the standard deviation of a task's time. C. P. Kruskal, A. Weiss, Allocating
 * independent subtasks on parallel processors, IEEE Trans. Softw. Eng. 11(10), 1985.
 * GSS, guided self-scheduling: ceil(R / p). C. D. Polychronopoulos, D. J. Kuck, Guided
 * self-scheduling, IEEE Trans. Comput. C-36(12), 1987.
 */
#include <math.h>

#include "planner/dispatch/rule.h"

double ss_chunk(struct rule_state *state, int64_t worker)
{
    (void)state;
    (void)worker;
    return 1;
}

/* Without deviation, or with one worker, the equal split is best. */
void fsc_start(struct rule_state *state)
{
    double n = (double)state->tasks, p = (double)state->workers;
    double equal = ceil(n / p);
    double noise = state->deviation_s * p * sqrt(log(p));
    double k = noise > 0 ? pow(sqrt(2) * n * state->overhead_s / noise, 2.0 / 3.0) : equal;
    state->chunk = fmax(1, fmin(ceil(k), equal));
}

double fsc_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    return state->chunk;
}

double gss_chunk(struct rule_state *state, int64_t worker)
{
    (void)worker;
    return ceil((double)state->left / (double)state->workers);
}
