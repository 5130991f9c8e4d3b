/* The timings of a survey's probes. */
#ifndef PLANNER_DISPATCH_SURVEY_TIMINGS_H
#define PLANNER_DISPATCH_SURVEY_TIMINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/cost.h"
#include "planner/model/strata.h"

/* Strata are equal parts of the job: in each a single task is timed at a random place. */
enum { SURVEY_STRATA_MOST = 64, SURVEY_SIZES_MOST = 48 };

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
    int64_t tasks;                        /* of the job */
    int strata;                           /* equal parts of it */
    int64_t place[SURVEY_STRATA_MOST];    /* the single task that was timed in each */
    double stratum_s[SURVEY_STRATA_MOST]; /* its time; NAN: none was timed */
};

/* tasks >= strata >= 1. */
void survey_timings_init(struct survey_timings *timings, int64_t tasks, int strata);
/* The stratum that holds the task. */
int survey_timings_stratum(const struct survey_timings *timings, int64_t task);
/* The strata that were timed, extended so that together they cover the whole job (strata.h).
 * Returns how many; 0: none. */
size_t survey_timings_strata(const struct survey_timings *timings,
                             struct stratum strata[SURVEY_STRATA_MOST]);
/* The row of that size, added if there is none yet and there is room. */
struct survey_size *survey_timings_size(struct survey_timings *timings, int64_t tasks);
/* How many sizes have a report. */
int survey_timings_known(const struct survey_timings *timings);
/* Latency of a package and seconds per task, from the mean of single tasks and that of the largest
 * size reported. With one size only, latency 0. */
struct cost survey_timings_cost(const struct survey_timings *timings);
/* A lower estimate of that latency: less two standard errors of the mean of single tasks, and 0 if
 * packages of more tasks took less time, so that differences between tasks are not mistaken for a
 * latency. */
double survey_timings_latency(const struct survey_timings *timings);
#endif
