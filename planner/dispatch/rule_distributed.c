/*
 * Rules of stages whose core tasks are shared in proportion to powers (rule_power.h): a stage of SC
 * core tasks is for one package of each of p workers, and worker i gets ceil(SC A_i / A) of them.
 * A. T. Chronopoulos, M. Benche, D. Grosu, R. Andonie, A class of loop self-scheduling for
 * heterogeneous clusters, CLUSTER 2001.
 *
 * DFSS: SC is half of what is left. DFISS: of sigma stages the first is N / (sigma + 2), and each
 * following one has ceil(2 N (1 - sigma / (sigma + 2)) / (sigma (sigma - 1))) more. DTFSS: SC is
 * the next A packages of a trapezoid (rule_trapezoid.c) from F = N / (2 A) down to 1. As in DTSS,
 * what is left is planned anew when more than half of the powers have changed.
 */
#include <math.h>

#include "planner/dispatch/rule_power.h"

enum { DFISS_SIGMA = POWER_OPTIONS };

/* Quotients this close to a whole number are taken as whole: the difference is rounding. */
static const double WHOLE = 1e-9;

struct stage {
    double tasks; /* SC */
    double step;  /* dfiss: how many more the next stage has */
    struct powers powers;
    int64_t left; /* packages left in it */
    bool begun;   /* a stage was begun */
};

static void stages_restart(struct rule_state *state)
{
    struct stage *stage = state->own;
    *stage = (struct stage){.powers = stage->powers};
    power_plan(state, &stage->powers);
}

static void distributed_start(struct rule_state *state)
{
    struct stage *stage = state->own;
    power_start(state, &stage->powers);
    stages_restart(state);
}

static void distributed_report(struct rule_state *state, int64_t worker, double tasks,
                               double work_s, double total_s)
{
    struct stage *stage = state->own;
    (void)tasks;
    (void)work_s;
    (void)total_s;
    if (power_changed(state, worker, &stage->powers))
        stages_restart(state);
}

/* The worker's part of the current stage; where that is over, `next` begins another one. */
static double stage_take(struct rule_state *state, int64_t worker,
                         void (*next)(const struct rule_state *state, struct stage *stage))
{
    struct stage *stage = state->own;
    if (stage->left == 0) {
        next(state, stage);
        stage->begun = true;
        stage->left = state->workers;
    }
    stage->left--;
    return fmax(ceil(stage->tasks * power_of(state, worker)->planned / stage->powers.sum - WHOLE),
                1);
}

static void dfss_next(const struct rule_state *state, struct stage *stage)
{
    stage->tasks = ceil((double)state->left / 2);
}

static double dfss_chunk(struct rule_state *state, int64_t worker)
{
    return stage_take(state, worker, dfss_next);
}

static void dfiss_next(const struct rule_state *state, struct stage *stage)
{
    const double s = (double)state->option[DFISS_SIGMA], n = (double)state->left;
    if (stage->begun) {
        stage->tasks += stage->step;
        return;
    }
    stage->tasks = fmin(fmax(floor(n / (s + 2)), (double)state->workers * state->least),
                        (double)state->workers * state->most);
    stage->step = s > 1 ? ceil(2 * n * (1 - s / (s + 2)) / (s * (s - 1))) : 0;
}

static double dfiss_chunk(struct rule_state *state, int64_t worker)
{
    return stage_take(state, worker, dfiss_next);
}

#define DISTRIBUTED                                                                                \
    .state_size = sizeof(struct stage), .worker_size = power_worker_size,                          \
    .start = distributed_start, .report = distributed_report, .first = power_first
const struct rule rule_dfss = {.name = "dfss",
                               .summary = "factoring over virtual processors",
                               DISTRIBUTED,
                               .chunk = dfss_chunk,
                               .options = {RULE_POWER_OPTIONS}};
const struct rule rule_dfiss = {
    .name = "dfiss",
    .summary = "fixed increase over virtual processors",
    .sizes = RULE_SIZES_GROW,
    DISTRIBUTED,
    .chunk = dfiss_chunk,
    .options = {RULE_POWER_OPTIONS, {"sigma", "stages", NULL, 4, 1000000, {NULL}}}};
#undef DISTRIBUTED
