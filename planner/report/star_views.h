/*
 * The stars of a run as runs of their own, each with one master, its part of the plan and its part
 * of the trace.
 */
#ifndef PLANNER_REPORT_STAR_VIEWS_H
#define PLANNER_REPORT_STAR_VIEWS_H

#include "planner/report/report.h"

/* A star as a run of its own; all that its record contains is borrowed from the whole run's. */
struct star_view {
    struct run_record record;
    const struct run_record *whole;
    struct run_loss *losses; /* owned */
    int64_t master, end;     /* its ranks, the master's first */
    double begun_s;          /* start of its first envelope; HUGE_VAL: not seen yet */
    /* While its trace is read: */
    const struct trace_taker *taker;
    struct trace here; /* owned */
};

/* Of the star with that number. To be released in any case, and not to be moved in memory. False:
 * out of memory. */
bool star_view_init(struct star_view *view, const struct run_record *whole, size_t k);
void star_view_release(struct star_view *view);

/* All stars of a run, by number. */
struct star_views;
/* Owned; NULL: out of memory. */
struct star_views *star_views_new(const struct run_record *record);
const struct run_record *star_views_record(const struct star_views *views, size_t k);
void star_views_free(struct star_views **views);

#endif
