/*
 * Parts of a run that are simulated whole, as 'scow run' does (spmd/run/execute.h): by one master,
 * by several side by side, or by a tree of them, planned, gone on with, and ended.
 */
#ifndef TESTS_FAULTS_SEVERAL_H
#define TESTS_FAULTS_SEVERAL_H

#include <stdbool.h>
#include <stdint.h>

/* What the trial at hand does, drawn; to be released. `calm`: it sleeps by a profile, and takes as
 * long as the simulation expects. */
void several_draw(bool calm);
void several_release(void);
/* The ranks of its next part. */
int several_ranks(void);
/* What is left, planned for any masters that so many ranks allow: JSON text; owned. */
char *several_plan_left(int64_t tasks, int ranks, bool single);
/* That part begins, or has ended: what a rank runs, what is done to its masters while there is work
 * for about so many seconds, and what must be true in the end. */
void several_main(void);
void several_say(void);
void several_disturb(double work_s);
void several_check(void);
/* Has that part come to its end, though ranks are there that were given up? */
bool several_over(void);
/* Is another master than the first one gone? */
bool several_lost(void);
/* May a group be lost, whose work is then taken for undone, whatever its workers have done of it?
 */
bool several_disowns(void);
/* Is that rank the master of a group, whose packages others compute? */
bool several_heads(int rank);

#endif
