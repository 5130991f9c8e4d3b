/*
 * Chunk rules of a request-driven master: how many core tasks a worker gets that requests a
 * package. Each rule is a row of the table in dispatch_rule.c, its formulas in a file of its family
 * (rule_*.c).
 */
#ifndef PLANNER_DISPATCH_RULE_H
#define PLANNER_DISPATCH_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/failure.h"

enum { RULE_OPTIONS_MOST = 3 };

/* An option of a rule ("-s gss,least=10"): a whole number, or one of a few words; its value is then
 * the word's index. */
struct rule_option {
    const char *name;
    const char *meaning;
    const char *usual;    /* the preset described in words, or NULL */
    int64_t preset;       /* 0: the rule's own formula, or no limit */
    int64_t most;         /* numbers are 1 to `most` */
    const char *words[2]; /* NULL: a number */
};

/* Monitor's record of one package: its tasks and the seconds per task. */
struct rule_timing {
    int64_t tasks;
    double per_task_s;
};

struct rule_worker {
    bool lost;                 /* it no longer requests or reports packages */
    double weight;             /* relative speed, mean 1 over the workers */
    double latency_s;          /* of a package; not included in the times per task below */
    int64_t queued;            /* core tasks handed out and not reported */
    int64_t packages, tasks;   /* reported */
    double mean_s, squares_s2; /* time per task, and the task-weighted sum of squared deviations */
    double last_s;             /* time per task of the last package */
    /* For single rules: */ double weighted_s, weighted_tasks; /* AWF */
    int64_t power, power_now;   /* DTSS: A_i in use, and as last reported */
    double best_s;              /* DTSS: least time per task so far */
    int64_t share;              /* Monitor: assigned in this phase, not yet requested */
    struct rule_timing *recent; /* Monitor: its last eta packages, a ring; not owned */
    double recent_s;            /* Monitor: mean of its last eta tasks */
};

struct rule_state {
    const struct rule *rule;
    int64_t tasks, left, workers; /* N, R, p */
    double least, most; /* core tasks of a package that may be sent; the last one may have fewer */
    double overhead_s, deviation_s;
    int64_t option[RULE_OPTIONS_MOST];          /* in the order of the rule's table */
    struct rule_worker *worker;                 /* owned; p of them */
    int64_t requests;                           /* number of packages handed out */
    /* For single rules: */ double chunk, step; /* the next package's size and how it changes */
    double last;                                /* TSS, DTSS: L, the size of the last package */
    double steps_left;  /* TSS, DTSS: packages, or powers, until that size is reached */
    int64_t batch_left; /* packages left in the current batch */
    int64_t powers;     /* DTSS: S, powers served since the last start */
    int64_t served;     /* DTSS: packages since then */
    int64_t shared;     /* Monitor: sum of shares */
};

/* How a rule's sizes develop when they are limited to those that may be sent. */
enum rule_sizes {
    RULE_SIZES_SHRINK, /* about in proportion to the remaining tasks */
    RULE_SIZES_STAY,
    RULE_SIZES_GROW,
    RULE_SIZES_STEP /* piecewise constant, as `same` says */
};

struct rule {
    const char *name, *summary;
    enum rule_sizes sizes;
    struct rule_option options[RULE_OPTIONS_MOST]; /* those with a name */
    /* The reason why these values cannot be combined; NULL: they can. May be NULL. */
    const char *(*wrong)(const int64_t *option);
    bool recent; /* keeps as many timings of each worker as its first option says */
    void (*start)(struct rule_state *state); /* may be NULL */
    /* Tasks for `worker`, cut to state->left by the caller; 0: none for now. */
    double (*chunk)(struct rule_state *state, int64_t worker);
    /* A package of `tasks` took work_s of work; total_s counts from the time at which the worker
     * could have had it. May be NULL. */
    void (*report)(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                   double total_s);
    /* For RULE_SIZES_STEP: how many further packages will have about the present sizes; and count
     * `packages` of them as handed out. */
    double (*same)(const struct rule_state *state);
    void (*skip)(struct rule_state *state, double packages);
};

/* Read the values of a rule's options from "NAME=VALUE,NAME=VALUE" (may be empty) into `values`,
 * with presets for options that are not given. False: FAILURE_USAGE, with the reason. */
bool rule_options_read(const struct rule *rule, const char *text, int64_t values[RULE_OPTIONS_MOST],
                       struct failure *failure);

/* Indices of options and of their words, for the formulas. */
enum { FSC_K = 0 };
enum { FAC_PART = 0 };
enum { GSS_LEAST, GSS_ROUNDING };
enum { GSS_UP, GSS_DOWN };
enum { TSS_FIRST, TSS_LAST, TSS_STEP };
enum { TSS_WHOLE, TSS_REAL };
enum { FISS_SIGMA = 0 };
enum { MONITOR_ETA, MONITOR_R, MONITOR_PHI };

double ss_chunk(struct rule_state *state, int64_t worker);
void fsc_start(struct rule_state *state);
double fsc_chunk(struct rule_state *state, int64_t worker);
double gss_chunk(struct rule_state *state, int64_t worker);

const char *tss_wrong(const int64_t *option);
void tss_start(struct rule_state *state);
double tss_chunk(struct rule_state *state, int64_t worker);
double tss_same(const struct rule_state *state);
void tss_skip(struct rule_state *state, double packages);
void fiss_start(struct rule_state *state);
double fiss_chunk(struct rule_state *state, int64_t worker);
void dtss_start(struct rule_state *state);
double dtss_chunk(struct rule_state *state, int64_t worker);
double dtss_same(const struct rule_state *state);
void dtss_skip(struct rule_state *state, double packages);
void dtss_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                 double total_s);

double fac_chunk(struct rule_state *state, int64_t worker);
double wf_chunk(struct rule_state *state, int64_t worker);
double awf_batch_chunk(struct rule_state *state, int64_t worker);
double awf_chunk_chunk(struct rule_state *state, int64_t worker);
void awf_work_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                     double total_s);
void awf_total_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                      double total_s);
double af_chunk(struct rule_state *state, int64_t worker);

double monitor_chunk(struct rule_state *state, int64_t worker);
void monitor_report(struct rule_state *state, int64_t worker, int64_t tasks, double work_s,
                    double total_s);

/* Has every worker that is not lost reported at least `packages` packages? */
bool rule_all_reported(const struct rule_state *state, int64_t packages);

#endif
