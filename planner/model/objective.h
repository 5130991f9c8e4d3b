/*
 * What a plan is chosen for. An evaluation says what one plan takes and costs; an objective is a
 * row of a table that makes one number of it, and search compares these numbers only.
 */
#ifndef PLANNER_MODEL_OBJECTIVE_H
#define PLANNER_MODEL_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one plan; each member never decreases an objective when it increases, so that the evaluation
 * of lower bounds is a lower bound of every objective. */
struct evaluation {
    double makespan_s;
    double run_s;    /* with the start of the processes before it and the sealing after it */
    double wait_s;   /* in the queue, before it */
    double cpu_s;    /* sum of the times that workers are busy */
    double worker_s; /* workers x makespan */
    double charge;   /* sum over all ranks, the master's too, of price_s x run_s + fee */
    int64_t workers; /* that are started */
};

/* What decides between plans whose values count as equal. */
enum objective_tie {
    OBJECTIVE_TIE_WORKERS, /* fewest worker-seconds, then fewest workers */
    OBJECTIVE_TIE_MAKESPAN /* least makespan, then fewest workers */
};

struct objective {
    const char *name;    /* "cost" */
    const char *summary; /* one line */
    double (*value)(const struct evaluation *evaluation);
    enum objective_tie tie;
    bool priced; /* needs prices */
    bool waits;  /* needs waits in the queue */
};

/* All of them. Borrowed, static. */
const struct objective *objective_list(size_t *count);
const struct objective *objective_find(const char *name); /* NULL: none of that name */
/* Is `a` the better one of two evaluations whose values count as equal? */
bool objective_tie_better(const struct objective *objective, const struct evaluation *a,
                          const struct evaluation *b);

#endif
