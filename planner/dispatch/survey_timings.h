/* The timings of a survey's probes. */
#ifndef PLANNER_DISPATCH_SURVEY_TIMINGS_H
#define PLANNER_DISPATCH_SURVEY_TIMINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/cost.h"
#include "planner/model/strata.h"
#include "planner/model/work.h"

/* Strata begin as equal parts of the job, and are halved where that tells most: in each a single
 * task is timed at a random place. */
enum { SURVEY_STRATA_FIRST = 64, SURVEY_STRATA_MOST = 128, SURVEY_SIZES_MOST = 48 };

struct survey_stratum {
    struct task_range range;
    int64_t place;  /* the single task that was timed */
    double seconds; /* its time; NAN: none was timed */
    int64_t worker; /* who took it */
    int probing;    /* its probes that are not reported */
};

/* Packages of one size. */
struct survey_size {
    int64_t tasks;
    int64_t sent, reported;
    double seconds; /* sum over the reported packages, and the sum of squares */
    double squares;
};

struct survey_timings {
    struct survey_size sizes[SURVEY_SIZES_MOST]; /* ascending; the first is of one task */
    int size_count;
    int64_t tasks; /* of the job */
    int stratum_count;
    struct survey_stratum strata[SURVEY_STRATA_MOST]; /* by place; together the whole job */
};

/* In so many equal strata; tasks >= strata >= 1, strata <= SURVEY_STRATA_FIRST. */
void survey_timings_init(struct survey_timings *timings, int64_t tasks, int strata);
/* The stratum that holds the task. */
int survey_timings_stratum(const struct survey_timings *timings, int64_t task);
/* The strata that were timed, extended so that together they cover the whole job (strata.h).
 * Returns how many; 0: none. */
size_t survey_timings_strata(const struct survey_timings *timings,
                             struct stratum strata[SURVEY_STRATA_MOST]);
/* What strata took as if the mean worker had timed each of them; factors[w]: by how much longer
 * than that one worker w takes. */
void survey_timings_level(struct survey_timings *timings, const double *factors);
/* What strata took as if the tasks timed were worth the mean, which takes s_per_task: so that what
 * their worth does not explain is left of their differences (the regression estimator; Cochran,
 * Sampling Techniques, 3rd ed., 7.3). */
void survey_timings_weigh(struct survey_timings *timings, const struct work *work,
                          double s_per_task);
/* Choose up to two strata of which a half is to become a stratum of its own, that which holds no
 * place: one whose neighbours differ most, and one of the widest (strata.h). Strata that are not
 * timed are not halved. Returns how many halves there are. */
int survey_timings_halves(const struct survey_timings *timings, struct task_range halves[2]);
/* Make such a half a stratum, which is not timed yet. There is room: stratum_count is below
 * SURVEY_STRATA_MOST. */
void survey_timings_divide(struct survey_timings *timings, struct task_range half);
/* The row of that size, added if there is none yet and there is room. */
struct survey_size *survey_timings_size(struct survey_timings *timings, int64_t tasks);
/* How many sizes have a report. */
int survey_timings_known(const struct survey_timings *timings);
/* Latency of a package and seconds per task, from the mean of single tasks and that of the largest
 * size reported. With one size only, latency 0. */
struct cost survey_timings_cost(const struct survey_timings *timings);
/* A lower estimate of that latency: the least that a larger size gives beside the median of single
 * tasks, less two standard errors of their mean, and 0 if packages of more tasks took less time, so
 * that differences between tasks are not mistaken for a latency. */
double survey_timings_latency(const struct survey_timings *timings);
#endif
