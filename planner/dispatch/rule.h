/*
 * Chunk rules of a request-driven master: how many core tasks a worker gets that requests a
 * package. Each rule is a row (struct rule) beside its formulas in the file of its family
 * (rule_*.c), and has a place in the table of dispatch_rule.c.
 */
#ifndef PLANNER_DISPATCH_RULE_H
#define PLANNER_DISPATCH_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "planner/base/failure.h"
#include "planner/base/text.h"

enum { RULE_WORD = -1 };
enum { RULE_OPTIONS_MOST = 3, RULE_WORDS_MOST = 4 };

/* An option of a rule ("-s gss,least=10"): a whole number, or one of a few words; its value is then
 * the word's index or, where numbers are possible, too, RULE_WORD. */
struct rule_option {
    const char *name;
    const char *meaning;
    const char *usual;                  /* the preset described in words, or NULL */
    int64_t preset;                     /* 0: the rule's own formula, or no limit */
    int64_t most;                       /* numbers are 1 to `most`; 0: words only */
    const char *words[RULE_WORDS_MOST]; /* those that there are; none: a number */
};

/* Where core tasks have weights, all counts of them are in units of work: what the mean one is
 * worth. */
struct rule_worker {
    bool lost;                 /* it no longer requests or reports packages */
    double weight;             /* relative speed, mean 1 over the workers */
    double latency_s;          /* of a package; not included in the times per task below */
    int64_t queued;            /* core tasks handed out and not reported */
    int64_t packages;          /* reported */
    double tasks;              /* in these */
    double mean_s, squares_s2; /* time per task, and the task-weighted sum of squared deviations */
    double last_s;             /* time per task of the last package */
    double last_share;         /* that it had of its processors then; 0: not known */
    void *own;                 /* what the rule keeps of this worker; all 0 at first */
};

struct rule_state {
    const struct rule *rule;
    int64_t tasks, left, workers; /* N, R, p */
    double least, most; /* core tasks of a package that may be sent; the last one may have fewer */
    double overhead_s, deviation_s;
    int64_t option[RULE_OPTIONS_MOST]; /* in the order of the rule's table */
    struct rule_worker *worker;        /* owned; p of them */
    int64_t requests;                  /* number of packages handed out */
    void *own;                         /* what the rule keeps for itself; all 0 at first */
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
    bool single; /* core tasks go one by one, whatever they are worth */
    struct rule_option options[RULE_OPTIONS_MOST]; /* those with a name */
    /* The reason why these values cannot be combined; NULL: they can. May be NULL. */
    const char *(*wrong)(const int64_t *option);
    /* As dispatch_rule_note, with these options, where packages have at least `least` core tasks.
     * May be NULL. */
    void (*note)(int64_t least, const int64_t *option, struct text *text);
    /* Bytes of rule_state.own, and of each worker's with these options (NULL: none). */
    size_t state_size;
    size_t (*worker_size)(const int64_t *option);
    void (*start)(struct rule_state *state); /* may be NULL */
    /* After start: workers with more are the first that get a package, else in their order. NULL:
     * all are alike. */
    double (*first)(const struct rule_state *state, int64_t worker);
    /* Tasks for `worker`, cut to state->left by the caller; 0: none for now. */
    double (*chunk)(struct rule_state *state, int64_t worker);
    /* The same of package number `step` = 0, 1, ... of all, as a function of that and of what start
     * has left alone, so that whoever has the number knows the package without asking a master:
     * distributed chunk calculation, A. Eleliemy, F. M. Ciorba, A distributed chunk calculation
     * approach for self-scheduling of parallel applications on distributed-memory systems, J.
     * Comput. Sci. 51, 2021. NULL: it needs to know more. */
    double (*closed)(const struct rule_state *state, int64_t step);
    /* A package of `tasks` took work_s of work; total_s counts from the time at which the worker
     * could have had it. May be NULL. */
    void (*report)(struct rule_state *state, int64_t worker, double tasks, double work_s,
                   double total_s);
    /* The worker is lost from now on. May be NULL. */
    void (*lost)(struct rule_state *state, int64_t worker);
    /* It is there again, or for the first time. May be NULL. */
    void (*joined)(struct rule_state *state, int64_t worker);
    /* state->left is less than what has been handed out makes it, for others do the last ones. May
     * be NULL. */
    void (*cut)(struct rule_state *state);
    /* For RULE_SIZES_STEP: how many further packages will have about the present sizes; and count
     * `packages` of them as handed out. */
    double (*same)(const struct rule_state *state);
    void (*skip)(struct rule_state *state, double packages);
};

extern const struct rule rule_ss, rule_fsc, rule_gss;                    /* rule_simple.c */
extern const struct rule rule_tss, rule_fiss, rule_dtss, rule_dtfss;     /* rule_trapezoid.c */
extern const struct rule rule_dfss, rule_dfiss;                          /* rule_distributed.c */
extern const struct rule rule_tree;                                      /* rule_tree.c */
extern const struct rule rule_fac, rule_wf, rule_af;                     /* rule_factoring.c */
extern const struct rule rule_awf_b, rule_awf_c, rule_awf_d, rule_awf_e; /* likewise */
extern const struct rule rule_monitor;                                   /* rule_monitor.c */

/* Read the values of a rule's options from "NAME=VALUE,NAME=VALUE" (may be empty) into `values`,
 * with presets for options that are not given. False: FAILURE_USAGE, with the reason. */
bool rule_options_read(const struct rule *rule, const char *text, int64_t values[RULE_OPTIONS_MOST],
                       struct failure *failure);

/* Has every worker that is not lost reported at least `packages` packages? */
bool rule_all_reported(const struct rule_state *state, int64_t packages);

#endif
