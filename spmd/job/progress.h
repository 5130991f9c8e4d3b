/*
 * How far a run is, for the person who waits: one redrawn line on a terminal, a line every few
 * seconds otherwise. The time left starts from the plan and is corrected by what was measured.
 */
#ifndef SPMD_JOB_PROGRESS_H
#define SPMD_JOB_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *out;          /* NULL: silent */
    bool terminal;      /* redraw one line */
    int64_t tasks;      /* in all */
    double predicted_s; /* 0: the plan does not say */
    double shown_s;     /* when something was last shown */
    bool drawn;         /* a line without its newline is on the terminal */
};

void progress_init(struct progress *progress, FILE *out, int64_t tasks, double predicted_s);
/* `done` core tasks after `elapsed_s`; prints now and then. Cheap otherwise. */
void progress_show(struct progress *progress, int64_t done, double elapsed_s);
/* Any line, as often. */
void progress_line(struct progress *progress, const char *text, double elapsed_s);
/* Seconds left; negative: unknown. */
double progress_left_s(const struct progress *progress, int64_t done, double elapsed_s);
/* Leave the terminal with a clean line. */
void progress_end(struct progress *progress);

#endif
