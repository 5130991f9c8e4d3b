/*
 * How far a run is, for the person who waits: one redrawn line on a terminal, a line every few
 * seconds otherwise. The time left starts from the plan and is corrected by what was measured.
 */
#ifndef SPMD_LAUNCH_PROGRESS_H
#define SPMD_LAUNCH_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* By when a plan has how much done, in core tasks. */
struct progress_step {
    double end_s;
    int64_t done;
};

struct progress_curve {
    struct progress_step *steps; /* owned; ascending in both */
    size_t count;                /* 0: not known */
};

/* What a worker's packages were to take by the profile, and took. */
struct progress_pace {
    double expected_s, taken_s;
};

/* Called whenever a run looks at its progress, which is often: for who tells it otherwise. */
struct progress_tick {
    void (*tell)(void *self); /* NULL: nobody */
    void *self;
};

struct progress {
    struct progress_tick tick;
    FILE *out;          /* NULL: silent */
    int terminal;       /* that shows it, to redraw one line; owned; -1: none */
    int64_t tasks;      /* in all */
    double predicted_s; /* 0: the plan does not say; below: it is being measured, and the first
                         * packages say nothing of how long others will take */
    struct progress_curve curve; /* of that plan; taken over */
    struct progress_pace *paces; /* owned; by worker */
    size_t worker_count, capacity;
    double shown_s; /* when something was last shown */
    bool drawn;     /* a line without its newline is on the terminal */
};

void progress_init(struct progress *progress, FILE *out, int64_t tasks, double predicted_s);
/* What was measured while it went on is planned now, when so many tasks are done: from here on they
 * take equal times, and all will be done at predicted_s. */
void progress_plan(struct progress *progress, double now_s, int64_t done, double predicted_s);
/* A package is done. Where memory ends, nothing is said of workers. */
void progress_worker(struct progress *progress, int64_t worker, double expected_s, double taken_s);
/* The worker that is the furthest behind what was expected of it, and by how much relative to that.
 * False: nothing is known of two of them. */
bool progress_slowest(const struct progress *progress, int64_t *worker, double *excess);
/* `done` core tasks after `elapsed_s`; prints now and then. Cheap otherwise. */
void progress_show(struct progress *progress, int64_t done, double elapsed_s);
/* Would a line be printed now? */
bool progress_due(const struct progress *progress, double elapsed_s);
/* Any line, as often: the first of these that fits into the terminal, else what fits of the last.
 */
void progress_line(struct progress *progress, const char *const *texts, int count,
                   double elapsed_s);
/* Seconds left; negative: unknown. */
double progress_left_s(const struct progress *progress, int64_t done, double elapsed_s);
/* Leave the line that is being redrawn, for something else to be printed. */
void progress_break(struct progress *progress);
/* Leave the terminal with a clean line, and release what is owned. */
void progress_end(struct progress *progress);

#endif
