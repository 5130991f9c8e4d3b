/*
 * What a run was given, was predicted to need and used of time, processors and memory, and what to
 * ask for next time. 0: not known.
 */
#ifndef PLANNER_REPORT_OUTLOOK_H
#define PLANNER_REPORT_OUTLOOK_H

#include "planner/base/json_text.h"
#include "planner/report/residuals.h"
#include "planner/studies/batch.h"

struct resources {
    double walltime_s;
    double
        processor_s;   /* requested: of all CPUs, for the walltime; predicted: while workers work */
    double node_bytes; /* memory on a node */
};

struct outlook {
    const char *by;  /* "slurm", "pbs", or "plan": what it would have asked for */
    const char *job; /* the batch system's number, borrowed; "": none */
    struct resources requested, predicted, used;
    bool has_plan;        /* the plan predicts something */
    bool has_next;        /* and it is that of a whole job, which the run has done */
    struct batch next;    /* at the pace of this run, with the memory that it used */
    struct batch planned; /* as the plan itself asks */
};

/* Borrows from the record. */
void outlook_make(const struct residuals *residuals, struct outlook *outlook);
/* Lines for people; nothing where nothing was used that is known. */
void outlook_text(const struct outlook *outlook, struct text *text);
/* Members "requested": {...}, "used": {...}, "next_request": "#SBATCH ..." (null: not known). */
void outlook_json(const struct outlook *outlook, struct json_text *json);

#endif
