/*
 * A run's figures beside those of its plan: what both forms of the report print.
 *
 * They are made for one master (residuals_star.h), joined where there are several (masters.h), one
 * or the other in residuals_make.c; residuals_explain.c says them in a sentence.
 */
#ifndef PLANNER_REPORT_RESIDUALS_H
#define PLANNER_REPORT_RESIDUALS_H

#include <stdbool.h>

#include "planner/base/text.h"
#include "planner/report/causes.h"
#include "planner/report/network.h"
#include "planner/report/replay.h"
#include "planner/report/report.h"
#include "planner/report/trace_summary.h"

struct residuals {
    const struct run_record *record; /* borrowed */
    bool has_predicted;              /* the run left plan and profile, and they fit */
    double interval_s[2]; /* what 90 % of such runs were predicted between; 0, 0: it is not known */
    double median_s;      /* where the plan predicted a median of what varies: that; 0: it did not,
                           * and what is predicted is the simulation by mean costs, which all other
                           * figures of `predicted` are in either case */
    bool has_replayed;    /* every package went out once, so the run can be replayed */
    struct trace_summary predicted, measured; /* after losses: of what was decided with them */
    double
        undisturbed_s; /* predicted without the losses; NaN: there were none, or it is not known */
    struct request_summary {
        double predicted_s, measured_s; /* sums over packages, as requests.h says */
        int64_t count;                  /* in the run; 0: nothing was assigned on request */
    } requests;
    struct residuals *stars; /* owned; of several masters, by number: each star's own */
    size_t star_count;       /* 0: there is one master */
    double begun_s;          /* of a star: when its first envelope began, in the run's trace */
    struct trace_summary replayed; /* simulated with what each package took in the run */
    struct network network;        /* what its packages found */
    struct {
        struct causes predicted, measured, replayed;
    } causes; /* of the workers' gaps */
};

bool residuals_make(const struct run_record *record, struct residuals *residuals,
                    struct failure *failure);
/* The same, replayed as if nobody else had any of the workers' processors and of the network
 * (replay.h). */
bool residuals_make_alone(const struct run_record *record, const struct replay_alone *alone,
                          int64_t alone_count, struct residuals *residuals,
                          struct failure *failure);
/* Is all done, and yet nothing known of when? So it is where a run was killed when all its core
 * tasks were done, and then completed. */
bool residuals_untraced(const struct run_record *record);
/* False: there is no trace that a report can be made of, and why. */
bool residuals_traced(const struct run_record *record, struct failure *failure);
/* As residuals_make; of such a one, nothing is known. */
bool residuals_find(const struct run_record *record, struct residuals *residuals,
                    struct failure *failure);
/* What the plan said of the whole run's makespan: interval and median, where the run did that. */
void residuals_take_interval(const struct run_record *record, struct residuals *residuals);
void residuals_release(struct residuals *residuals);

/* The greater of both counts. */
int64_t residuals_workers(const struct residuals *residuals);
int64_t residuals_rounds(const struct residuals *residuals);
/* When a round ended; NaN: of rounds of a plan that was made during the run no prediction is known.
 */
struct round_ends {
    double predicted_s, measured_s;
};
struct round_ends residuals_round(const struct residuals *residuals, int64_t round);
/* The makespan, the median where that was predicted; NaN: it is not known. */
double residuals_predicted(const struct residuals *residuals);
/* How far the run is off the simulation with its own costs, and that off the prediction; NaN where
 * there is no such figure. */
double residuals_model_error(const struct residuals *residuals);
double residuals_drift(const struct residuals *residuals);
/* measured / predicted - 1; NaN when there is nothing to compare with. */
double residuals_error(double predicted, double measured);
/* One plain sentence, or two, on what makes the difference. */
void residuals_explain(const struct residuals *residuals, struct text *text);

#endif
