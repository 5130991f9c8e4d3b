/*
 * Finding out what packages cost: ever larger ones, until one takes a good part of the budget and
 * ten times the latency, or is as large as any that a plan would have. Every step is at most
 * SCOUT_GROWTH times as long as the one before, whatever core tasks cost.
 *
 * The very first package of a worker may find a program that has to start: the difference to the
 * next one of its size is the start.
 */
#ifndef CALIBRATE_SCOUT_H
#define CALIBRATE_SCOUT_H

#include "calibrate/probing.h"

enum { SCOUT_GROWTH = 4 };

/* Fills self->costs, ->steps and ->scouted. Where the budget may be extended, it is, to what it
 * takes to tell a latency from a rate, which is said before. */
void scout(struct probing *self);
/* Seconds of a step, where a package of so many core tasks takes package_s: those of all workers
 * may not overlap in a job, and where it has too few, they come one after the other. */
double scout_step_s(const struct probing *self, int64_t tasks, double package_s);
/* Packages of a step once more: with round 0 those of that step, later ones at other places, each
 * of them twice. Into self->samples. */
void scout_again(struct probing *self, const struct scout_step *step, int round);
void scout_release(struct probing *self);
/* The packages that are computed first, one core task for every worker; to be released. */
bool scout_first(const struct campaign *campaign, struct design_pass *pass,
                 struct failure *failure);

#endif
