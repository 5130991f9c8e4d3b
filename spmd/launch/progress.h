/*
 * Shows the progress of a run: one line that is redrawn on a terminal, otherwise a line every few
 * seconds. The remaining time is estimated from the plan and corrected by measured times.
 */
#ifndef SPMD_LAUNCH_PROGRESS_H
#define SPMD_LAUNCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Core tasks that are done at a time, by a plan. */
struct progress_step {
    double end_s;
    int64_t done;
};

struct progress_curve {
    struct progress_step *steps; /* owned; ascending in both */
    size_t count;                /* 0: not known */
};

/* Time of a worker's packages, by the profile and as measured. */
struct progress_pace {
    double expected_s, taken_s;
};

/* A callback at every update of the progress, which is often: for other displays of it. */
struct progress_tick {
    void (*tell)(void *self); /* NULL: nobody */
    void *self;
};

struct progress {
    struct progress_tick tick;
    FILE *out;          /* NULL: silent */
    int terminal;       /* that shows it, to redraw one line; owned; -1: none */
    int64_t tasks;      /* in all */
    double predicted_s; /* 0: the plan has none; negative: the job is being measured, and no
                         * estimate is possible yet */
    struct progress_curve curve; /* of that plan; taken over */
    struct progress_pace *paces; /* owned; by worker */
    size_t worker_count, capacity;
    int64_t elsewhere, elsewhere_failed; /* core tasks that are done beside those that it is told
                                          * of, and of them failed */
    double shown_s;                      /* when something was last shown */
    bool drawn;                          /* a line without its newline is on the terminal */
};

void progress_init(struct progress *progress, FILE *out, int64_t tasks, double predicted_s);
/* A job that was measured while it ran has a plan now, after `done` tasks: the remaining ones take
 * equal times, and all will be done at predicted_s. */
void progress_plan(struct progress *progress, double now_s, int64_t done, double predicted_s);
/* A package is done. Without memory, workers are left out of the display. */
void progress_worker(struct progress *progress, int64_t worker, double expected_s, double taken_s);
/* The slowest worker relative to its expected times, and its relative excess. False: fewer than two
 * workers are known. */
bool progress_slowest(const struct progress *progress, int64_t *worker, double *excess);
/* `done` core tasks after `elapsed_s`; prints now and then. Cheap otherwise. */
void progress_show(struct progress *progress, int64_t done, double elapsed_s);
/* Would a line be printed now? */
bool progress_due(const struct progress *progress, double elapsed_s);
/* Any line, as often: the first of these that fits into the terminal, else what fits of the last.
 */
void progress_line(struct progress *progress, const char *const *texts, int count,
                   double elapsed_s);
/* Remaining seconds; negative: unknown. */
double progress_left_s(const struct progress *progress, int64_t done, double elapsed_s);
/* Leave the line that is being redrawn, for something else to be printed. */
void progress_break(struct progress *progress);
/* Leave the terminal with a clean line, and release what is owned. */
void progress_end(struct progress *progress);

#endif
