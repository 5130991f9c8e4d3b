/*
 * Rules with linearly changing packages.
 *
 * TSS, trapezoid self-scheduling: from F = N / (2 p) down to L = 1 in n = ceil(2 N / (F + L)) steps
 * of D = (F - L) / (n - 1). T. H. Tzen, L. M. Ni, Trapezoid self-scheduling, IEEE Trans. Parallel
 * Distrib. Syst. 4(1), 1993. D is rounded down in J. Herrera, E. Huedo, R. S. Montero, I. M.
 * Llorente, Loosely-coupled loop scheduling in computational grids, 2006, equation (3), and in E.
 * M. R. Rosenvinge, Online task scheduling on heterogeneous clusters, NTNU 2004, figure 3.2. FISS,
 * fixed increase: s stages (sigma) of p equal packages, the first C_0 = N / ((s + 2) p), each stage
 * larger by ceil(2 N (1 - s / (s + 2)) / (p s (s - 1))). T. Philip, C. R. Das, Evaluation of loop
 * scheduling algorithms on distributed memory systems, 1997.
 * DTSS, distributed TSS: worker i counts as A_i = V_i / Q_i processors (rule_power.h), A = sum A_i,
 * F = N / (2 A), L = 1, and it gets A_i (F - D (S + (A_i - 1) / 2)), S the powers served before;
 * planned anew for what is left when more than half of the A_i have changed. J. Xu, A. T.
 * Chronopoulos, Distributed self-scheduling for heterogeneous workstation clusters, 1999, equations
 * (1)-(9).
 *
 * DTFSS, in stages: A packages of the same trapezoid are one stage, of p packages, of which worker
 * i gets its A_i / A, rounded up. A. T. Chronopoulos, M. Benche, D. Grosu, R. Andonie, A class of
 * loop self-scheduling for heterogeneous clusters, CLUSTER 2001.
 *
 * None of them speaks of limits of a package. Where there are, F and L, C_0 and a virtual
 * processor's share are cut to them first, and number and size of the steps follow from that: a
 * package cut afterwards would leave most of the tasks to packages of the least size.
 */
#include <math.h>
#include <stddef.h>

#include "planner/base/limits.h"
#include "planner/dispatch/rule_power.h"

/* The size of the next package, and by how much sizes fall. */
struct trapezoid {
    double chunk, step;
    double last;       /* L, the size of the last package */
    double steps_left; /* packages (or powers) until that size is reached */
};

enum { TSS_FIRST, TSS_LAST, TSS_STEP };
enum { TSS_WHOLE, TSS_REAL };

