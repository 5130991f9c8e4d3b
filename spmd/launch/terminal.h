/* The terminal on which a rank's output appears. */
#ifndef SPMD_LAUNCH_TERMINAL_H
#define SPMD_LAUNCH_TERMINAL_H

#include <stdio.h>

/* Local. The terminal that shows what is written to `out`, to be closed; -1: there is none, or it
 * cannot redraw a line. Behind mpiexec a rank writes to a pipe: what counts is the launcher's own
 * standard error, where it runs on the same machine (and /proc tells). */
int terminal_open(FILE *out);
/* Its columns; 0: it does not say. */
int terminal_columns(int terminal);

#endif
