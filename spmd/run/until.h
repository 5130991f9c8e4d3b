/*
 * When a run must have ended: as its user says, or as the batch system that it runs under does.
 */
#ifndef SPMD_RUN_UNTIL_H
#define SPMD_RUN_UNTIL_H

#include <stdbool.h>

#include "planner/base/failure.h"

/* From then on it is known when; seconds since 1970. */
struct until {
    bool known;
    double end_s;
    char who[40]; /* says so: "--until", "Slurm" */
};

/* By the system's clock, seconds since 1970. */
double until_now(void);
/* Local. "2h", "90m", "1h30m", "45s" or plain seconds: from now_s on; "18:30", "18:30:00": the next
 * time that the clock says so; "2026-11-23T18:30[:00]" (or a space in place of the T): then, both
 * by local time; "none": whatever others say. False with *failure set: usage, it is none of these,
 * or over already. */
bool until_parse(struct until *until, const char *text, double now_s, struct failure *failure);
/* Local. What Slurm or PBS say of the job that this process belongs to: their environment, else
 * their commands. Not known: neither. */
void until_ask(struct until *until, double now_s);
/* Seconds of a duration as batch systems write it: "[D-]H:M:S", "M:S", "D-H", "D-H:M"; negative: it
 * is none ("UNLIMITED"). */
double until_duration_s(const char *text);
/* Local. Seconds from now_s on in which packages may end: a run must still be sealed then. */
double until_left_s(const struct until *until, double now_s);

#endif