static double clamp(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* From F down to L in n steps. */
static struct trapezoid trapezoid_of(double first, double last, double steps)
{
    return (struct trapezoid){first, steps > 1 ? (first - last) / (steps - 1) : 0, last, steps};
}

static const char *tss_wrong(const int64_t *option)
{
    return option[TSS_FIRST] > 0 && option[TSS_FIRST] < option[TSS_LAST]
               ? "first must not be less than last"
               : NULL;
}

/* Begins a trapezoid over what is left, with a first package of `most` at most. A step below 1 is
 * not rounded down: sizes would never change. */
static void tss_restart(struct rule_state *state, double most)
{
    const double n = (double)state->left, wanted = (double)state->option[TSS_LAST];
    const double first = clamp(most, fmax(wanted, state->least), state->most);
    const double last = clamp(wanted, state->least, first);
    struct trapezoid *trapezoid = state->own;
    *trapezoid = trapezoid_of(first, last, ceil(2 * n / (first + last)));
    if (state->option[TSS_STEP] == TSS_WHOLE && trapezoid->step >= 1)
        trapezoid->step = floor(trapezoid->step);
}

static double tss_first(const struct rule_state *state)
{
    return (double)state->left / (2 * (double)state->workers);
}

static void tss_start(struct rule_state *state)
{
    const double chosen = (double)state->option[TSS_FIRST];
    tss_restart(state, chosen > 0 ? chosen : tss_first(state));
}

/* Packages that are rounded down leave a remainder after the last step: it is treated as a job of
 * its own. */
static double tss_chunk(struct rule_state *state, int64_t worker)
{
    struct trapezoid *trapezoid = state->own;
    (void)worker;
    if (trapezoid->steps_left < 1)
        tss_restart(state, tss_first(state));
    const double chunk = floor(trapezoid->chunk + 1e-9); /* 1e-9 makes up for rounding */
    trapezoid->chunk = fmax(trapezoid->chunk - trapezoid->step, trapezoid->last);
    trapezoid->steps_left--;
    return chunk;
}

/* F - i D, but at least L. */
static double tss_closed(const struct rule_state *state, int64_t step)
{
    const struct trapezoid *trapezoid = state->own;
    const double chunk = fmax(trapezoid->chunk - (double)step * trapezoid->step, trapezoid->last);
    return floor(chunk + 1e-9);
}

/* How many of the remaining steps are taken as equal when packages are skipped: one of ALIKE parts.
 * Fewer, where the sizes of different workers change at different steps. */
enum { ALIKE = 8, ALIKE_APART = 32 };

static double same_of(const struct trapezoid *trapezoid, double steps, int parts)
{
    return fmin(fmax(steps, trapezoid->steps_left / parts), trapezoid->steps_left);
}

static double tss_same(const struct rule_state *state)
{
    const struct trapezoid *trapezoid = state->own;
    const double over = trapezoid->chunk - floor(trapezoid->chunk + 1e-9);
    return trapezoid->step > 0 && trapezoid->chunk > trapezoid->last
               ? same_of(trapezoid, fmax(over, 0) / trapezoid->step, ALIKE)
               : trapezoid->steps_left;
}

static void tss_skip(struct rule_state *state, double packages)
{
    struct trapezoid *trapezoid = state->own;
    trapezoid->chunk = fmax(trapezoid->chunk - packages * trapezoid->step, trapezoid->last);
    trapezoid->steps_left -= packages;
}

const struct rule rule_tss = {
    .name = "tss",
    .summary = "trapezoid: linearly decreasing",
    .sizes = RULE_SIZES_STEP,
    .state_size = sizeof(struct trapezoid),
    .same = tss_same,
    .skip = tss_skip,
    .start = tss_start,
    .chunk = tss_chunk,
    .closed = tss_closed,
    .wrong = tss_wrong,
    .options = {{"first", "core tasks of the first package", "N / 2p", 0, LIMIT_TASKS, {NULL}},
                {"last", "core tasks of the last package", NULL, 1, LIMIT_TASKS, {NULL}},
                {"step",
                 "decrease from package to package; whole: rounded down",
                 NULL,
                 TSS_WHOLE,
                 0,
                 {"whole", "real"}}}};

enum { FISS_SIGMA = 0 };

/* A stage: p packages of one size. */
struct stage {
    double chunk, step; /* packages of the next stage are larger by `step` */
    int64_t left;       /* packages left in this stage */
};

static void fiss_start(struct rule_state *state)
{
    const double s = (double)state->option[FISS_SIGMA];
    const double n = (double)state->tasks, p = (double)state->workers;
    struct stage *stage = state->own;
    stage->chunk = clamp(floor(n / ((s + 2) * p)), state->least, state->most);
    stage->step = s > 1 ? ceil(2 * n * (1 - s / (s + 2)) / (p * s * (s - 1))) : 0;
    stage->left = state->workers;
}

static double fiss_chunk(struct rule_state *state, int64_t worker)
{
    struct stage *stage = state->own;
    (void)worker;
    if (stage->left == 0) {
        stage->chunk += stage->step;
        stage->left = state->workers;
    }
    stage->left--;
    return stage->chunk;
}

/* C_0 + floor(i / p) B. */
static double fiss_closed(const struct rule_state *state, int64_t step)
{
    const struct stage *stage = state->own;
    const int64_t at = step / state->workers;
    return stage->chunk + (double)at * stage->step;
}

const struct rule rule_fiss = {.name = "fiss",
                               .summary = "fixed increase: stages of growing packages",
                               .sizes = RULE_SIZES_GROW,
                               .state_size = sizeof(struct stage),
                               .start = fiss_start,
                               .chunk = fiss_chunk,
                               .closed = fiss_closed,
                               .options = {{"sigma", "stages", NULL, 4, 1000000, {NULL}}}};

struct dtss {
    struct trapezoid trapezoid; /* of a virtual processor */
    struct powers powers;
    double passed;      /* S, powers served since the last start */
    int64_t served;     /* packages since then */
    bool whole;         /* are all powers whole numbers? */
    double falls_at;    /* the share of a virtual processor below which some worker gets a smaller
                           package; HUGE_VAL: not known */
    double share;       /* dtfss: of a virtual processor in the current stage, */
    int64_t stage_left; /* and the stage's packages that are left */
};

/* The mean of a load A f that is limited to [least, most], for f uniform in [low, high]. */
static double mean_within(double power, double low, double high, double least, double most)
{
    if (!(high > low))
        return clamp(power * high, least, most);
    const double from = clamp(least / power, low, high), to = clamp(most / power, low, high);
    const double sum =
        (from - low) * least + power * (to * to - from * from) / 2 + (high - to) * most;
    return sum / (high - low);
}

/* F and L of a virtual processor are limited so that the weakest worker gets the most that may be
 * sent at most, and the strongest one the least at least. The number of steps follows from what is
 * left. */
static void dtss_restart(struct rule_state *state)
{
    struct dtss *own = state->own;
    double weakest = HUGE_VAL, strongest = 1, tasks = 0;
    bool whole = true;
    power_plan(state, &own->powers);
    for (int64_t k = 0; k < state->workers; k++) {
        const double power = power_of(state, k)->planned;
        weakest = fmin(weakest, power);
        strongest = fmax(strongest, power);
        whole = whole && power == round(power);
    }
    const double left = (double)state->left;
    const double last = fmax(1, state->least / strongest);
    const double first = fmax(fmin(left / (2 * own->powers.sum), state->most / weakest), last);
    for (int64_t k = 0; k < state->workers; k++)
        tasks += mean_within(power_of(state, k)->planned, last, first, state->least, state->most);
    const double steps = ceil(left * own->powers.sum / tasks);
    *own = (struct dtss){.trapezoid = trapezoid_of(first, last, steps),
                         .powers = own->powers,
                         .whole = whole,
                         .falls_at = HUGE_VAL};
}

static void dtss_start(struct rule_state *state)
{
    struct dtss *own = state->own;
    power_start(state, &own->powers);
    dtss_restart(state);
}

/* Whole powers are used as they are at present, as the paper does. Of real powers those are used
 * that the steps were planned by: a single power may change by chance, and sizes that follow it
 * would never repeat, so that nothing could be skipped (fast_forward.h). */
static double dtss_power(const struct rule_state *state, int64_t worker)
{
    const struct dtss *own = state->own;
    const struct power_worker *power = power_of(state, worker);
    return power_is_whole(own->powers.kind) ? power->now : power->planned;
}

static double dtss_chunk(struct rule_state *state, int64_t worker)
{
    struct dtss *own = state->own;
    struct trapezoid *trapezoid = &own->trapezoid;
    if (trapezoid->steps_left < 1)
        dtss_restart(state);
    const double power = dtss_power(state, worker);
    const double before = own->passed + (power - 1) / 2;
    const double share = fmax(trapezoid->chunk - trapezoid->step * before, trapezoid->last);
    own->passed += power;
    own->served++;
    trapezoid->steps_left -= power;
    return fmax(floor(power * share + 1e-9), 1);
}

/* By how much the share of a virtual processor must fall before a worker of that power gets a
 * smaller package. */
static double dtss_room(const struct rule_state *state, double power, double share)
{
    const double load = power * share;
    if (load <= state->least + 1)
        return HUGE_VAL;
    return (load - fmin(floor(load + 1e-9), state->most)) / power;
}

/* The mean power of the packages since the last start. */
static double power_mean(const struct dtss *own)
{
    return own->served > 0 ? own->passed / (double)own->served : 1;
}

/* The share below which some worker gets a smaller package. */
static double dtss_falls_at(const struct rule_state *state, double share)
{
    double room = HUGE_VAL;
    for (int64_t k = 0; k < state->workers; k++)
        room = fmin(room, dtss_room(state, power_of(state, k)->planned, share));
    return share - fmax(room, 0);
}

/* All workers are looked at again only where one of them may have another size since. */
static double dtss_same(const struct rule_state *state)
{
    struct dtss *own = state->own;
    const struct trapezoid *trapezoid = &own->trapezoid;
    const double share = trapezoid->chunk - trapezoid->step * own->passed;
    double powers = HUGE_VAL;
    if (share > trapezoid->last && trapezoid->step > 0) {
        if (own->falls_at == HUGE_VAL || share < own->falls_at)
            own->falls_at = dtss_falls_at(state, share);
        powers = (share - own->falls_at) / trapezoid->step;
    }
    return same_of(trapezoid, powers, own->whole ? ALIKE : ALIKE_APART) / fmax(power_mean(own), 1);
}

static void dtss_skip(struct rule_state *state, double packages)
{
    struct dtss *own = state->own;
    const double powers =
        fmin(nearbyint(packages * power_mean(own)), fmax(own->trapezoid.steps_left, 0));
    own->passed += powers;
    own->served += (int64_t)packages;
    own->trapezoid.steps_left -= powers;
}

static void dtss_report(struct rule_state *state, int64_t worker, double tasks, double work_s,
                        double total_s)
{
    (void)tasks;
    (void)work_s;
    (void)total_s;
    struct dtss *own = state->own;
    if (power_changed(state, worker, &own->powers))
        dtss_restart(state);
}

/* What DTSS and DTFSS have in common. */
#define OVER_POWERS                                                                                \
    .sizes = RULE_SIZES_STEP, .state_size = sizeof(struct dtss), .worker_size = power_worker_size, \
    .same = dtss_same, .skip = dtss_skip, .start = dtss_start, .report = dtss_report,              \
    .first = power_first

const struct rule rule_dtss = {OVER_POWERS, .name = "dtss",
                               .summary = "trapezoid over virtual processors", .chunk = dtss_chunk,
                               .options = {RULE_POWER_OPTIONS}};

static void stage_begin(struct rule_state *state)
{
    struct dtss *own = state->own;
    const struct trapezoid *trapezoid = &own->trapezoid;
    if (trapezoid->steps_left < 1)
        dtss_restart(state);
    const double middle = own->passed + (own->powers.sum - 1) / 2;
    own->share = fmax(trapezoid->chunk - trapezoid->step * middle, trapezoid->last);
    own->passed += own->powers.sum;
    own->served += state->workers;
    own->trapezoid.steps_left -= own->powers.sum;
    own->stage_left = state->workers;
}

static double dtfss_chunk(struct rule_state *state, int64_t worker)
{
    struct dtss *own = state->own;
    if (own->stage_left == 0)
        stage_begin(state);
    own->stage_left--;
    return fmax(ceil(power_of(state, worker)->planned * own->share - 1e-9), 1);
}

const struct rule rule_dtfss = {OVER_POWERS, .name = "dtfss",
                                .summary = "trapezoid in stages over virtual processors",
                                .chunk = dtfss_chunk, .options = {RULE_POWER_OPTIONS}};
