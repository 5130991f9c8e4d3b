/* scow serve: a run's master by itself, whose workers join while it goes on. */
#ifndef SPMD_SERVE_SERVE_H
#define SPMD_SERVE_SERVE_H

#include <stdbool.h>

/* The exit code. */
int serve_main(int argc, char **argv);
/* As a part of another command, by whose name sentences speak; nothing is told of what came out
 * unless `told`. */
int serve_as(const char *command, bool told, int argc, char **argv);

#endif
