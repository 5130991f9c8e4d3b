/* The commands that a finished run ran, from its template and its input. No MPI. */
#ifndef SPMD_JOB_COMMANDS_H
#define SPMD_JOB_COMMANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/base/text.h"

struct commands;

/* `command` is the template, borrowed until the end; `input` and `sha256` are what the run's output
 * says of its lines. NULL: they are no longer there, or no longer the same, or memory ended. */
struct commands *commands_open(const char *command, const char *input, const char *sha256);
/* Add the command of line `index`, from 0, as one would type it, in one line: an end of line within
 * it becomes \n. False: the line cannot be read; nothing is added. */
bool commands_print(struct commands *commands, int64_t index, struct text *text);
void commands_close(struct commands **commands); /* sets *commands NULL */

#endif
